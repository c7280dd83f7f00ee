"""Players without a search, to compare others with."""

from __future__ import annotations

from teahouse.core.position import Position
from teahouse.core.random import advance, bounded, generator

EQUAL = 1e-9  # evaluations that differ by less are a tie


class RandomPlayer:
    """Plays uniformly random moves."""

    def choose(self, position: Position, *, seed: int) -> str:
        """Return a random legal move."""
        return position.legal[bounded(advance(generator(seed)), len(position.legal))]


class GreedyPlayer:
    """Looks one move ahead: wins if it can, else takes the move with the best evaluation.

    A reference for the first levels: it plays like a person who knows only the rules. In a game
    without an evaluation of its own all unfinished positions are equal. Ties are broken at random.
    """

    def choose(self, position: Position, *, seed: int) -> str:
        """Return a move to the position that is best for the player to move."""
        gains = [self._gain(position, move) for move in position.legal]
        best = max(gains)
        moves = [
            move for move, gain in zip(position.legal, gains, strict=True) if gain > best - EQUAL
        ]
        return moves[bounded(advance(generator(seed)), len(moves))]

    @staticmethod
    def _gain(position: Position, move: str) -> float:
        """Return the score of a finished position, else its evaluation."""
        game, state = position.game, position.unpack()
        game.rules.play(game.board, state, position.move(move))
        if not state.over:
            return float(game.rules.evaluate(game.board, state, position.player))
        winners = game.rules.winners(game.board, state, [0] * game.layout.max_moves)
        return float(winners >> position.player & 1) if winners else 1 / len(game.teams)
