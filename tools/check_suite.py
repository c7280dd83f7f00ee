"""The suites' answers, checked: the solver finds a proof for every move, and the proofs are played
through by `proof_check`, which knows nothing but the rules.

    python tests/suite_check.py [GAME …]     all problems of these games, or of all
"""

import sys
from time import perf_counter

from support.proof_check import check_strategy

import teahouse as th
from teahouse.search.proof.dfpn_search import DRAW, Goal
from teahouse.search.proof.strategy import Forced, outcome, strategy
from teahouse.search.suite import WIN_THIS_TURN, Judge, Problem, claims, decisions, problems

MEMORY = 64 << 20
DEPTH = 200
MOST = 1_000_000_000


def check(problem: Problem) -> int:
    """Check a problem; how many positions came up."""
    assert problem.moves
    assert set(problem.moves) < set(problem.position.legal)
    if problem.kind == WIN_THIS_TURN:
        return check_wins_this_turn(problem)
    looked_at = 0
    judge = Judge(problem.position, MEMORY, DEPTH, MOST)
    for move in problem.position.legal:
        looked_at += check_move(judge, problem, move)
    return looked_at


def check_wins_this_turn(problem: Problem) -> int:
    """Right are the moves after which the same player goes on to win, by looking at all ways."""
    player = problem.position.player
    looked_at = 0
    for move in problem.position.legal:
        waiting = [problem.position.play(move)]
        seen = set()
        wins = False
        while waiting:
            position = waiting.pop()
            looked_at += 1
            if position.over:
                wins |= player in position.winners
            elif position.player == player and position.state not in seen:
                seen.add(position.state)
                waiting += map(position.play, position.legal)
        assert wins == (move in problem.moves), move
    return looked_at


def check_move(judge: Judge, problem: Problem, move: str) -> int:
    """Prove what has to be proven about a move, and check the proofs."""
    after = problem.position.play(move)
    right = move in problem.moves
    wanted = list(claims(problem.position, problem.keeps, right))
    if after.over:
        assert right == (
            all(outcome(after) in claim.outcomes for claim in wanted)
            if right
            else not any(outcome(after) in claim.outcomes for claim in wanted)
        )
        return 1
    within = decisions(problem.keeps)
    game = after.game
    holding = []
    for claim in wanted:
        # Within so many decisions only wins are looked for, so that what keeps one from winning is
        # the refutation of that.
        if (
            judge.holds(after, claim.negation(game), within) is False
            if right
            else (judge.holds(after, claim, within))
        ):
            holding.append(claim)
    assert holding == wanted if right else holding, f"{move} is not proven"
    return sum(
        check_claim(judge, after, claim, within) for claim in (holding if right else holding[:1])
    )


def check_claim(judge: Judge, position: th.Position, claim: Goal, within: int) -> int:
    prover = judge.prover(claim)
    if prover.probe(position.state, within) is not True:  # proven as its denial's refutation
        prover = judge.prover(claim.negation(position.game))
    forced = strategy(prover, claim, position, within=within)
    return check_strategy(position, *named(forced), forced.moves, within)


def named(forced: Forced) -> tuple[list[str], list[str]]:
    game = forced.position.game
    names = ["+".join(game.players[player] for player in team) for team in game.teams]
    ends = ["draw" if end == DRAW else names[end] for end in sorted(forced.claim.outcomes)]
    return [names[side] for side in sorted(forced.claim.attackers)], ends


def main() -> None:
    for name in sys.argv[1:] or th.games():
        for number, problem in enumerate(problems(name), 1):
            began = perf_counter()
            looked_at = check(problem)
            seconds = perf_counter() - began
            print(
                f"{name} {number}: {problem.kind}, {looked_at:,} positions, {seconds:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
