"""Solver: values compared with brute force, strategies verified, limits and cancellation."""

import json
import re
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest
from check_proof import BadProofError, check_strategy, check_text
from hypothesis import given, settings
from hypothesis import strategies as st
from support.positions import late_positions, maze
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.search.proof import dfpn
from teahouse.search.proof.dfpn_search import DRAW, DfpnSearch, Goal, zobrist_keys
from teahouse.search.proof.solve import SolveProgress, solve
from teahouse.search.proof.strategy import (
    Strategy,
    attacker_names,
    extract_strategy,
    outcome_names,
    strategy_lines,
)
from teahouse.terminal.commands import main

SMALL = th.load("orochi", side=2)


def teahouse(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from teahouse.terminal.commands import main; main()"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)


def can_force(position: th.Position, goal: Goal) -> bool:
    """Return whether a goal holds, by brute force."""
    game = position.game
    if position.over:
        won = {side for side, team in enumerate(game.teams) if set(team) & set(position.winners)}
        return bool((won or {DRAW}) & goal.outcomes)
    attacking = game.side(position.player) in goal.attackers
    return (any if attacking else all)(
        can_force(position.play(move), goal) for move in position.legal
    )


def value_of(position: th.Position) -> str | None:
    """Return the value for the player to move, by brute force."""
    sides = range(len(position.game.teams))
    winner = [side for side in sides if can_force(position, Goal.win(side))]
    if winner:
        return "win" if winner == [position.game.side(position.player)] else "loss"
    return "draw" if len(sides) == 2 else None


def verified_claims(strategies: list[Strategy]) -> list[str]:
    """Write strategies as text, verify the text and return its claims."""
    return check_text("\n".join(strategy_lines(strategies)) + "\n")


def names(strategy: Strategy) -> tuple[list[str], list[str]]:
    return attacker_names(strategy), outcome_names(strategy)


@pytest.mark.parametrize("table", ["two", "three", "teams"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_values_in_random_mazes_match_brute_force(table: str, seed: int) -> None:
    start = maze(table, seed)
    solution = solve(start, memory=1)
    assert solution.complete
    assert solution.value == value_of(start)
    assert solution.proven
    for strategy in solution.strategies():
        assert can_force(start, strategy.goal)
        check_strategy(start, *names(strategy), strategy.moves)


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_strategies_of_late_positions_are_verified_for_every_game(game: Game) -> None:
    verified = 0
    for seed in range(2):
        for position in late_positions(game, seed, 4):
            solution = solve(position, nodes=400, memory=8)
            assert bool(solution.line) == (solution.value is not None)
            strategies = solution.strategies()
            if 0 < sum(len(strategy.moves) for strategy in strategies) < 60:
                assert verified_claims(strategies) == solution.describe()
                verified += len(strategies)
    assert verified >= 5


def test_smallest_board_is_solved_from_the_start() -> None:
    solution = solve(SMALL.start())
    assert (solution.value, solution.complete) == ("win", True)
    assert solution.describe() == ["White can force a win"]
    assert verified_claims(solution.strategies()) == ["White can force a win"]
    position = SMALL.start()
    for move in solution.line:
        position = position.play(move)
    assert position.winners == (0,)
    # Of all first moves, one wins.
    after = {move: solve(SMALL.start().play(move)) for move in SMALL.start().legal}
    assert [move for move, found in after.items() if found.value == "loss"] == ["wb2"]
    # All others are equal to one of these by symmetry.
    for move in ("wb2", "bb2", "wa1", "ba1"):
        assert verified_claims(after[move].strategies()) == after[move].describe()


def test_proof_file_is_that_of_version_0_1_0() -> None:
    text = (Path(__file__).parent / "data" / "0.1.0" / "proof.txt").read_text(encoding="utf-8")
    assert check_text(text) == ["White can force a win"]
    assert "\n".join(strategy_lines(solve(SMALL.start()).strategies())) + "\n" == text


def test_invalid_strategies_are_rejected() -> None:
    (strategy,) = solve(SMALL.start()).strategies()
    attackers, outcomes = names(strategy)
    for position in list(strategy.moves)[:5]:
        others = {text: move for text, move in strategy.moves.items() if text != position}
        with pytest.raises(BadProofError):
            check_strategy(SMALL.start(), attackers, outcomes, others)
    with pytest.raises(BadProofError):
        check_strategy(SMALL.start(), attackers, ["Black"], strategy.moves)
    with pytest.raises(BadProofError):
        check_strategy(SMALL.start(), attackers, outcomes, strategy.moves | {"2/3/2 w": "ba1"})


def test_replaced_entries_are_proven_again() -> None:
    position = late_positions(th.load("orochi", side=3), 3, 9)[0]
    truth = solve(position)
    goal = Goal.win(0)
    search = DfpnSearch(position, goal, 1024 * 32, 100)
    while not search.run(1000):
        pass
    holds = search.probe(position.state)
    assert holds is (goal in truth.proven)
    strategy = extract_strategy(search, goal if holds else Goal.win(1), position)
    check_strategy(position, *names(strategy), strategy.moves)


def test_compiled_and_interpreted_search_expand_the_same_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    position = SMALL.start().play("wa1")
    compiled = solve(position)
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    interpreted = solve(position)
    assert (compiled.value, compiled.nodes) == (interpreted.value, interpreted.nodes)
    assert compiled.line == interpreted.line


def test_hashes_of_bytes_and_arrays_agree() -> None:
    state = SMALL.start().state
    keys = zobrist_keys(len(state))
    assert dfpn.zobrist_hash(keys, state) == dfpn.zobrist_hash(keys, list(state))
    assert len({dfpn.zobrist_hash(keys, bytes([*state[:8], n])) for n in range(256)}) == 256


def test_limits() -> None:
    large = th.load("orochi").start()
    solution = solve(large, nodes=500)
    assert (solution.value, solution.proven, solution.complete) == (None, (), False)
    assert solution.nodes == 500
    assert not solve(large, seconds=0.01).complete
    reports: list[SolveProgress] = []
    cancel = Event()

    def stop(progress: SolveProgress) -> None:
        reports.append(progress)
        cancel.set()

    assert not solve(large, progress=stop, cancel=cancel).complete
    assert len(reports) == 1
    assert reports[0].goal == "White can force a win"
    # A depth limit allows proofs within it but no disproofs.
    near = solve(SMALL.start(), depth=4)
    assert (near.value, near.complete) == (None, False)
    assert solve(SMALL.start(), depth=40).complete
    with pytest.raises(th.OptionError, match="memory must be"):
        solve(large, memory=0)
    with pytest.raises(th.OptionError, match="seconds must be"):
        solve(large, seconds=-1)
    over = SMALL.start()
    while not over.over:
        over = over.play(over.legal[0])
    with pytest.raises(ValueError, match="the game is over"):
        solve(over)


def test_command(tmp_path: Path) -> None:
    file = tmp_path / "proof.txt"
    done = teahouse("solve", "orochi", "-o", "side=2", "--moves", "--proof", str(file))
    assert done.returncode == 0, done.stderr
    assert "White to move: White wins." in done.stdout
    assert re.search(r"wb2 +win", done.stdout)
    assert re.search(r"bb2 +loss", done.stdout)
    assert check_text(file.read_text()) == ["White can force a win"]
    saved = tmp_path / "game.txt"
    record = th.Record.new(SMALL)
    record.play("wa1")
    saved.write_text(record.text())
    found = json.loads(teahouse("solve", "--record", str(saved), "--json").stdout)
    assert (found["value"], found["player"]) == ("win", "Black")
    done = teahouse("solve", "orochi", "--seconds", "0.1")
    assert done.returncode == 3
    assert "Not solved" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("orochi", "--position", "nonsense"),
        ("--record", "{folder}/none"),
        ("oolong", "--record", "{folder}/game.txt"),
        ("--record", "{folder}/game.txt", "--at", "9"),
    ],
)
def test_invalid_arguments(
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "game.txt").write_text(th.Record.new(SMALL).text())
    given = [argument.format(folder=tmp_path) for argument in arguments]
    monkeypatch.setattr(sys, "argv", ["teahouse", "solve", *given])
    with pytest.raises(SystemExit) as exit_info:
        main()
    assert exit_info.value.code == 2
    assert "Traceback" not in capsys.readouterr().err
