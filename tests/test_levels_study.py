"""Stored results of the levels: used while budgets are the same, replaced by more games."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from level_results import Row, budget_text, read_rows, result_row, table, write_rows
from levels import rate_levels
from matches import Match, play_missing

import teahouse as th
from teahouse.search.arena import MatchResults, play_match

MATCH = Match("ladder", "orochi", (("side", 2),), ("level2", "level1"), 4)
GAME = th.load("orochi", side=2)


@pytest.fixture(scope="module")
def played() -> MatchResults:
    return play_match(GAME, MATCH.players, MATCH.games)


def no_games() -> MatchResults:
    return MatchResults(GAME, MATCH.players, ())


def test_a_stored_row_counts_while_the_budgets_are_the_same(played: MatchResults) -> None:
    row = result_row(MATCH, [], played)
    assert row is not None
    assert (row.games, row.first_budget) == (4, budget_text(GAME, "level2"))
    assert row.low <= row.score <= row.high
    assert result_row(MATCH, [row], no_games()) == row
    assert result_row(MATCH, [replace(row, second_budget="simulations=1")], no_games()) is None


def test_more_games_replace_a_stored_row(played: MatchResults) -> None:
    row = result_row(MATCH, [], played)
    assert row is not None
    fewer, more = replace(row, games=2, score=0.5), replace(row, games=200, score=0.5)
    found = result_row(MATCH, [fewer], played)
    assert found is not None
    assert (found.games, found.score) == (4, row.score)
    assert result_row(MATCH, [more], played) == more


def test_rows_are_read_as_they_were_written(played: MatchResults, tmp_path: Path) -> None:
    row = result_row(MATCH, [], played)
    assert row is not None
    path = tmp_path / "levels.csv"
    assert read_rows(path) == []
    write_rows([row, replace(row, options="side=3")], path)
    assert read_rows(path) == [row, replace(row, options="side=3")]


def test_the_table_of_the_repository_rates_every_measured_level() -> None:
    rows = read_rows()
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
