"""The promised public interface."""

import pickle
from importlib.metadata import version
from typing import Any

import pytest

import teahouse as th


def test_games_and_options() -> None:
    assert "orochi" in th.games() == sorted(th.games())
    game = th.load("orochi", side=3)
    assert (game.name, game.title, game.options) == (
        "orochi",
        "Orochi",
        {"side": 3},
    )
    assert (game.players, game.teams) == (("White", "Black"), ((0,), (1,)))
    assert th.load("orochi").options == {"side": 4}
    assert th.load("orochi", side="3") is game
    assert pickle.loads(pickle.dumps(game)) == game
    assert repr(game) == "teahouse.load('orochi', side=3)"
    for wrong in ("chess", "", None, "../core"):
        with pytest.raises(th.OptionError, match="Unknown game"):
            th.load(wrong)  # type: ignore[arg-type]


def test_positions() -> None:
    game = th.load("orochi", side=4)
    p = game.start(seed=1)
    assert (p.game, p.ply, p.player, p.over, p.winners) == (game, 0, 0, False, ())
    q = p.play("wd4")
    assert q.ply == 1
    assert game.position(str(q)) == q
    assert p.play("WD4") == q
    assert "w" in q.text()
    with pytest.raises(
        th.IllegalMove, match="Illegal move 'bd4': d4 is occupied; legal moves: wa1, wa2"
    ):
        q.play("bd4")
    assert th.perft(p, 0) == 1
    assert th.perft(p, 2) == 74 * 72
    for depth in (-1, 1.5, True, "2"):
        with pytest.raises(th.OptionError, match="depth must be an integer"):
            th.perft(p, depth)  # type: ignore[arg-type]


def test_records() -> None:
    game = th.load("orochi", side=4)
    record = th.Record.new(game, seed=1)
    record.play("WD4")
    record.play("ba1")
    assert record.moves == ("wd4", "ba1")
    assert record.undo() == record.positions[1] == record.position
    record.names = {"Black": "Ben", "White": "Anna"}
    record.tags["Date"] = "2026.11.15"
    record.comments[1] = "the middle"
    assert record.text() == (
        '[Game "orochi"]\n[Options "side=4"]\n[Seed "1"]\n[Start "4/5/6/7/6/5/4 w 0"]\n'
        '[Black "Ben"]\n[White "Anna"]\n[Date "2026.11.15"]\n[Result "*"]\n\n'
        "1. wd4 {the middle} *\n"
    )
    copy = th.Record.parse(record.text())
    assert copy.tags == {"Date": "2026.11.15"}
    assert copy.names == {"White": "Anna", "Black": "Ben"}
    record.end("Black")
    assert th.Record.parse(record.text()).result == "Black"
    with pytest.raises(th.IllegalMove, match="the game has ended"):
        record.play("ba1")
    with pytest.raises(ValueError, match="result must be one of White, Black, draw"):
        th.Record.new(game).end("Green")
    with pytest.raises(th.IllegalMove, match="no move to undo"):
        th.Record.new(game).undo()


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "tag Game is missing"),
        ('[Game "go"]', 1, "Unknown game"),
        ('[Game "orochi"]\n[Options "side=99"]', 2, "side must be an integer from 2 to 8"),
        ('[Game "orochi"]\n[Options "side"]', 2, "Expected NAME=VALUE"),
        ('[Game "orochi"]\n[Options "name=go"]', 2, "Unknown option 'name'"),
        ('[Game "orochi"]\n[Game "orochi"]', 2, "Duplicate tag Game"),
        ('[Game "orochi"]\n[Game orochi]', 2, "Expected a tag"),
        ('[Game "orochi"]\n[Seed "x"]', 2, "Seed: seed must be an integer from 0"),
        ('[Game "orochi"]\n[Seed "-1"]', 2, "Seed: seed must be an integer from 0"),
        ('[Game "orochi"]\n[Start "4/5 w 0"]', 2, "expected 7 rows, got 2"),
        ('[Game "orochi"]\n\n1. wd4\n2. wd4', 4, "d4 is occupied"),
        ('[Game "orochi"]\n\n1. wd4 3. wd5', 3, "Expected move number 2, got 3"),
        ('[Game "orochi"]\n\n1. wd4 {open', 3, "Expected a move or a complete"),
        ('[Game "orochi"]\n[Result "Green"]\n\n1. wd4', 2, "result must be one of"),
        (
            '[Game "orochi"]\n[Result "White"]\n\n1. wd4 Black',
            4,
            "contradicts the tag, which is White",
        ),
        (
            '[Game "orochi"]\n[Options "side=2"]\n[Start "ww/w1w/b1 w 5"]\n\n1. bb2 Black',
            5,
            "The moves end with result White, not Black",
        ),
    ],
)
def test_errors_in_records(text: str, line: int, why: str) -> None:
    with pytest.raises(th.RecordError, match=why) as found:
        th.Record.parse(text)
    assert found.value.line == line
    assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)


@pytest.mark.parametrize("wrong", [None, 5, "x", th.games])
def test_arguments_of_a_wrong_type_are_refused(wrong: Any) -> None:
    """Errors name what is allowed."""
    name = th.games()[0]
    for function in (th.analyse, th.solve, lambda one: th.perft(one, 1), th.bot(name, 1).choose):
        with pytest.raises(th.OptionError, match=r"^position must be a Position \(game.start"):
            function(wrong)
    for of_game in (th.load, th.bot, th.report, th.puzzles, lambda one: th.compare(one, one)):
        with pytest.raises(th.OptionError, match=f"^Unknown game .*; games: {name}, "):
            of_game(wrong)
    with pytest.raises(th.OptionError, match="game must be a Game "):
        th.Record.new(wrong)
    with pytest.raises(th.OptionError, match="record must be a Record "):
        th.review(wrong)


def test_the_version_is_that_of_the_distribution() -> None:
    assert th.__version__ == version("teahouse")
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = th.no_such_name  # type: ignore[attr-defined]


def test_several_records_in_a_text() -> None:
    game = th.load("orochi", side=2)
    first, second = th.Record.new(game), th.Record.new(game, seed=2)
    first.play("wb2")
    first.comments[1] = 'the only one\n[Game "no tag"]'
    second.end("Black")
    text = first.text() + "\n" + second.text()
    assert th.Record.parse_all(text) == [first, second]
    assert th.Record.parse_all(second.text()) == [second]
    assert th.Record.parse_all("\ufeff" + text.replace("\n", "\r\n")) == [first, second]
    assert th.Record.parse_all("\n") == []
    line = first.text().count("\n") + 2
    with pytest.raises(th.RecordError, match=f"line {line}: Another record .*parse_all"):
        th.Record.parse(text)
    with pytest.raises(th.RecordError, match=f"line {line + 6}: .*nonsense"):
        th.Record.parse_all(text.replace("Black\n", "nonsense\n"))
    with pytest.raises(th.RecordError, match="got 1"):
        th.Record.parse_all(1)  # type: ignore[arg-type]


def test_comments_after_one_move_are_all_kept() -> None:
    text = th.Record.new(th.load("orochi", side=2)).text()
    record = th.Record.parse(text.replace("\n*\n", "\n{one} {two} 1. wb2 {three}\n{four} *\n"))
    assert record.comments == {0: "one two", 1: "three four"}
    assert th.Record.parse(record.text()) == record


@pytest.mark.parametrize("name", ["Black Elo", "", "A-B", "Game", "Start", "Result"])
def test_tags_that_could_not_be_read_are_not_written(name: str) -> None:
    record = th.Record.new(th.load("orochi", side=2))
    record.tags["Date"] = "2030-01-01"
    assert th.Record.parse(record.text()) == record
    record.tags[name] = "1"
    with pytest.raises(ValueError, match="A tag's name"):
        record.text()


@pytest.mark.parametrize("name", th.games())
def test_clicks_that_begin_no_move_are_ignored(name: str) -> None:
    position = th.load(name).start()
    for _ in range(12):
        items = list(position.scene.item_labels)
        whole = position.click_path(position.legal[0])
        for clicked in (("nowhere",), (items[0], items[-1], "nowhere"), (items[-1],) * 3, whole):
            for item in items[:: len(items) // 8]:
                assert position.refuse(item, clicked) == position.refuse(item)
        position = position.play(position.legal[-1])


def test_pictures_of_records() -> None:
    record = th.Record.new(th.load("orochi", side=2))
    assert record.svg() == record.position.svg()
    record.play("wb2")
    assert record.svg(size=100) == record.position.svg(last=(record.positions[0], "wb2"), size=100)
    assert record.svg(0) == record.positions[0].svg()
    assert record._repr_svg_().startswith("<svg")
    with pytest.raises(ValueError, match="ply"):
        record.svg(2)


@pytest.mark.parametrize("name", th.games())
def test_perft_in_slices(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt is handled between two slices."""
    position = th.load(name).start()
    whole = [th.perft(position, depth) for depth in range(4)]
    monkeypatch.setattr("teahouse.core.perft.SLICE", 7)
    assert [th.perft(position, depth) for depth in range(3)] == whole[:3]
    monkeypatch.setattr("teahouse.core.perft.SLICE", 1000)
    assert th.perft(position, 3) == whole[3]
