"""Check the games' puzzles: prove every answer right and all other moves wrong, verify the proofs.

    python tools/check_puzzles.py [GAME …] [--every N]     of all games by default; each Nth puzzle

A puzzle is a test position for every move of its line that the player has to find, with the only
correct move given. `check_suite` proves these, and `check_proof` replays the proofs by the rules
alone; nothing of the generator is used.
"""

import argparse
from time import perf_counter

from check_suite import DEPTH, MAX_MOVES, MEMORY, check

import teahouse as th
from teahouse.search.suite import (
    THE_ONLY_MOVE,
    WIN,
    MoveClassifier,
    Problem,
    goals,
)


def check_puzzle(puzzle: th.Puzzle) -> int:
    """Raise AssertionError if a claim is wrong; return the number of positions visited."""
    visited = sum(check(problem) for problem in problems(puzzle))
    check_goal(puzzle)
    check_replies(puzzle)
    position = puzzle.position
    for move in (*puzzle.line, *puzzle.then):
        assert move in position.legal, f"{move} is illegal"
        position = position.play(move)
    return visited


def problems(puzzle: th.Puzzle) -> list[Problem]:
    """Return each decision of the line that the player has to take, with its only right move."""
    game = puzzle.position.game
    side = game.side(puzzle.position.player)
    found = []
    position = puzzle.position
    for move in puzzle.line:
        if game.side(position.player) == side and len(position.legal) > 1:
            found.append(Problem(position, THE_ONLY_MOVE, puzzle.goal, (move,)))
        position = position.play(move)
    assert found
    assert found[0].position == puzzle.position
    assert found[-1].moves == puzzle.line[-1:], "the line ends with a move to find"
    return found


def check_goal(puzzle: th.Puzzle) -> None:
    """Check that no move wins where the goal is only not to lose."""
    if puzzle.goal == WIN:
        return
    position = puzzle.position
    classifier = MoveClassifier(position, MEMORY, DEPTH, MAX_MOVES)
    for move in position.legal:
        assert classifier.is_correct(move, WIN) is False, f"{move} wins"


def check_replies(puzzle: th.Puzzle) -> None:
    """Check that each reply is legal and keeps what refutes the wrong move."""
    position = puzzle.position
    classifier = MoveClassifier(position, MEMORY, DEPTH, MAX_MOVES)
    assert len(puzzle.replies) in (0, len(position.legal))
    for move in position.legal:
        reply = puzzle.reply(move)
        if reply is None:
            continue
        assert move != puzzle.line[0], "the right move has a refutation"
        after = position.play(move).play(reply)
        refuting = goals(position, puzzle.goal, correct=False)
        assert any(classifier.holds(after, goal) for goal in refuting), f"{move} {reply}"


def main() -> None:
    """Check the games of the command line and print a line for each puzzle."""
    parser = argparse.ArgumentParser(description="Prove every puzzle and verify the proofs.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="all games by default")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth puzzle")
    arguments = parser.parse_args()
    for name in arguments.games or th.games():
        found = th.puzzles(name)[:: arguments.every]
        for puzzle in found:
            start = perf_counter()
            visited = check_puzzle(puzzle)
            seconds = perf_counter() - start
            text = f"{name} {puzzle.number}: {puzzle.goal}, {len(puzzle.line)} plies"
            print(f"{text}, {visited:,} positions, {seconds:.1f} s", flush=True)
        print(f"{name}: {len(found)} puzzles proven")


if __name__ == "__main__":
    main()
