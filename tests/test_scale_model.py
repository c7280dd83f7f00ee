"""The model of many games at once: it runs on the measured costs, and keeps its own bounds."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from scale_model import Costs, Demand, Plan, cost_table, plan, plan_table

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
DEMAND = Demand(games=10_000, move_seconds=12.0, apart=1.0, load=0.6, database_cores=32)


def planned(games: int) -> Plan:
    return plan(replace(DEMAND, games=games), Costs.read())


def test_the_command_prints_plans() -> None:
    command = [sys.executable, str(BENCHMARKS / "scale_model.py"), "--games", "1000"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert json.loads(printed)["games"] == 1_000


def test_the_document_has_the_current_tables() -> None:
    """`python benchmarks/scale_model.py --markdown` prints them."""
    text = (BENCHMARKS.parent / "docs" / "scale.md").read_text()
    assert cost_table(Costs.read()) in text
    assert plan_table([planned(games) for games in (10_000, 1_000_000)]) in text


@pytest.mark.parametrize("games", [100, 10_000, 1_000_000])
def test_a_plan_bears_its_games(games: int) -> None:
    found, costs = planned(games), Costs.read()
    unit = found.unit
    assert found.units * unit.games >= games
    assert unit.house_cores <= unit.servers * 2 * DEMAND.load
    assert unit.database_cores <= DEMAND.database_cores * DEMAND.load
    assert unit.commits_per_second * costs.flush_ms / 1e3 <= DEMAND.load
    needed = games / DEMAND.move_seconds * (costs.house_ms + costs.follower_ms) / 1e3
    assert found.house_cores >= needed


def test_more_games_need_more() -> None:
    plans = [planned(games) for games in (1_000, 10_000, 100_000, 1_000_000)]
    for name in ("servers", "house_cores", "database_cores", "memory_gb", "network_gbit"):
        numbers = [getattr(one, name) for one in plans]
        assert numbers == sorted(numbers)
        assert numbers[0] < numbers[-1]


def test_a_slow_disk_means_more_moves_in_a_commit() -> None:
    quick, slow = (
        plan(DEMAND, replace(Costs.read(), flush_ms=flush)).unit.moves_per_commit
        for flush in (0.1, 10.0)
    )
    assert slow > quick
