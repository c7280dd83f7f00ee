"""Puzzles: what their files promise, proofs of a sample, attempts, ratings, and the generator.

`make puzzles` proves all of them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from threading import Event

import pytest
from check_puzzles import check_puzzle
from support.variants import FOLDER, STUDIED, variants

import teahouse as th
from teahouse.core.canonical import canonical_key
from teahouse.core.packages import optional_module
from teahouse.search.puzzles.attempt import asked_position, hint, judge, solution
from teahouse.search.puzzles.generator import (
    MAX_GUESS,
    find_puzzles,
    record_games,
    search_games,
)
from teahouse.search.puzzles.prover import MAX_SEARCH_MOVES
from teahouse.search.puzzles.puzzle import FILE, daily_puzzle, parse_puzzle
from teahouse.search.puzzles.rating import fit_rating, guess_chance, own_moves
from teahouse.search.puzzles.selection import MAX_BYTES, select
from teahouse.search.puzzles.themes import LABELS, move_kinds, theme_labels
from teahouse.search.puzzles.work_folder import Candidate, WorkFolder
from teahouse.search.suite import NO_LOSS, WIN

every_game = pytest.mark.parametrize("name", STUDIED)
PUZZLES = 150
SAMPLE = 4
EFFORT = 20_000
ELOS = {1: 0.0, 2: 300.0, 3: 600.0, 4: 900.0, 5: 1200.0, 6: 1500.0}


def sample(name: str) -> list[th.Puzzle]:
    """Return puzzles that are fast to prove: those next to the end, with default options first."""
    rank = {one: (one.options, len(one.then), len(one.line)) for one in th.puzzles(name)}
    return sorted(th.puzzles(name), key=lambda one: rank[one])[:SAMPLE]


def long_puzzle(name: str) -> th.Puzzle:
    """Return the puzzle with the most moves to find."""
    return max(th.puzzles(name), key=lambda one: (len(one.line), one.number))


@every_game
def test_files(name: str) -> None:
    found = th.puzzles(name)
    assert len(found) >= PUZZLES
    lines = (FOLDER / name / FILE).read_bytes().splitlines()
    assert sum(len(line) + 1 for line in lines) <= MAX_BYTES
    assert [puzzle.text().encode() for puzzle in found] == lines
    assert [puzzle.number for puzzle in found] == list(range(1, len(found) + 1))
    assert [puzzle.rating for puzzle in found] == sorted(puzzle.rating for puzzle in found)
    keys = {(one.position.game, canonical_key(one.position)) for one in found}
    assert len(keys) == len(found), "symmetric positions"
    labels = theme_labels(name)
    for puzzle in found:
        assert puzzle.goal in (WIN, NO_LOSS)
        assert guess_chance(puzzle.position, puzzle.line) <= MAX_GUESS
        assert set(puzzle.themes) <= set(labels)
        assert len(solution(puzzle)) == len(puzzle.line) + len(puzzle.then)


@every_game
def test_answers_of_a_sample_are_proven(name: str) -> None:
    for puzzle in sample(name):
        check_puzzle(puzzle)


@every_game
def test_wrong_claims_are_rejected(name: str) -> None:
    puzzle = sample(name)[0]
    wrong = next(move for move in puzzle.position.legal if move != puzzle.line[0])
    with pytest.raises(AssertionError):
        check_puzzle(replace(puzzle, line=(wrong,), then=()))


@every_game
def test_attempts(name: str) -> None:
    puzzle = long_puzzle(name)
    answers = [move for at, move in own_moves(puzzle.position, puzzle.line) if len(at.legal) > 1]
    for number in range(1, len(answers) + 1):
        verdict = judge(puzzle, answers[:number])
        assert verdict.right
        assert verdict.solved == (number == len(answers))
        position, _ = asked_position(puzzle, answers[: number - 1])
        assert verdict.steps[0].before == position
        wrong = next(move for move in position.legal if move != answers[number - 1])
        refuted = judge(puzzle, [*answers[: number - 1], wrong])
        assert not refuted.right
        assert refuted.say.startswith("Not this move.")
        clicks, said = hint(puzzle, answers[: number - 1])
        assert said
        path = position.click_path(answers[number - 1])
        assert clicks == (path[:1] if len(path) > 1 else ())
    with pytest.raises(th.IllegalMove, match="solved"):
        judge(puzzle, [*answers, answers[-1]])
    with pytest.raises(th.IllegalMove, match="at least one"):
        judge(puzzle, [])
    with pytest.raises(th.IllegalMove, match="Illegal move"):
        judge(puzzle, ["nonsense"])
    wrong = next(move for move in puzzle.position.legal if move != puzzle.line[0])
    with pytest.raises(th.IllegalMove, match="only the last move"):
        judge(puzzle, [wrong, wrong])


def test_refutations_are_replied() -> None:
    replied = 0
    for name in STUDIED:
        for puzzle in th.puzzles(name):
            for move in puzzle.position.legal if puzzle.replies else ():
                reply = puzzle.reply(move)
                if reply is not None:
                    assert reply in puzzle.position.play(move).legal
                    replied += 1
            if replied % 5 == 0:
                break
    assert replied


@pytest.mark.parametrize("name", STUDIED)
def test_puzzles_are_read_once_for_all_options(name: str) -> None:
    variant = next(game for game in variants(name) if game != th.load(name))
    assert th.puzzles(variant) is th.puzzles(name) is th.puzzles(name.upper())


def test_unknown_numbers() -> None:
    from teahouse.search.puzzles.puzzle import puzzle

    name = STUDIED[0]
    for number in (0, -1, len(th.puzzles(name)) + 1):
        with pytest.raises(th.OptionError, match="numbers: 1 to"):
            puzzle(name, number)


def test_the_daily_puzzle_is_fixed_and_changes() -> None:
    games = tuple(STUDIED)
    days = [date(2027, 1, 1) + timedelta(days=number) for number in range(60)]
    found = [daily_puzzle(games, day) for day in days]
    assert found == [daily_puzzle(games, day) for day in days]
    assert {one.game for one in found} == set(games)
    assert len({(one.game, one.number) for one in found}) > 40


def test_ratings_follow_the_levels() -> None:
    seeds = 10
    steps = [
        fit_rating([0] * level + [seeds] * (6 - level), seeds, 0.1, ELOS) for level in range(7)
    ]
    assert steps == sorted(steps)
    assert steps[0] == 0
    assert 300 < steps[2] < 900
    assert steps[6] > 1500
    lucky = [4, 3, 4, 10, 10, 10]  # as often as guesses would be right
    assert fit_rating(lucky, seeds, 1 / 3, ELOS) > fit_rating(lucky, seeds, 0.01, ELOS)


@every_game
def test_guesses(name: str) -> None:
    puzzle = sample(name)[0]
    assert guess_chance(puzzle.position, puzzle.line[:1]) == 1 / len(puzzle.position.legal)


@every_game
def test_themes_of_moves(name: str) -> None:
    own = optional_module(name, "themes")
    assert own is not None
    assert not set(own.THEMES) & set(LABELS)
    for puzzle in sample(name):
        assert set(move_kinds(puzzle.position, puzzle.line[0])) <= set(own.THEMES)


def played_record(puzzle: th.Puzzle) -> th.Record:
    """Return a record that starts with a puzzle and ends with its solution."""
    record = th.Record(puzzle.position.game, puzzle.position)
    for move in (*puzzle.line, *puzzle.then):
        record.play(move)
    return record


@every_game
def test_the_generator_finds_a_puzzle_again(name: str) -> None:
    puzzle = sample(name)[0]
    found = dict(find_puzzles(played_record(puzzle), EFFORT))
    assert puzzle.position in found or any(
        puzzle.position.state in {step.before.state for step in solution(other)}
        for other in (
            replace(puzzle, start=str(at), line=one.line, then=()) for at, one in found.items()
        )
    )


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    puzzle = sample(STUDIED[0])[0]
    game = puzzle.position.game
    records = tmp_path / "records"
    records.mkdir()
    for number in range(2):
        (records / f"{number}.txt").write_text(played_record(puzzle).text())
    (records / "broken.txt").write_text("no record")
    cancel = Event()
    reported: list[list[Candidate]] = []

    def stop(found: list[Candidate]) -> None:
        reported.append(found)
        if len(reported) == 2:
            cancel.set()

    folder = tmp_path / "work"
    work = WorkFolder(folder, game)
    search_games(game, record_games([records]), work, stop, cancel, EFFORT)
    assert len(reported) == 2
    with (folder / "games.jsonl").open("a") as file:
        file.write('{"game": "cut')
    opened = WorkFolder.open(folder)
    assert opened is not None
    assert opened.game == game
    assert len(opened.read()) == 2
    again: list[list[Candidate]] = []
    search_games(game, record_games([records]), opened, again.append, Event(), EFFORT)
    assert again[:2] == reported
    assert len(again) == 3
    stored = [one for searched_before in opened.read().values() for one in searched_before.found]
    selected = select([(game, one) for one in stored], 10)
    assert len(selected) == len({one.start for one in selected})
    for number, one in enumerate(selected, 1):
        assert parse_puzzle(game.name, number, one.text()) == one
    assert WorkFolder.open(records) is None
    with (folder / "games.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(th.OptionError, match=r"line 4 is no searched game .* delete the file"):
        opened.read()


def test_more_effort_searches_a_game_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = sample(STUDIED[0])[0]
    (tmp_path / "game.txt").write_text(played_record(puzzle).text())
    work = WorkFolder(tmp_path / "work", puzzle.position.game)
    efforts = []

    def find(record: th.Record, effort: int) -> list[Candidate]:
        efforts.append(effort)
        return []

    monkeypatch.setattr("teahouse.search.puzzles.generator.find_puzzles", find)

    def search(effort: int) -> None:
        reported: list[list[Candidate]] = []
        sources = record_games([tmp_path])
        search_games(work.game, sources, work, reported.append, Event(), effort)
        assert len(reported) == 1

    for effort in (10, 10, 20, 15):
        search(effort)
    assert efforts == [10, 20]
    old = {"game": str(tmp_path / "game.txt"), "found": []}
    (tmp_path / "work" / "games.jsonl").write_text(f"{json.dumps(old)}\n")
    search(MAX_SEARCH_MOVES)
    search(MAX_SEARCH_MOVES + 1)
    assert efforts == [10, 20, MAX_SEARCH_MOVES + 1]


@pytest.mark.long
@every_game
def test_all_answers_are_proven(name: str) -> None:
    for puzzle in th.puzzles(name):
        check_puzzle(puzzle)
