"""Expected scores of all sides, read from a search tree."""

from __future__ import annotations

from teahouse.core.position import Position
from teahouse.search.mcts.search import Child, TreeSearch
from teahouse.search.puct.search import PuctSearch

MAX_DEPTH = 12
"""Decisions to look ahead for one of each side."""


def side_scores(
    position: Position, search: TreeSearch | PuctSearch, best: Child, value: float
) -> tuple[float, ...]:
    """Return the expected score of each side after a move that is worth `value` to its player.

    They add up to 1. A node knows only the score of the side that chose it. With more than two
    sides, that of each other side is the mean of the moves among which it chooses next on the
    principal variation.
    """
    game = position.game
    own, count = game.side(position.player), len(game.teams)
    if count == 2:
        return (value, 1.0 - value) if own == 0 else (1.0 - value, value)
    state = position.unpack()
    game.rules.play(game.board, state, best.move)
    means: dict[int, float] = {}
    node = best.node
    for _ in range(MAX_DEPTH):
        children = [child for child in search.children(node) if child.visits]
        if state.over or not children or len(means) == count - 1:
            break
        side = game.side(state.player)
        if side != own and side not in means:
            visits = sum(child.visits for child in children)
            means[side] = sum(child.visits * child.value for child in children) / visits
        chosen = max(children, key=lambda child: child.visits)
        game.rules.play(game.board, state, chosen.move)
        node = chosen.node
    rest = 1.0 - value
    others = {side: means.get(side, rest / (count - 1)) for side in range(count) if side != own}
    if state.over:
        winners = game.rules.winners(game.board, state, [0] * game.layout.max_moves)
        for side in others.keys() - means.keys():
            won = any(winners >> player & 1 for player in game.teams[side])
            others[side] = float(won) if winners else 1 / count
    total = sum(others.values())
    return tuple(
        value if side == own else rest * others[side] / total if total else rest / (count - 1)
        for side in range(count)
    )
