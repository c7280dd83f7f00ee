"""A search: one tree grown from a position, some simulations at a time."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from teahouse.core import compiling
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import game_seed
from teahouse.search import rows
from teahouse.search.company import simulate_together
from teahouse.search.outcomes import settled
from teahouse.search.rows import COUNT, FIRST, MOVE, PROOF, ROOT, VISITS, WIDTH
from teahouse.search.settings import DEFAULT, Settings
from teahouse.search.transplant import transplant
from teahouse.search.tree import simulate

ROW_BYTES = 4 * WIDTH + 2 * 8 + 4 + 4
MOST_SIMULATIONS = 1 << 30


@dataclass(frozen=True)
class Child:
    """A move at a node of the tree."""

    node: int
    move: int
    visits: int
    score: float
    """For the side that decides, per visit."""
    proof: int


class Search:
    """A tree that takes no more bytes than given, nor more than so many simulations can fill.

    When it is full, simulations go on to sharpen what it holds. Several threads may run at once.
    """

    def __init__(
        self,
        position: Position,
        seed: int,
        memory: int,
        simulations: int,
        settings: Settings = DEFAULT,
        threads: int = 1,
    ) -> None:
        game = position.game
        assert len(game.players) <= rows.MOST_PLAYERS
        most_moves = game.layout.most_moves
        can_fill = 1 + most_moves * (1 + threads + simulations // settings.expand_after)
        self._size = max(1 + threads * most_moves, min(memory // ROW_BYTES, can_fill))
        self._rows = _zeros(self._size * WIDTH, np.int32)
        self._scores = _zeros(2 * self._size, np.float64)
        self._worths = _zeros(self._size, np.float32)
        self._doubts = _zeros(self._size, np.float32)
        self._kernel = compiling.ready(simulate if threads == 1 else simulate_together, game)
        arrays = (self._rows, self._scores, self._worths, self._doubts)
        self._hands = [
            _Hand(game, arrays, game_seed(seed, number) if number else seed, settings)
            for number in range(threads)
        ]
        self._set_root(position, used=1)
        self.run(0)  # has it compiled, so that whoever keeps time begins after that

    def _set_root(self, position: Position, used: int) -> None:
        """Begin at a position, and share out the rows that are free."""
        self.position = position
        root = compiling.records(np.frombuffer(position.state, position.game.layout.state))[0]
        share = (self._size - used) // len(self._hands)
        for number, hand in enumerate(self._hands):
            hand.states[0] = root
            hand.notes[rows.USED] = used + number * share
            hand.notes[rows.END] = used + (number + 1) * share
            hand.notes[rows.ROOM] = share

    @property
    def _used(self) -> int:
        """The rows behind which all are empty."""
        return int(self._hands[-1].notes[rows.USED])

    def follow(self, moves: list[int], position: Position) -> None:
        """Make the position after these moves the root, and keep of the tree what grows there."""
        node = ROOT
        for move in moves:
            node = next(child.node for child in self.children(node) if child.move == move)
        used = self._used
        if node != ROOT:
            used = int(
                compiling.ready(transplant, position.game)(
                    *(self._rows, self._scores, self._worths, self._doubts),
                    *(_zeros(used, np.int32), node, used),
                )
            )
        self._set_root(position, used)

    @property
    def simulations(self) -> int:
        """How many were run."""
        return sum(hand.simulations for hand in self._hands)

    def run(self, count: int, thread: int = 0) -> None:
        """Run so many simulations more, or fewer if it gets known how the game ends.

        Threads that run at the same time have different numbers.
        """
        hand = self._hands[thread]
        first = hand.simulations
        end = first + count
        hand.simulations = int(self._kernel(*hand.arguments, hand.seed, first, end))

    @property
    def settled(self) -> bool:
        """Whether it is known how the game ends."""
        return settled(self._rows[ROOT * WIDTH + PROOF])

    @property
    def memory(self) -> int:
        """How many bytes the tree may grow to."""
        return self._size * ROW_BYTES

    def signature(self) -> str:
        """A hash of the whole tree: it changes with any change in how the search goes."""
        digest = sha256()
        for numbers, width in ((self._rows, WIDTH), (self._scores, 2), (self._worths, 1)):
            digest.update(memoryview(numbers)[: self._used * width])
        return digest.hexdigest()[:16]

    def children(self, node: int = ROOT) -> list[Child]:
        """The moves at a node in the order of `legal`; none where the tree ends."""
        first, count = (int(self._rows[node * WIDTH + field]) for field in (FIRST, COUNT))
        return [
            Child(
                child,
                int(self._rows[child * WIDTH + MOVE]),
                int(self._rows[child * WIDTH + VISITS]),
                float(self._scores[2 * child]),
                int(self._rows[child * WIDTH + PROOF]),
            )
            for child in range(first, first + count)
        ]


class _Hand:
    """What a thread needs to grow the tree: a seed, and arrays of its own."""

    def __init__(
        self, game: Game, tree_arrays: tuple[Any, ...], seed: int, settings: Settings
    ) -> None:
        self.seed = seed
        self.simulations = 0
        self.states = compiling.records(np.zeros(4, game.layout.state))
        self.notes = _new_notes(game)
        weights = _zeros(rows.WEIGHTS, np.float64)
        for index, weight in enumerate(settings.weights()):
            weights[index] = weight
        self.arguments = (
            compiling.records(game.layout.board),
            self.states,
            compiling.move_lists(1, game.layout.most_moves)[0],
            *tree_arrays,
            self.notes,
            weights,
        )


def _new_notes(game: Game) -> Any:
    notes = _zeros(rows.NOTES, np.int64)
    sides = len(game.teams)
    notes[rows.SIDES] = sides
    for side, players in enumerate(game.teams):
        for player in players:
            notes[rows.SIDE + player] = side
            notes[rows.PLAYER + side] = player
            for winners in range(1 << len(game.players)):
                notes[rows.OUTCOME + winners] |= (winners >> player & 1) << side
    notes[rows.OUTCOME] = 1 << sides
    return notes


def _zeros(count: int, kind: Any) -> Any:
    """Zeros as `ready` kernels take them, with the range and the bytes of their kind either way."""
    if compiling.interpreted():
        dtype = np.dtype(kind)
        return array(dtype.char, bytes(count * dtype.itemsize))
    return np.zeros(count, kind)
