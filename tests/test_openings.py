"""Opening tables: every shipped one, and how they are built, pruned and read."""

from pathlib import Path

import pytest

import teahouse as th
from teahouse.core.packages import game_text
from teahouse.games.fillit.layouts import start_drawing
from teahouse.search.openings import (
    DRAWN,
    FILE,
    MAX_BYTES,
    PLIES,
    OpeningTable,
    after_moves,
    bots_moves,
    bots_tables,
    build_tables,
    format_tables,
    listed_moves,
    opening_key,
    parse_tables,
    random_plies,
)

WALKED = 60  # positions of each table whose moves are replayed


def reached(table: OpeningTable) -> dict[str, dict[str, list[str]]]:
    """Walk a table from the start; return the moves to each position after those reached."""
    queue = [table.game.start()]
    found: dict[str, dict[str, list[str]]] = {}
    while queue and len(found) < WALKED:
        position = queue.pop(0)
        key = opening_key(position)
        moves = table.positions.get(key)
        if key in found or not moves:
            continue
        found[key] = after_moves(position)
        for after in moves:
            assert after in found[key], f"{position}: no legal move leads to {after}"
            queue.append(position.play(found[key][after][0]))
    return found


@pytest.mark.parametrize("name", th.games())
def test_shipped_tables(name: str) -> None:
    text = game_text(name, FILE)
    assert text is not None
    assert len(text.encode()) <= MAX_BYTES
    tables = bots_tables(name)
    assert th.load(name) in tables
    assert format_tables(tables.values()) == text
    for table in tables.values():
        sides = len(table.game.teams)
        for moves in table.positions.values():
            for results in moves.values():
                assert set(results.outcomes) <= {DRAWN, *range(sides)}
                assert min(results.outcomes.values()) >= 0
        start = table.positions[opening_key(table.game.start())]
        assert 0 < sum(results.games for results in start.values()) <= table.games
        assert reached(table)


@pytest.mark.parametrize("name", th.games())
def test_moves_of_the_start_are_listed(name: str) -> None:
    start = th.load(name).start(seed=5)
    moves = listed_moves(start, bots_moves(start))
    assert moves
    assert {image for move in moves for image in (move.move, *move.images)} <= set(start.legal)
    for move in moves:
        assert sum(move.wins) + move.draws == move.games


def played(moves: str, result: str, **tags: str) -> th.Record:
    record = th.Record.new(th.load("orochi", side=3))
    for move in moves.split():
        record.play(move)
    record.end(result)
    record.names, record.tags = {"White": "level4"}, tags
    return record


def test_mirror_images_and_transpositions_are_counted_together() -> None:
    corners = ["wa1", "wa3", "wc1", "wc5"]
    (table,) = build_tables([played(move, "White") for move in corners[:2]])
    start = table.game.start()
    (move,) = listed_moves(start, table.positions[opening_key(start)])
    assert {move.move, *move.images} >= set(corners[:2])
    assert (move.games, move.wins, move.draws) == (2, (2, 0), 0)


def test_results_are_those_of_the_side_that_moved() -> None:
    start = th.load("orochi", side=3).start()
    first = start.legal[0]
    reply = start.play(first).legal[0]
    games = [played(f"{first} {reply}", result) for result in ("White", "Black", "Black", "draw")]
    (table,) = build_tables(games)
    assert (table.games, table.players) == (4, "level4")
    for position, wins in ((start, (1, 2)), (start.play(first), (1, 2))):
        (move,) = listed_moves(position, table.positions[opening_key(position)])
        assert (move.games, move.wins, move.draws) == (4, wins, 1)


def test_random_plies_and_unfinished_games_do_not_count() -> None:
    start = th.load("orochi", side=3).start()
    first = start.legal[0]
    reply = start.play(first).legal[0]
    random = played(f"{first} {reply}", "White", Opening="1")
    unfinished = th.Record.new(start.game)
    unfinished.play(first)
    (table,) = build_tables([random, unfinished])
    assert table.games == 1
    assert set(table.positions) == {opening_key(start.play(first))}


def test_a_random_setup_does_not_count() -> None:
    for name in th.games():
        assert len({opening_key(th.load(name).start(seed)) for seed in range(4)}) == 1


def test_rare_moves_are_dropped_until_the_table_fits() -> None:
    start = th.load("orochi").start()
    often, seldom = start.legal[0], start.legal[-1]
    record = th.Record.new(start.game)
    for move in (often, *(start.play(often).legal[:1])):
        record.play(move)
    record.end("draw")
    other = th.Record.new(start.game)
    other.play(seldom)
    other.end("White")
    (table,) = build_tables([record] * 5 + [other] * 2)
    complete = format_tables([table])
    pruned = format_tables([table], max_bytes=len(complete) - 1)
    (kept,) = parse_tables("orochi", pruned).values()
    assert [one.games for one in kept.positions[opening_key(start)].values()] == [5]
    assert kept.games == 7
    assert PLIES > 2


@pytest.mark.parametrize("tag", ["the corner", "-1", "1.5", "9" * 5000])
def test_a_tag_that_counts_no_plies_is_ignored(tag: str) -> None:
    first = th.load("orochi", side=3).start().legal[0]
    assert random_plies(played(first, "White", Opening=tag)) == 0
    assert random_plies(played(first, "White", Opening="12")) == 12


def test_tables_that_cannot_be_written_end_in_their_first_lines() -> None:
    drawn = th.load("fillit", layout=start_drawing(th.load("fillit").all_options))
    record = th.Record.new(drawn)
    record.play(record.position.legal[0])
    record.end("draw")
    first = th.load("orochi", side=3).start().legal[0]
    tables = build_tables([played(first, "White")] * 3 + [record] * 3)
    assert len(tables) == 2
    assert format_tables(tables, max_bytes=1) == "> side=3 ; 3 ; level4\n"


def test_players_may_have_any_name() -> None:
    text = "> side=3 ; 3 ; ugi:sh -c 'cd engine ; ./run', level1\n"
    (table,) = parse_tables("orochi", text).values()
    assert table.players == "ugi:sh -c 'cd engine ; ./run', level1"


def test_a_table_without_options_is_rejected() -> None:
    with pytest.raises(ValueError, match="must begin with a line of options"):
        parse_tables("orochi", "0123456789ab 0123456789ab:1/1/0\n")


def test_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from teahouse.terminal.commands import main

    records = tmp_path / "match" / "records"
    records.mkdir(parents=True)
    move = th.load("orochi", side=3).start().legal[0]
    for number in range(2):
        (records / f"{number}.txt").write_text(played(move, "White").text())
    out = tmp_path / "openings.txt"

    def run(*arguments: str) -> int:
        monkeypatch.setattr("sys.argv", ["teahouse", "openings", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    assert run("orochi", "--build", str(tmp_path / "match"), "--out", str(out)) == 0
    assert out.read_text().startswith("> side=3 ; 2 ; level4\n")
    assert run("orochi", "--build", str(tmp_path)) == 2
    assert "has no records" in capsys.readouterr().err
    assert run("orochi") == 0
    assert "mirror images" in capsys.readouterr().out
    assert run("orochi", "-o", "side=2") == 0
    assert "There is no opening table" in capsys.readouterr().out
