"""A search: one tree grown from a position, some simulations at a time."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from teahouse.core import compiling
from teahouse.core.position import Position
from teahouse.search import tree
from teahouse.search.settings import DEFAULT, Settings
from teahouse.search.tree import COUNT, FIRST, MOVE, PROOF, ROOT, VISITS, WIDTH

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

    When it is full, simulations go on to sharpen what it holds.
    """

    def __init__(
        self,
        position: Position,
        seed: int,
        memory: int,
        simulations: int,
        settings: Settings = DEFAULT,
    ) -> None:
        game = position.game
        assert len(game.players) <= tree.MOST_PLAYERS
        self.position = position
        self.sides = len(game.teams)
        self.simulations = 0
        self._seed = seed
        most_moves = game.layout.most_moves
        can_fill = 1 + most_moves * (2 + simulations // settings.expand_after)
        size = max(1 + most_moves, min(memory // ROW_BYTES, can_fill))
        self._states = compiling.records(np.zeros(3, game.layout.state))
        self._set_root(position)
        self._rows = _zeros(size * WIDTH, np.int32)
        self._scores = _zeros(2 * size, np.float64)
        self._worths = _zeros(size, np.float32)
        self._doubts = _zeros(size, np.float32)
        self._notes = self._new_notes()
        self._weights = _zeros(tree.WEIGHTS, np.float64)
        for index, weight in enumerate(settings.weights()):
            self._weights[index] = weight
        self._kernel = compiling.ready(tree.simulate, game)
        self._arguments = (
            compiling.records(game.layout.board),
            self._states,
            compiling.move_lists(1, most_moves)[0],
            self._rows,
            self._scores,
            self._worths,
            self._doubts,
            self._notes,
            self._weights,
        )
        self.run(0)  # has it compiled, so that whoever keeps time begins after that

    def _new_notes(self) -> Any:
        game = self.position.game
        notes = _zeros(tree.NOTES, np.int64)
        notes[tree.USED] = 1
        notes[tree.SIDES] = self.sides
        for side, players in enumerate(game.teams):
            for player in players:
                notes[tree.SIDE + player] = side
                notes[tree.PLAYER + side] = player
                for winners in range(1 << len(game.players)):
                    notes[tree.OUTCOME + winners] |= (winners >> player & 1) << side
        notes[tree.OUTCOME] = 1 << self.sides
        return notes

    def _set_root(self, position: Position) -> None:
        self.position = position
        root = np.frombuffer(position.state, position.game.layout.state)
        self._states[0] = compiling.records(root)[0]

    def follow(self, moves: list[int], position: Position) -> None:
        """Make the position after these moves the root, and keep of the tree what grows there."""
        node: int | None = ROOT
        for move in moves:
            children = self.children(node) if node is not None else []
            node = next((child.node for child in children if child.move == move), None)
        used = int(self._notes[tree.USED])
        if node is None:
            node = used  # a place where nothing grows
            assert used < len(self._worths)
            used = self._notes[tree.USED] = used + 1
        if node != ROOT:
            transplant = compiling.ready(tree.transplant, position.game)
            transplant(
                self._rows,
                self._scores,
                self._worths,
                self._doubts,
                self._notes,
                _zeros(used, np.int32),
                node,
            )
        self._set_root(position)

    def run(self, count: int) -> None:
        """Run so many simulations more, or fewer if it gets known how the game ends."""
        first = self.simulations
        self.simulations = int(self._kernel(*self._arguments, self._seed, first, first + count))

    @property
    def settled(self) -> bool:
        """Whether it is known how the game ends."""
        return tree.settled(self._rows[ROOT * WIDTH + PROOF])

    @property
    def full(self) -> bool:
        """Whether a node's children may find no room any more."""
        most_moves = self.position.game.layout.most_moves
        return bool(self._notes[tree.USED] + most_moves > len(self._worths))

    @property
    def memory(self) -> int:
        """How many bytes the tree may grow to."""
        return len(self._worths) * ROW_BYTES

    def signature(self) -> str:
        """A hash of the whole tree: it changes with any change in how the search goes."""
        used = int(self._notes[tree.USED])
        digest = sha256()
        for numbers, width in ((self._rows, WIDTH), (self._scores, 2), (self._worths, 1)):
            digest.update(memoryview(numbers)[: used * width])
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


def _zeros(count: int, kind: Any) -> Any:
    """Zeros as `ready` kernels take them, with the range and the bytes of their kind either way."""
    if compiling.interpreted():
        dtype = np.dtype(kind)
        return array(dtype.char, bytes(count * dtype.itemsize))
    return np.zeros(count, kind)
