"""Stored results of the levels: used while budgets are the same, replaced or joined by others."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from level_results import (
    Row,
    budget_text,
    effective_games,
    pool,
    read_rows,
    result_rows,
    table,
    write_rows,
)
from levels import rate_levels
from matches import Match, play_missing

import teahouse as th
from teahouse.search.arena import MatchResults, play_match
from teahouse.search.arena.ratings import wilson

MATCH = Match("ladder", "orochi", (("side", 2),), ("level2", "level1"), 4)
GAME = th.load("orochi", side=2)


@pytest.fixture(scope="module")
def played() -> MatchResults:
    return play_match(GAME, MATCH.players, MATCH.games)


def no_games() -> MatchResults:
    return MatchResults(GAME, MATCH.players, ())


@pytest.fixture(scope="module")
def row(played: MatchResults) -> Row:
    (row,) = result_rows(MATCH, [], played, seed=0)
    return row


def test_a_stored_row_counts_while_the_budgets_are_the_same(row: Row) -> None:
    assert (row.games, row.seed, row.first_budget) == (4, 0, budget_text(GAME, "level2"))
    assert row.low <= row.score <= row.high
    assert result_rows(MATCH, [row], no_games(), seed=0) == [row]
    assert result_rows(MATCH, [replace(row, second_budget="simulations=1")], no_games(), 0) == []


def test_more_games_replace_a_stored_row(played: MatchResults, row: Row) -> None:
    fewer, more = replace(row, games=2, score=0.5), replace(row, games=200, score=0.5)
    (found,) = result_rows(MATCH, [fewer], played, seed=0)
    assert (found.games, found.score) == (4, row.score)
    assert result_rows(MATCH, [more], played, seed=0) == [more]


def test_games_of_another_seed_stand_beside_the_stored_ones(played: MatchResults, row: Row) -> None:
    stored = replace(row, games=200)
    first, second = result_rows(MATCH, [stored], played, seed=3)
    assert first == stored
    assert (second.seed, second.games, second.score) == (3, 4, row.score)


def test_runs_of_a_match_are_pooled(row: Row) -> None:
    score = {name: round(getattr(wilson(0.7, 50), name), 3) for name in ("low", "high")}
    run = replace(row, games=60, score=0.7, elo=100.0, elo_low=0.0, elo_high=200.0, **score)
    assert effective_games(run) == pytest.approx(50, rel=0.02)
    other = replace(row, options="side=3")
    pooled, alone = pool([run, other, replace(run, seed=1, games=20, score=0.5, elo=300.0)])
    assert alone == other
    assert (pooled.games, pooled.score) == (80, 0.65)
    assert pooled.elo == 200
    assert pooled.elo_high - pooled.elo_low == pytest.approx(200 / 2**0.5, abs=0.2)
    twice = pool([run, replace(run, seed=1)])[0]
    expected = wilson(0.7, 100)
    assert (twice.games, twice.score) == (120, 0.7)
    assert twice.low == pytest.approx(expected.low, abs=0.002)
    assert twice.high == pytest.approx(expected.high, abs=0.002)


@pytest.mark.parametrize("score", [0.0, 0.03, 0.5, 1.0])
@pytest.mark.parametrize("games", [20, 400])
def test_an_interval_tells_its_games(row: Row, score: float, games: float) -> None:
    interval = wilson(score, games)
    run = replace(row, score=score, low=interval.low, high=interval.high)
    assert effective_games(run) == pytest.approx(games)


def test_rows_are_read_as_they_were_written(row: Row, tmp_path: Path) -> None:
    path = tmp_path / "levels.csv"
    assert read_rows(path) == []
    rows = [row, replace(row, seed=1), replace(row, options="side=3")]
    write_rows(rows, path)
    assert read_rows(path) == rows


def test_the_table_of_the_repository_rates_every_measured_level() -> None:
    rows = pool(read_rows())
    assert table(rows, "ladder")[2:]
    ladders: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        if row.kind == "ladder":
            ladders.setdefault((row.game, row.options), {})[row.first] = row
    for steps in ladders.values():
        ratings = rate_levels(steps)
        assert [one.level for one in ratings] == list(range(1, len(ratings) + 1))
        assert [one.score for one in ratings[1:]] == [
            steps[f"level{one.level}"].score for one in ratings[1:]
        ]


@dataclass(frozen=True)
class Square:
    """The result of one task of a study."""

    number: int
    square: int


def squared(number: int) -> Square:
    return Square(number, number * number)


@pytest.mark.parametrize("torn", ["", "num", "number,square\n1,1\n12,14"])
def test_the_torn_line_of_a_killed_study_is_dropped(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "study" / "squares.csv"
    path.parent.mkdir()
    path.write_text(torn)
    assert list(play_missing(squared, [(12,), (3,)], Square, 1, path)) == [squared(12), squared(3)]
    kept = "1,1\n" if "1,1\n" in torn else ""
    assert path.read_text() == f"number,square\n{kept}12,144\n3,9\n"
