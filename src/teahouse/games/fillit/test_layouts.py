"""Starting layouts: those of the house, and drawings from outside."""

from pathlib import Path

import pytest

import teahouse as th
from teahouse.core import hexgrid
from teahouse.games.fillit import layouts
from teahouse.games.fillit.layouts import MODES, NAMES

MINE = """
g    . . . R
f   . r . . .
e  r . . . . .
d . . r # b . .
c  . . . b . .
b   . . . b .
a    B . . .
"""


def changed(*changes: tuple[str, str]) -> str:
    """MINE with some texts exchanged for others."""
    drawing = MINE
    for old, new in changes:
        assert old in drawing
        drawing = drawing.replace(old, new, 1)
    return drawing


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_drawings_of_the_house(mode: str, name: str) -> None:
    found = layouts.house(mode, name)
    assert layouts.drawn(found, MODES[mode].board) == layouts.sections()[f"{mode} {name}"].strip()
    game = th.load("fillit", mode=mode, layout=name)
    own = th.load("fillit", mode=mode, layout=layouts.drawn(found, MODES[mode].board))
    assert str(game.start()) == str(own.start())
    assert game.playouts(50, seed=1) == own.playouts(50, seed=1)


@pytest.mark.parametrize("mode", MODES)
def test_the_rules_page_shows_the_layouts(mode: str) -> None:
    page = Path(layouts.__file__).with_name("rules.md").read_text()
    drawings = [layouts.sections()[f"{mode} {name}"].strip().splitlines() for name in NAMES]
    rows = [f"{left:<24}{right}" for left, right in zip(*drawings, strict=True)]
    assert "\n".join(["```", *rows, "```"]) in page


def test_layouts_that_look_different_to_the_sides_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(layouts, "sections", lambda: {"2mini A": MINE})
    with pytest.raises(ValueError, match="half turn"):
        layouts.house.__wrapped__("2mini", "A")


def test_motions() -> None:
    names = {board: hexgrid.names(board) for board in (4, 5)}
    for board, motion, cell, comes_to in [
        (5, "half turn", "d2", "f7"),
        (5, "third of a turn", "a1", "i1"),
        (5, "third of a turn", "c5", "e3"),
        (4, "third of a turn", "g4", "a4"),
        (5, "mirror", "c3", "g3"),
    ]:
        moved = layouts.moved_cells(board, motion)
        assert names[board][moved[names[board].index(cell)]] == comes_to
        assert sorted(moved) == list(range(len(moved)))


def test_a_drawing_of_ones_own(tmp_path: Path) -> None:
    game = th.load("fillit", mode="2mini", layout=MINE)
    assert game.options["layout"] == MINE.strip()
    assert str(game.start()) == "3R/1r3/r5/2r#b2/3b2/3b1/B3 R both 0 0"
    loose = "\r\n\r\n".join(line[1:] for line in MINE.strip().splitlines())  # without letters
    assert th.load("fillit", mode="2mini", layout=loose) == game
    file = tmp_path / "mine.txt"
    file.write_text(MINE)
    assert th.load("fillit", mode="2mini", layout=str(file)) == game
    assert game.playouts(20, seed=1).games == 20


def test_records_hold_the_drawing() -> None:
    record = th.Record.new(th.load("fillit", mode="2mini", layout=MINE, first="Blue"))
    record.play(record.position.legal[0])
    copy = th.Record.parse(record.text())
    assert copy == record
    assert copy.game.options["layout"] == MINE.strip()


@pytest.mark.parametrize(
    ("drawing", "why"),
    [
        ("\n", "line 1: mode 2mini has 7 rows, not 0"),
        (changed(("f   . r . . .\n", "")), "line 3: row f is due; mode 2mini has 7 rows"),
        (changed(("a    B . . .\n", "")), "line 7: mode 2mini has 7 rows, not 6"),
        (MINE + "a . . . .", "line 9: mode 2mini has 7 rows, not 8"),
        (changed(("b   . . . b .", "b   . . b .")), "line 7: row b of mode 2mini has 5 .* not 4"),
        (changed(("f   .", "h   .")), "line 3: row f is due"),
        (changed(("#", ".")), r"line 5: d4 is the wall #, not '\.'"),
        (changed(("#", "r")), "line 5: d4 is the wall #, not 'r'"),
        (changed(("a    B .", "a    B #")), "line 8: the wall is in the middle, not on a2"),
        (changed(("a    B .", "a    B r")), "line 8: r on a2 is one too many for mode 2mini"),
        (changed(("a    B .", "a    B R")), "line 8: R on a2 is one too many .* has 1"),
        (changed(("a    B", "a    .")), "line 8: 1 of 1 B not found up to here"),
        (changed(("r # b", "r # .")), "line 8: 1 of 3 b not found up to here"),
        (changed(("R", "Y")), "line 2: 'Y' on g4 is none of mode 2mini's signs: R B r b . #"),
        (". \n" * 9000, "line 1: more than"),
    ],
)
def test_wrong_drawings_are_refused_with_the_line(drawing: str, why: str) -> None:
    with pytest.raises(th.OptionError, match=f"fillit: layout, {why}"):
        th.load("fillit", mode="2mini", layout=drawing)


def test_files_that_hold_no_drawing(tmp_path: Path) -> None:
    (tmp_path / "name").write_text("A")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for path, why in {
        "name": "line 1: mode 2 has 9 rows, not 1",
        "binary": "layout is A, B, or",
        "": "there is no such file",
        "missing": "there is no such file",
    }.items():
        with pytest.raises(th.OptionError, match=why):
            th.load("fillit", layout=str(tmp_path / path))
    for value in ("", "\0", "a" * 5000, "C"):
        with pytest.raises(th.OptionError, match="layout is A, B, or a drawing"):
            th.load("fillit", layout=value)


def test_options_go_together() -> None:
    assert th.load("fillit", mode=2) == th.load("fillit")
    assert th.load("fillit", mode=3).players == ("Red", "Yellow", "Blue")
    assert th.load("fillit", mode="teams").teams == ((0, 2), (1, 3))
    with pytest.raises(th.OptionError, match="first is one of Red, Blue in mode 2, not Yellow"):
        th.load("fillit", first="Yellow")
    with pytest.raises(th.OptionError, match="line 2: row i is due; mode 2 has 9 rows"):
        th.load("fillit", layout=MINE)
    for mode in (True, 4, 2.0, "two"):
        with pytest.raises(th.OptionError, match="mode must be one of"):
            th.load("fillit", mode=mode)


def test_positions_that_cannot_be() -> None:
    game = th.load("fillit", mode="2mini")
    board = "4/1r1b1/6/R1r#b1B/6/1r1b1/4"
    red_done = "4/1r1b1/++++++/R+r#b1B/++++++/1r1b1/4"
    assert game.position(f"{red_done} R over 9 20").winners == (0,)
    for text, why in {
        "": "number of decisions",
        "5 4": "a position is rows",
        f"{board} R both 0": "a position is rows",
        f"{board} Y both 0 0": "who decides is one of R, B",
        f"{board} RB both 0 0": "who decides is one of R, B",
        f"{board} R none 0 0": "what is to be moved",
        f"{board} R both 301 0": "turns ended are 0 to 300",
        f"{board} R both ٣ 0": "turns ended are",
        f"{board} R both 300 0": "the game is over",
        f"{board} R over 9 0": "the game is not over",
        f"{board}/1 R both 0 0": "8 rows instead of 7",
        f"{board.replace('6', '7', 1)} R both 0 0": "row '7' is not 6 cells",
        f"{board.replace('1b1', '1y1', 1)} R both 0 0": "row '1r1y1'",
        f"{board.replace('#', '1')} R both 0 0": "the wall # is in the middle",
        f"{board.replace('6', '#5', 1)} R both 0 0": "the wall # is in the middle",
        f"{board.replace('R', '1')} R both 0 0": "0 pawns R instead of 1",
        f"{board.replace('6', 'B5', 1)} R both 0 0": "2 pawns B instead of 1",
        f"{board.replace('r', 'b', 1)} R both 0 0": "2 stones r instead of 3",
        f"{red_done} B over 9 20": "only the player who lays the last chip",
        f"{red_done} R both 9 20": "the game is over",
        f"{red_done} R over 300 20": "no chip is laid after 300 turns",
        f"{red_done.replace('4', '+3')} R over 9 20": "16 chips of r's side, who have 14",
        "4/5/r1r3/3#2B/5r/bb3/Rb2 R pawn 9 20": "cannot move",
    }.items():
        with pytest.raises(th.PositionError, match=why):
            game.position(text)


def test_moves_are_read_loosely_and_refused_with_reasons() -> None:
    start = th.load("fillit").start()
    for loose in ("pe1-i1", "PE1I1", "e1-i1", " P e1 - i1 "):
        assert start.play(loose) == start.play("Pe1-i1")
    for text, why in {
        "e1": "a move is P",
        "Pe1-x9": "the board has no cell x9",
        "Pe2-e4": "Red's pawn is on e1, not on e2",
        "Pe1-e3": "to a1, e4, i1",
        "Sd6-d7": "no stone of Red's is on d6",
        "Sd3-d5": "one step",
    }.items():
        with pytest.raises(th.IllegalMove, match=why):
            start.play(text)
