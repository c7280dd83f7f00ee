"""Winning strategies (proof trees): a move for every position where the attackers decide.

To verify one, play all moves of the defenders against it; every game must end as claimed. That
needs nothing but the rules.

    [Game "orochi"]
    [Options "side=2"]
    [Start "2/3/2 w 0"]

    [Claim "White can force a win"]
    [By "White"]
    [Ends "White"]
    2/3/2 w = wb2
    …

`By` are the attackers and `Ends` the outcomes they force. Each line below is a position without its
ply number, and the move. If plies are limited, ` @` and the number of plies left follow the
position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from teahouse.core.position import Position
from teahouse.core.pyrecord import pack
from teahouse.core.record import Record
from teahouse.search.proof.dfpn_search import DRAW, DfpnSearch, Goal, side_name

MAX_RETRIES = 3
RETRY_NODES = 100_000  # nodes between checks whether a lost entry is proven again


@dataclass(frozen=True)
class Strategy:
    """A goal that can be forced from a position, and the moves that force it."""

    goal: Goal
    position: Position
    moves: dict[str, str]
    """The move for each position, as in the lines of a file."""


def extract_strategy(
    search: DfpnSearch,
    goal: Goal,
    root: Position,
    progress: Callable[[int], None] | None = None,
    max_plies: int = 0,
) -> Strategy:
    """Walk the proof tree from the root and collect the attackers' moves.

    The goal is that of the search, if it was proven, or its negation, if it was disproven. With
    `max_plies`, the search's goal counts only within that number of plies.
    """
    game = root.game
    moves: dict[str, str] = {}
    seen = {(root.state, max_plies)}
    stack = [(root, max_plies)]
    while stack:
        position, left = stack.pop()
        if position.over:
            assert outcome(position) in goal.outcomes
            continue
        if max_plies and left == 0:
            assert goal.attackers != search.goal.attackers
            continue
        if _attacker_to_move(goal, position):
            chosen = _forcing_move(search, goal, position, left)
            text = game.notation.move_text(game.board, position.unpack(), chosen)
            moves[_without_ply(position) + (f" @{left}" if max_plies else "")] = text
            children = [_child(position, chosen)]
        else:
            children = [
                _child(position, found.move) for found in search.probe_moves(position.state)
            ]
        for child in children:
            key = (child.state, left - 1 if max_plies else 0)
            if key not in seen:
                seen.add(key)
                stack.append((child, key[1]))
        if progress is not None and len(seen) % 256 == 0:
            progress(len(seen))
    return Strategy(goal, root, moves)


def principal_move(searches: Iterable[tuple[Goal, DfpnSearch]], position: Position) -> str:
    """Return a move that keeps all goals of the player to move.

    A player who attacks in none of them gets the move that took the most work to refute.
    """
    game = position.game
    for goal, search in searches:
        if _attacker_to_move(goal, position):
            move = _forcing_move(search, goal, position)
            break
    else:
        _, search = next(iter(searches))
        move = max(search.probe_moves(position.state), key=lambda found: found.work).move
    text: str = game.notation.move_text(game.board, position.unpack(), move)
    return text


def strategy_lines(strategies: Iterable[Strategy]) -> Iterator[str]:
    """Yield the lines of a file with these strategies, all of one position."""
    for number, strategy in enumerate(strategies):
        game, goal = strategy.position.game, strategy.goal
        if number == 0:
            head = Record(game, strategy.position).text().splitlines()
            yield from (
                line for line in head if line.startswith(("[Game ", "[Options ", "[Start "))
            )
        yield ""
        yield f'[Claim "{goal.describe(game)}"]'
        yield f'[By "{" ".join(attacker_names(strategy))}"]'
        yield f'[Ends "{" ".join(outcome_names(strategy))}"]'
        for position, move in strategy.moves.items():
            yield f"{position} = {move}"


def attacker_names(strategy: Strategy) -> list[str]:
    """Return the names of the sides that force the goal."""
    game = strategy.position.game
    return [side_name(game, side) for side in sorted(strategy.goal.attackers)]


def outcome_names(strategy: Strategy) -> list[str]:
    """Return the outcomes that are forced: names of sides, or `draw`."""
    game = strategy.position.game
    return [
        "draw" if outcome == DRAW else side_name(game, outcome)
        for outcome in sorted(strategy.goal.outcomes)
    ]


def outcome(position: Position) -> int:
    """Return the side that has won a finished game, or DRAW."""
    for side, team in enumerate(position.game.teams):
        if set(team) & set(position.winners):
            return side
    return DRAW


def _without_ply(position: Position) -> str:
    return str(position).rpartition(" ")[0]


def _attacker_to_move(goal: Goal, position: Position) -> bool:
    return any(position.player in position.game.teams[side] for side in goal.attackers)


def _forcing_move(search: DfpnSearch, goal: Goal, position: Position, left: int = 0) -> int:
    """Return the move that keeps the goal with the least work, proven again if it was replaced."""
    wanted = goal.attackers == search.goal.attackers
    for _ in range(MAX_RETRIES):
        found = [one for one in search.probe_moves(position.state, left) if one.proven is wanted]
        if found:
            return min(found, key=lambda one: one.work).move
        search.set_root(position.state, left)
        while not search.run(RETRY_NODES):
            pass
    raise RuntimeError("The proof does not fit in the transposition table; give it more memory.")


def _child(position: Position, move: int) -> Position:
    """Return the position after a move given by its number."""
    game = position.game
    state = position.unpack()
    game.rules.play(game.board, state, move)
    return Position(game, pack(state, game.layout.state), position.ply + 1)
