"""Baseline players without a search."""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.jit import rules
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
        game = position.game
        states = np.zeros(2, game.layout.state)
        states[0] = np.frombuffer(position.state, game.layout.state)[0]
        kernel = jit.specialize(best_move, game)
        index = kernel(
            jit.as_records(game.layout.board),
            jit.as_records(states),
            jit.move_buffers(2, game.layout.max_moves),
            len(game.teams),
            generator(seed),
        )
        return position.legal[int(index)]


def best_move(boards: Any, states: Any, moves: Any, sides: int, random: int) -> int:
    """Return the index of the move from states[0] to the best position, of a random one of ties."""
    board = boards[0]
    player = int(states[0].player)
    best = -1.0
    ties = 0
    chosen = 0
    for index in range(rules.legal(board, states[0], moves[0])):
        states[1] = states[0]
        rules.play(board, states[1], moves[0][index])
        if states[1].over:
            winners = int(rules.winners(board, states[1], moves[1]))
            gain = float(winners >> player & 1) if winners else 1.0 / sides
        else:
            gain = float(rules.evaluate(board, states[1], player))
        if gain > best + EQUAL:
            best = gain
            ties = 0
        if gain > best - EQUAL:
            ties += 1
            random = advance(random)
            if bounded(random, ties) == 0:
                chosen = index
    return chosen
