"""Tablebases: values compared with searches, verification by the rules, files that are damaged."""

import json
import os
from pathlib import Path
from threading import Event

import numpy as np
import pytest

import teahouse as th
from teahouse.core.jit.sweep import mark_used
from teahouse.search import tablebase as tb
from teahouse.search.proof.solve import solve
from teahouse.search.tablebase import (
    Tablebase,
    build_tablebase,
    compute_tablebase,
    find_tablebase,
    position_count,
    stored_tablebases,
)
from teahouse.terminal.commands import main
from teahouse.terminal.commands import solve as command

SMALL = th.load("orochi", side=2)
LARGE = th.load("orochi", side=3)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep tablebases in a folder of the test alone."""
    monkeypatch.setattr(tb, "_loaded", {})
    monkeypatch.setattr(tb, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(tb, "create_cache_folder", lambda: tmp_path)
    return tmp_path / tb.FOLDER


@pytest.fixture
def small(folder: Path) -> Tablebase:
    found = build_tablebase(SMALL)
    assert found is not None
    return found


def reachable(start: th.Position) -> list[th.Position]:
    """Return every position that play can reach and that is not over."""
    found = {str(start): start}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        for move in position.legal:
            after = position.play(move)
            if not after.over and str(after) not in found:
                found[str(after)] = after
                waiting.append(after)
    return list(found.values())


def test_which_games_have_one() -> None:
    assert position_count(SMALL) == 3**7
    assert position_count(LARGE) == 3**19
    assert position_count(th.load("orochi")) == 0
    assert all(position_count(th.load(name)) == 0 for name in th.games())


def test_a_game_without_one_is_refused() -> None:
    with pytest.raises(th.OptionError, match=r"no tablebase of Orochi with .*side.*5"):
        compute_tablebase(th.load("orochi", side=5))


def test_every_position_follows_the_rules(small: Tablebase) -> None:
    assert small.verify(0, position_count(SMALL)) == 0


def test_a_wrong_bit_is_found(small: Tablebase) -> None:
    wrong = small.table.copy()
    wrong[0] ^= 1  # the start of the game
    assert Tablebase(SMALL, wrong).verify(0, position_count(SMALL)) > 0


def test_values_are_those_of_a_search(small: Tablebase) -> None:
    positions = reachable(SMALL.start())
    for position in positions[:: len(positions) // 300]:
        found = solve(position, memory=1, tablebase=False)
        won = found.value == "win"
        assert (small.winner(position) == position.player) == won, str(position)


def test_interpreted_and_compiled_tables_are_the_same(
    small: Tablebase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = small.table.copy()
    for file in folder.glob("*.bin"):
        file.unlink()
    monkeypatch.setattr(tb, "_loaded", {})
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    rebuilt = build_tablebase(SMALL)
    assert rebuilt is not None
    assert np.array_equal(rebuilt.table, compiled)
    assert rebuilt.verify(0, 500) == 0
    monkeypatch.delenv("TEAHOUSE_INTERPRETED")
    assert solve(SMALL.start()).best == "wb2"


def test_solve_reads_it(small: Tablebase) -> None:
    solution = solve(SMALL.start())
    assert (solution.value, solution.best, solution.complete) == ("win", "wb2", True)
    position = SMALL.start()
    for move in solution.line:
        assert small.winner(position) == 0
        position = position.play(move)
    assert position.winners == (0,)
    with pytest.raises(ValueError, match="tablebase=False"):
        solution.strategies()
    assert solve(SMALL.start(), tablebase=False).strategies()


def test_analysis_and_the_strongest_bot_read_it(small: Tablebase) -> None:
    start = SMALL.start()
    analysis = th.analyse(start, engine="strongest")
    assert analysis.best == "wb2"
    assert {one.move for one in analysis.moves if one.proof == "win"} == {"wb2"}
    assert all(one.proof for one in analysis.moves)
    assert analysis.line[0] == "wb2"
    assert th.bot(SMALL, level=8).choose(start) == "wb2"
    lost = start.play("wa1")  # Black wins now
    assert th.analyse(lost, engine="strongest").proof == "win"
    after = lost.play(th.bot(SMALL, level=8, seed=1).choose(lost))
    assert small.winner(after) == 1
    assert th.bot(SMALL, level=7)._tablebase is None


def test_it_is_built_once(small: Tablebase, folder: Path) -> None:
    file = next(folder.glob("*.bin"))
    written = file.stat().st_mtime_ns
    assert build_tablebase(SMALL) is small
    assert file.stat().st_mtime_ns == written


def test_a_damaged_file_is_not_used(
    small: Tablebase,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    file = next(folder.glob("*.bin"))
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    monkeypatch.setattr(tb, "_loaded", {})
    assert find_tablebase(SMALL) is None
    assert "damaged" in caplog.text
    file.write_bytes(content[:-1])
    assert find_tablebase(SMALL) is None
    rebuilt = build_tablebase(SMALL)
    assert rebuilt is not None
    assert np.array_equal(rebuilt.table, small.table)


def test_cancelling_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tb, "BUILD_SLICE", 10)
    cancel, seen = Event(), list[float]()

    def progress(done: float) -> None:
        seen.append(done)
        cancel.set()

    assert build_tablebase(SMALL, progress, cancel) is None
    assert len(seen) == 1
    assert 0 < seen[0] < 1
    assert not list(folder.glob("*.bin"))
    assert find_tablebase(SMALL) is None


def test_unused_ones_of_other_versions_are_removed(folder: Path) -> None:
    folder.mkdir()
    old, used = (folder / f"orochi-side=2-{16 * digit}.bin" for digit in "01")
    for path in (old, used, folder / "notes.bin"):
        path.write_bytes(b"of another version")
        os.utime(path, (0, 0))
    mark_used(used, 0)
    build_tablebase(SMALL)
    current, others = stored_tablebases()
    assert len(current) == 1
    assert others == [used]
    assert {path.name for path in folder.glob("*.bin")} == {
        *(path.name for path in (*current, used)),
        "notes.bin",
    }
    os.utime(current[0], (0, 0))
    tb._loaded.clear()
    assert find_tablebase(SMALL)
    assert current[0].stat().st_mtime > 0  # in use


def test_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "WORTH_BUILDING", 1)
    arguments = ["teahouse", "solve", "orochi", "-o", "side=2", "--json"]
    monkeypatch.setattr("sys.argv", [*arguments, "--moves"])
    with pytest.raises(SystemExit, match="0"):
        main()
    found = json.loads(capsys.readouterr().out)
    assert found["value"] == "win"
    assert [move for move, value in found["moves"].items() if value == "win"] == ["wb2"]
    assert list(folder.glob("*.bin"))
    monkeypatch.setattr("sys.argv", [*arguments, "--no-tablebase"])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert json.loads(capsys.readouterr().out)["positions"] > 1


@pytest.mark.long
def test_side_3_is_a_win_for_black(folder: Path) -> None:
    found = build_tablebase(LARGE)
    assert found is not None
    assert found.winner(LARGE.start()) == 1
    last = position_count(LARGE) - 100_000
    generator = np.random.default_rng(1)
    for first in generator.integers(0, last, 20):
        assert found.verify(int(first), 100_000) == 0
