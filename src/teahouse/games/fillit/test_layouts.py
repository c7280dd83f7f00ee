"""Starting layouts: built-in ones, and drawings of users."""

import re
from pathlib import Path

import pytest

import teahouse as th
from teahouse.core import hexgrid
from teahouse.core.catalog import load_untrusted
from teahouse.core.rules_page import boards
from teahouse.games.fillit import layouts
from teahouse.games.fillit.layouts import MODES, NAMES
from teahouse.games.fillit.test_rules import board as glyphs_of

MINE = """
g    . . . R
f   . r . . .
e  r . . . . .
d . . r # b . .
c  . . . b . .
b   . . . b .
a    B . . .
"""

# The pawn and the stones of each colour (F1).
STARTS = {
    ("2", "A"): {
        "Red": "e1 b3 d3 f3 h3",
        "Blue": "e9 b4 d6 f6 h4",
    },
    ("2", "B"): {
        "Red": "a1 b2 c4 d2 f4",
        "Blue": "i5 d5 f7 g4 h5",
    },
    ("3", "A"): {
        "Red": "a1 b2 c5 d3",
        "Yellow": "i1 e3 g4 h2",
        "Blue": "e9 d6 e8 g5",
    },
    ("3", "B"): {
        "Red": "e1 c2 e4 g2",
        "Yellow": "i5 f5 f7 h3",
        "Blue": "a5 b3 d5 d7",
    },
    ("teams", "A"): {
        "Red": "a1 c3 d2 f7 g5",
        "Blue": "i1 c5 d7 f2 g3",
        "Yellow": "i5",
        "Green": "a5",
    },
    ("teams", "B"): {
        "Red": "a1 b2 d4 f5 h5",
        "Blue": "i1 b5 d5 f4 h2",
        "Yellow": "i5",
        "Green": "a5",
    },
    ("2mini", "A"): {
        "Red": "d1 b2 d3 f2",
        "Blue": "d7 b4 d5 f4",
    },
    ("2mini", "B"): {
        "Red": "a1 b2 c4 e2",
        "Blue": "g4 c5 e3 f4",
    },
    ("3mini", "A"): {
        "Red": "a1 b2 c4",
        "Yellow": "g1 d3 f2",
        "Blue": "d7 d6 e4",
    },
    ("3mini", "B"): {
        "Red": "d1 c2 d3",
        "Yellow": "g4 e4 f3",
        "Blue": "a4 c4 c5",
    },
}


def changed(*changes: tuple[str, str]) -> str:
    """Return MINE with some texts replaced."""
    drawing = MINE
    for old, new in changes:
        assert old in drawing
        drawing = drawing.replace(old, new, 1)
    return drawing


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_builtin_layouts(mode: str, name: str) -> None:
    found = layouts.builtin(mode, name)
    assert (
        layouts.format_drawing(found, MODES[mode].board)
        == layouts.sections()[f"{mode} {name}"].strip()
    )
    game = th.load("fillit", mode=mode, layout=name)
    own = th.load("fillit", mode=mode, layout=layouts.format_drawing(found, MODES[mode].board))
    assert str(game.start()) == str(own.start())
    assert vars(game.board) == vars(own.board)


@pytest.mark.parametrize(("mode", "name"), STARTS)
def test_f1_pawns_and_stones_start_as_in_the_rules(mode: str, name: str) -> None:
    start = th.load("fillit", mode=mode, layout=name).start()
    expected = {"e5" if MODES[mode].board == 5 else "d4": "#"}
    for colour, cells in STARTS[mode, name].items():
        pawn, *stones = cells.split()
        expected |= {pawn: colour[0], **dict.fromkeys(stones, colour[0].lower())}
    assert glyphs_of(start) == expected


@pytest.mark.parametrize("mode", MODES)
def test_the_rules_page_shows_the_layouts(mode: str) -> None:
    page = th.load("fillit").rules_page
    shown = [board.options for board in boards(page) if "layout" in board.options]
    assert [one["layout"] for one in shown if one["mode"] == mode] == [*NAMES]


def test_the_drawing_on_the_rules_page_can_be_used() -> None:
    (drawing,) = re.findall(r"^  ```\n(.*?)^  ```", th.load("fillit").rules_page, re.M | re.S)
    own = th.load("fillit", mode="2mini", layout=drawing)
    assert str(own.start()) == str(th.load("fillit", mode="2mini", layout="A").start())


def test_asymmetric_layouts_are_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(layouts, "sections", lambda: {"2mini A": MINE})
    with pytest.raises(ValueError, match="half turn"):
        layouts.builtin.__wrapped__("2mini", "A")


def test_transformations() -> None:
    names = {board: hexgrid.names(board) for board in (4, 5)}
    for board, transformation, cell, image in [
        (5, "half turn", "d2", "f7"),
        (5, "third of a turn", "a1", "i1"),
        (5, "third of a turn", "c5", "e3"),
        (4, "third of a turn", "g4", "a4"),
        (5, "mirror", "c3", "g3"),
    ]:
        moved = layouts.transformed_cells(board, transformation)
        assert names[board][moved[names[board].index(cell)]] == image
        assert sorted(moved) == list(range(len(moved)))


def test_a_custom_drawing(tmp_path: Path) -> None:
    game = th.load("fillit", mode="2mini", layout=MINE)
    assert game.options["layout"] == MINE.strip()
    assert str(game.start()) == "3R/1r3/r5/2r#b2/3b2/3b1/B3 R both 0 0"
    loose = "\r\n\r\n".join(line[1:] for line in MINE.strip().splitlines())  # without letters
    assert th.load("fillit", mode="2mini", layout=loose) == game
    file = tmp_path / "mine.txt"
    file.write_text(MINE)
    assert th.load("fillit", mode="2mini", layout=str(file)) == game
    file.write_text(MINE, encoding="utf-8-sig")  # with a byte order mark
    assert th.load("fillit", mode="2mini", layout=str(file)) == game
    assert game.playouts(20, seed=1).games == 20


@pytest.mark.parametrize("name", ["fillit", "Fillit", "FILLIT"])
def test_options_from_outside_name_no_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(MINE)
    assert th.load(name, mode="2mini", layout=str(file)).name == "fillit"
    with pytest.raises(th.OptionError, match="no files are read here"):
        load_untrusted(name, {"mode": "2mini", "layout": str(file)})
    with pytest.raises(th.RecordError, match=r"line 2: Options: .*no files are read here"):
        th.Record.parse(f'[Game "{name}"]\n[Options "mode=2mini; layout={file}"]\n')
    assert load_untrusted(name, {"layout": "B"}) == th.load("fillit", layout="B")


def test_records_hold_the_drawing() -> None:
    record = th.Record.new(th.load("fillit", mode="2mini", layout=MINE, first="Blue"))
    record.play(record.position.legal[0])
    copy = th.Record.parse(record.text())
    assert copy == record
    assert copy.game.options["layout"] == MINE.strip()


@pytest.mark.parametrize(
    ("drawing", "why"),
    [
        ("\n", "line 1: mode 2mini has 7 rows, got 0"),
        (changed(("f   . r . . .\n", "")), "line 3: expected row f; mode 2mini has 7 rows"),
        (changed(("a    B . . .\n", "")), "line 7: mode 2mini has 7 rows, got 6"),
        (MINE + "a . . . .", "line 9: mode 2mini has 7 rows, got 8"),
        (changed(("b   . . . b .", "b   . . b .")), "line 7: row b of mode 2mini has 5 .* got 4"),
        (changed(("f   .", "h   .")), "line 3: expected row f"),
        (changed(("#", ".")), r"line 5: d4 must be the wall #, not '\.'"),
        (changed(("#", "r")), "line 5: d4 must be the wall #, not 'r'"),
        (changed(("a    B .", "a    B #")), "line 8: the wall must be in the centre, not on a2"),
        (changed(("a    B .", "a    B r")), "line 8: r on a2 is one too many; mode 2mini has 3"),
        (changed(("a    B .", "a    B R")), "line 8: R on a2 is one too many; .* has 1"),
        (changed(("a    B", "a    .")), "line 8: 1 of 1 B missing"),
        (changed(("r # b", "r # .")), "line 8: 1 of 3 b missing"),
        (changed(("R", "Y")), "line 2: unknown glyph 'Y' on g4; mode 2mini has R B r b . #"),
        (". \n" * 9000, "line 1: a drawing has at most"),
    ],
)
def test_invalid_drawings_are_rejected_with_the_line(drawing: str, why: str) -> None:
    with pytest.raises(th.OptionError, match=f"fillit: layout, {why}"):
        th.load("fillit", mode="2mini", layout=drawing)


def test_files_without_a_drawing(tmp_path: Path) -> None:
    (tmp_path / "name").write_text("A")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for path, why in {
        "name": "line 1: mode 2 has 9 rows, got 1",
        "binary": "layout must be A, B or a drawing of the board, or",
        "": "no such file",
        "missing": "no such file",
    }.items():
        with pytest.raises(th.OptionError, match=why):
            th.load("fillit", layout=str(tmp_path / path))
    for value in ("", "\0", "a" * 5000, "C"):
        with pytest.raises(th.OptionError, match="layout must be A, B or a drawing"):
            th.load("fillit", layout=value)


def test_option_combinations() -> None:
    assert th.load("fillit", mode=2) == th.load("fillit")
    assert th.load("fillit", mode=3).players == ("Red", "Yellow", "Blue")
    assert th.load("fillit", mode="teams").teams == ((0, 2), (1, 3))
    with pytest.raises(
        th.OptionError, match="first must be one of Red, Blue in mode 2, got Yellow"
    ):
        th.load("fillit", first="Yellow")
    with pytest.raises(th.OptionError, match="line 2: expected row i; mode 2 has 9 rows"):
        th.load("fillit", layout=MINE)
    for mode in (True, 4, 2.0, "two"):
        with pytest.raises(th.OptionError, match="mode must be one of"):
            th.load("fillit", mode=mode)


def test_invalid_positions() -> None:
    game = th.load("fillit", mode="2mini")
    board = "4/1r1b1/6/R1r#b1B/6/1r1b1/4"
    red_done = "4/1r1b1/++++++/R+r#b1B/++++++/1r1b1/4"
    assert game.position(f"{red_done} R over 9 20").winners == (0,)
    for text, why in {
        "": "number of moves",
        "5 4": "a position is its rows",
        f"{board} R both 0": "a position is its rows",
        f"{board} Y both 0 0": "must be one of R, B",
        f"{board} RB both 0 0": "must be one of R, B",
        f"{board} R none 0 0": "what to move",
        f"{board} R both 301 0": "turns ended must be from 0 to 300",
        f"{board} R both ٣ 0": "turns ended must be",
        f"{board} R both 300 0": "the game is over",
        f"{board} R over 9 0": "the game is not over",
        f"{board}/1 R both 0 0": "expected 7 rows, got 8",
        f"{board.replace('6', '7', 1)} R both 0 0": "row '7' must have 6 cells",
        f"{board.replace('1b1', '1y1', 1)} R both 0 0": "row '1r1y1'",
        f"{board.replace('#', '1')} R both 0 0": "the wall # must be in the centre",
        f"{board.replace('6', '#5', 1)} R both 0 0": "the wall # must be in the centre",
        f"{board.replace('R', '1')} R both 0 0": "expected 1 pawn R, got 0",
        f"{board.replace('6', 'B5', 1)} R both 0 0": "expected 1 pawn B, got 2",
        f"{board.replace('r', 'b', 1)} R both 0 0": "expected 3 stones r, got 2",
        f"{red_done} B over 9 20": "only the player who laid the last chip",
        f"{red_done} R both 9 20": "the game is over",
        f"{red_done} R over 300 20": "the game ends after 300 turns",
        f"{red_done.replace('4', '+3')} R over 9 20": "at most 14 chips, got 16",
        "4/5/r1r3/3#2B/5r/bb3/Rb2 R pawn 9 20": "is blocked",
    }.items():
        with pytest.raises(th.PositionError, match=why):
            game.position(text)


def test_moves_are_normalised_and_rejected_with_reasons() -> None:
    start = th.load("fillit").start()
    for loose in ("pe1-i1", "PE1I1", "e1-i1", " P e1 - i1 "):
        assert start.play(loose) == start.play("Pe1-i1")
    for text, why in {
        "e1": "a move is two cells",
        "Pe1-x9": "x9 is not a cell of this board",
        "Pe2-e4": "Red's pawn is on e1, not on e2",
        "Pe1-e3": "to a1, e4, i1",
        "Sd6-d7": "Red has no stone on d6",
        "Sd3-d5": "one step",
    }.items():
        with pytest.raises(th.IllegalMove, match=why):
            start.play(text)
