"""Benchmarks with peers: rows, ratios, and the history that `make bench-check` compares with."""

import sys
from pathlib import Path

import check
import cpu
import history
import pytest
import rl_cpu
import roofline
import search
from history import Entry

import teahouse as th
from teahouse.bench.measures import MEASURES, UNITS
from teahouse.bench.peers import Peers
from teahouse.bench.suite import Result, Row, measure


def test_every_kind_of_work_has_a_rate() -> None:
    assert MEASURES.keys() == UNITS.keys()
    game = th.load("orochi", side=3)
    rows = [Row(kind, game) for kind in ("playouts", "batch")]
    steps: list[tuple[int, int]] = []
    results = measure(
        rows, Peers(), rounds=2, seconds=0.01, progress=lambda *step: steps.append(step)
    )
    assert [result.row for result in results] == rows
    assert all(result.value > 0 and result.ratio is None for result in results)
    assert steps == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_peer_is_measured_in_the_same_run() -> None:
    pytest.importorskip("pyspiel")
    peers = Peers(openspiel=Peers.installed().openspiel)
    try:
        (result,) = measure(
            [Row("playouts", th.load("orochi", side=3))], peers, rounds=1, seconds=0.02
        )
    finally:
        peers.close()
    assert result.peer_value and result.ratio == result.value / result.peer_value


def test_names_of_rows_are_unique_and_say_the_board() -> None:
    rows = [*cpu.rows(), *search.rows(), *rl_cpu.rows()]
    names = [row.name for row in rows]
    assert len(set(names)) == len(names)
    assert "playouts orochi side=4" in names
    assert "playouts orochi side=4, 2 threads" in names


def test_the_history_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "HISTORY", tmp_path / "history.csv")
    assert history.read() == []
    row = Row("playouts", th.load("orochi"))
    history.save([Result(row, 20_000_000.0, 4_000_000.0)], "a machine")
    history.save([Result(row, 3e7, 5e6), Result(row, 1.0, None)], "a machine")
    entries = history.read()
    assert [(entry.value, entry.ratio) for entry in entries] == [(2e7, 5.0), (3e7, 6.0), (1, None)]
    assert {entry.machine for entry in entries} == {"a machine"}
    assert history.last(entries) == {(row.name, str(row.peer)): entries[1]}


def test_the_plot_is_written_into_a_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plot = tmp_path / "build" / "speed.svg"
    monkeypatch.setattr(sys, "argv", ["history.py", "--plot", str(plot)])
    history.main()
    assert plot.read_text(encoding="utf-8").startswith("<svg")


def test_the_check_finds_a_loss() -> None:
    row = Row("playouts", th.load("orochi"))
    before = Entry("", "", "", row.name, 1e7, str(row.peer), 5.0)
    assert check.lost(Result(row, 4.0, 1.0), before) == pytest.approx(0.2)
    assert check.lost(Result(row, 6.0, 1.0), before) < 0
    assert check.best(Result(row, 4.0, 1.0), Result(row, 3.0, 0.5)).ratio == 6.0


def test_the_stored_history_is_of_rows_that_exist() -> None:
    rows = {row.name for row in (*cpu.rows(), *search.rows(), *rl_cpu.rows())} | {*roofline.LIMITS}
    entries = history.read()
    assert entries
    for entry in entries:
        assert entry.row in rows or entry.row.startswith("GPU "), entry
        assert entry.value > 0 and (entry.ratio is None) == (entry.peer == "")
