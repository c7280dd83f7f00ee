"""Check the games' test positions: prove every move correct or wrong and verify each proof.

    python tools/check_suite.py [GAME …]     all problems of these games; of all games by default

`check_proof` replays the proofs by the rules alone.
"""

import sys
from time import perf_counter

from check_proof import check_strategy

import teahouse as th
from teahouse.search.proof.dfpn_search import Goal
from teahouse.search.proof.strategy import (
    attacker_names,
    extract_strategy,
    outcome,
    outcome_names,
)
from teahouse.search.suite import (
    WIN_THIS_TURN,
    MoveClassifier,
    Problem,
    goals,
    ply_limit,
    problems,
)

MEMORY = 64 << 20
DEPTH = 200
MAX_MOVES = 1_000_000_000


def check(problem: Problem) -> int:
    """Raise AssertionError if an answer is wrong; return the number of positions visited."""
    assert problem.moves
    assert set(problem.moves) < set(problem.position.legal)
    if problem.kind == WIN_THIS_TURN:
        return check_wins_this_turn(problem)
    classifier = MoveClassifier(problem.position, MEMORY, DEPTH, MAX_MOVES)
    return sum(check_move(classifier, problem, move) for move in problem.position.legal)


def check_wins_this_turn(problem: Problem) -> int:
    """Search all continuations of the same player's turn for a win."""
    player = problem.position.player
    visited = 0
    for move in problem.position.legal:
        stack = [problem.position.play(move)]
        seen = set()
        wins = False
        while stack:
            position = stack.pop()
            visited += 1
            if position.over:
                wins |= player in position.winners
            elif position.player == player and position.state not in seen:
                seen.add(position.state)
                stack += map(position.play, position.legal)
        assert wins == (move in problem.moves), move
    return visited


def check_move(classifier: MoveClassifier, problem: Problem, move: str) -> int:
    """Prove a move correct or wrong and verify the proofs."""
    child = problem.position.play(move)
    correct = move in problem.moves
    wanted = list(goals(problem.position, problem.objective, correct))
    if child.over:
        reached = [outcome(child) in goal.outcomes for goal in wanted]
        assert correct == (all(reached) if correct else not any(reached))
        return 1
    max_plies = ply_limit(problem.objective)
    proven = []
    for goal in wanted:
        # Only wins are searched for within a ply limit: preventing one is proven as its disproof.
        negation = goal.negation(child.game)
        holds = (
            classifier.holds(child, negation, max_plies) is False
            if correct
            else classifier.holds(child, goal, max_plies)
        )
        if holds:
            proven.append(goal)
    assert proven == wanted if correct else proven, f"{move} is not proven"
    return sum(
        check_goal(classifier, child, goal, max_plies)
        for goal in (proven if correct else proven[:1])
    )


def check_goal(
    classifier: MoveClassifier, position: th.Position, goal: Goal, max_plies: int
) -> int:
    """Verify the strategy of a proven goal; return the number of positions visited."""
    search = classifier.search(goal)
    if search.probe(position.state, max_plies) is not True:  # proven as its negation's disproof
        search = classifier.search(goal.negation(position.game))
    strategy = extract_strategy(search, goal, position, max_plies=max_plies)
    attackers, outcomes = attacker_names(strategy), outcome_names(strategy)
    return check_strategy(position, attackers, outcomes, strategy.moves, max_plies)


def main() -> None:
    """Check the games of the command line and print a line for each problem."""
    for name in sys.argv[1:] or th.games():
        for number, problem in enumerate(problems(name), 1):
            start = perf_counter()
            visited = check(problem)
            seconds = perf_counter() - start
            print(
                f"{name} {number}: {problem.kind}, {visited:,} positions, {seconds:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
