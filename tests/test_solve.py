"""Solving: values against brute force, proofs checked move by move, limits and interruptions."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.positions import maze
from support.proof_check import BadProofError, check_strategy, check_text
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.search.proof import dfpn
from teahouse.search.proof.dfpn_search import DRAW, DfpnSearch, Goal, zobrist_keys
from teahouse.search.proof.solve import Effort, Solution, solve
from teahouse.search.proof.strategy import strategy, written

SMALL = th.load("orochi", side=2)


def teahouse(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from teahouse.terminal.commands import main; main()"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)


def can_force(position: th.Position, claim: Goal) -> bool:
    """Brute force: whether a claim holds."""
    game = position.game
    if position.over:
        won = {side for side, team in enumerate(game.teams) if set(team) & set(position.winners)}
        return bool((won or {DRAW}) & claim.outcomes)
    forces = any(position.player in game.teams[side] for side in claim.attackers)
    return (any if forces else all)(
        can_force(position.play(move), claim) for move in position.legal
    )


def value_of(position: th.Position) -> str | None:
    """Brute force: win, draw or loss for the player who decides."""
    sides = range(len(position.game.teams))
    own = next(side for side in sides if position.player in position.game.teams[side])
    winner = [
        side for side in sides if can_force(position, Goal.win(side))
    ]
    if winner:
        return "win" if winner == [own] else "loss"
    return "draw" if len(sides) == 2 else None


def checked(solution: Solution) -> list[str]:
    """The claims of a solution's written proofs, all checked."""
    claims = check_text("\n".join(written(solution.proofs())) + "\n")
    assert claims == solution.describe()
    return claims


@pytest.mark.parametrize("table", ["two", "three", "teams"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_values_in_random_mazes_are_those_of_brute_force(table: str, seed: int) -> None:
    start = maze(table, seed)
    solution = solve(start, memory=1)
    assert solution.complete
    assert solution.value == value_of(start)
    assert solution.claims
    for proof in solution.proofs():
        assert can_force(start, proof.claim)
        check_strategy(start, *named(start, proof.claim), proof.moves)


def named(position: th.Position, claim: Goal) -> tuple[list[str], list[str]]:
    game = position.game
    names = ["+".join(game.players[player] for player in team) for team in game.teams]
    ends = ["draw" if end == DRAW else names[end] for end in sorted(claim.outcomes)]
    return [names[side] for side in sorted(claim.attackers)], ends


def late_positions(game: Game, seed: int, decisions: int) -> list[th.Position]:
    """The last positions of a random game, the latest first."""
    chance = random.Random(seed)
    positions = [game.start(seed)]
    while not positions[-1].over:
        positions.append(positions[-1].play(chance.choice(positions[-1].legal)))
    return positions[-2 : -2 - decisions : -1]


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_late_positions_of_all_games_with_proofs_checked(game: Game) -> None:
    claims = 0
    for seed in range(2):
        for position in late_positions(game, seed, 4):
            solution = solve(position, positions=400, memory=8)
            assert bool(solution.line) == (solution.value is not None)
            if 0 < sum(len(proof.moves) for proof in solution.proofs()) < 60:
                claims += len(checked(solution))
    assert claims >= 5


def test_the_smallest_board_is_solved_from_the_start() -> None:
    solution = solve(SMALL.start())
    assert (solution.value, solution.complete) == ("win", True)
    assert checked(solution) == ["White can force a win"]
    position = SMALL.start()
    for move in solution.line:
        position = position.play(move)
    assert position.winners == (0,)
    # Every first move, each with its own proof: one alone wins.
    values = {move: solve(SMALL.start().play(move)) for move in SMALL.start().legal}
    assert [move for move, after in values.items() if after.value == "loss"] == ["wb2"]
    for after in values.values():
        checked(after)


def test_wrong_proofs_are_found_out() -> None:
    (proof,) = solve(SMALL.start()).proofs()
    by, ends = named(SMALL.start(), proof.claim)
    for position in list(proof.moves)[:5]:
        left = {text: move for text, move in proof.moves.items() if text != position}
        with pytest.raises(BadProofError):
            check_strategy(SMALL.start(), by, ends, left)
    with pytest.raises(BadProofError):
        check_strategy(SMALL.start(), by, ["Black"], proof.moves)
    with pytest.raises(BadProofError):
        check_strategy(SMALL.start(), by, ends, proof.moves | {"2/3/2 w": "ba1"})


def test_a_small_table_and_forgotten_entries_do_no_harm() -> None:
    (position,) = late_positions(th.load("orochi", side=3), 3, 9)[-1:]
    truth = solve(position)
    claim = Goal.win(0)
    prover = DfpnSearch(position, claim, 1024 * 32, 100)
    while not prover.run(1000):
        pass
    holds = prover.probe(position.state)
    assert holds is (claim in truth.claims)
    kept = claim if holds else Goal.win(1)
    forced = strategy(prover, kept, position)
    check_strategy(position, *named(position, kept), forced.moves)


def test_compiled_and_interpreted_look_at_the_same_positions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    position = SMALL.start().play("wa1")
    compiled = solve(position)
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    interpreted = solve(position)
    assert (compiled.value, compiled.positions) == (interpreted.value, interpreted.positions)
    assert compiled.line == interpreted.line


def test_states_hash_alike_as_bytes_and_rows() -> None:
    state = SMALL.start().state
    codes = zobrist_keys(len(state))
    assert dfpn.zobrist_hash(codes, state) == dfpn.zobrist_hash(codes, list(state))
    assert len({dfpn.zobrist_hash(codes, bytes([*state[:8], n])) for n in range(256)}) == 256


def test_limits() -> None:
    large = th.load("orochi").start()
    solution = solve(large, positions=500)
    assert (solution.value, solution.claims, solution.complete) == (None, (), False)
    assert solution.positions == 500
    assert not solve(large, seconds=0.01).complete
    told: list[Effort] = []
    cancel = Event()

    def stop(effort: Effort) -> None:
        told.append(effort)
        cancel.set()

    assert not solve(large, progress=stop, cancel=cancel).complete
    assert len(told) == 1
    assert told[0].claim == "White can force a win"
    # A horizon proves wins within it and takes nothing beyond it for refuted.
    near = solve(SMALL.start(), depth=4)
    assert (near.value, near.complete) == (None, False)
    assert solve(SMALL.start(), depth=40).complete
    with pytest.raises(th.OptionError, match="memory is"):
        solve(large, memory=0)
    with pytest.raises(th.OptionError, match="seconds is"):
        solve(large, seconds=-1)
    over = SMALL.start()
    while not over.over:
        over = over.play(over.legal[0])
    with pytest.raises(ValueError, match="nothing to solve"):
        solve(over)


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "proof.txt"
    done = teahouse("solve", "orochi", "-o", "side=2", "--moves", "--proof", str(file))
    assert done.returncode == 0, done.stderr
    assert "White to decide: White wins." in done.stdout
    assert re.search(r"wb2 +win", done.stdout)
    assert re.search(r"bb2 +loss", done.stdout)
    assert check_text(file.read_text()) == ["White can force a win"]
    kept = tmp_path / "game.txt"
    record = th.Record.new(SMALL)
    record.play("wa1")
    kept.write_text(record.text())
    found = json.loads(teahouse("solve", "--record", str(kept), "--json").stdout)
    assert (found["value"], found["player"]) == ("win", "Black")
    done = teahouse("solve", "orochi", "--seconds", "0.1")
    assert done.returncode == 3
    assert "Not solved" in done.stdout
    for arguments in (
        (),
        ("orochi", "--position", "nonsense"),
        ("--record", str(tmp_path / "none")),
        ("oolong", "--record", str(kept)),
        ("--record", str(kept), "--at", "9"),
    ):
        done = teahouse("solve", *arguments)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
