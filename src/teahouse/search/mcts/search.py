"""A search: one tree grown from a position, some simulations at a time."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import game_seed
from teahouse.search.mcts import layout
from teahouse.search.mcts.layout import COUNT, FIRST, MOVE, PROOF, ROOT, VISITS, WIDTH
from teahouse.search.mcts.locate import find_way
from teahouse.search.mcts.outcomes import settled
from teahouse.search.mcts.parallel import simulate_together
from teahouse.search.mcts.params import DEFAULT_PARAMS, SearchParams
from teahouse.search.mcts.reroot import transplant
from teahouse.search.mcts.tree import simulate

ROW_BYTES = 4 * WIDTH + 2 * 8 + 4 + 4 + 4  # the last for `transplant`
MAX_SIMULATIONS = 1 << 30
FURTHEST_KEPT = 12  # decisions between two positions, for a tree to be kept
MAX_TRIED = 5_000  # moves played to find the way from one to the other


@dataclass(frozen=True)
class Child:
    """A move at a node of the tree."""

    node: int
    move: int
    visits: int
    score: float
    """For the side that decides, per visit."""
    proof: int


class TreeSearch:
    """A tree that takes no more bytes than given, nor more than so many simulations can fill.

    When it is full, simulations go on to sharpen what it holds. Several threads may run at once.
    """

    def __init__(
        self,
        position: Position,
        seed: int,
        memory: int,
        simulations: int,
        params: SearchParams = DEFAULT_PARAMS,
        threads: int = 1,
    ) -> None:
        game = position.game
        assert len(game.players) <= layout.MAX_PLAYERS
        max_moves = game.layout.max_moves
        can_fill = 1 + max_moves * (1 + threads + simulations // params.expansion_threshold)
        self._size = max(1 + threads * max_moves, min(memory // ROW_BYTES, can_fill))
        self._rows = _zeros(self._size * WIDTH, np.int32)
        self._scores = _zeros(2 * self._size, np.float64)
        self._worths = _zeros(self._size, np.float32)
        self._tree = (self._rows, self._scores, self._worths, _zeros(self._size, np.float32))
        self._params = params
        self._threads = threads
        self._kernel = jit.specialize(simulate if threads == 1 else simulate_together, game)
        self.reset(position, seed)
        self.run(0)  # has it compiled, so that whoever keeps time begins after that

    def reset(self, position: Position, seed: int) -> None:
        """Begin at a position with an empty tree."""
        game = position.game
        seeds = [seed, *(game_seed(seed, number) for number in range(1, self._threads))]
        self._hands = [_Hand(game, self._tree, seed, self._params) for seed in seeds]
        for field in range(WIDTH):
            self._rows[ROOT * WIDTH + field] = 0
        self._set_root(position, used=1)

    def _set_root(self, position: Position, used: int) -> None:
        """Begin at a position, and share out the rows that are free."""
        self.position = position
        root = jit.as_records(np.frombuffer(position.state, position.game.layout.state))[0]
        share = (self._size - used) // len(self._hands)
        for number, hand in enumerate(self._hands):
            hand.states[0] = root
            hand.notes[layout.USED] = used + number * share
            hand.notes[layout.END] = used + (number + 1) * share
            hand.notes[layout.ROOM] = share

    def advance(self, position: Position) -> bool:
        """Go on at a later position, and keep what grows there; whether the tree knows the way."""
        decisions = position.ply - self.position.ply
        if not 0 <= decisions <= FURTHEST_KEPT:
            return False
        node = self._node_of(position, decisions)
        if node < 0:
            return False
        spans = jit.int_buffer(2 * len(self._hands))
        for number, hand in enumerate(self._hands):  # what was kept before is the first one's too
            spans[2 * number] = hand.notes[layout.END] - hand.notes[layout.ROOM] if number else 0
            spans[2 * number + 1] = hand.notes[layout.USED]
        places = _zeros(self._used, np.int32)
        move = jit.specialize(transplant, position.game)
        self._set_root(position, used=int(move(*self._tree, spans, places, node)))
        return True

    def _node_of(self, position: Position, decisions: int) -> int:
        """The node so many decisions below the root that stands for a position, or -1."""
        game = position.game
        states = np.zeros(decisions + 2, game.layout.state)
        states[0] = np.frombuffer(self.position.state, game.layout.state)[0]
        states[-1] = np.frombuffer(position.state, game.layout.state)[0]
        records = jit.as_records(states)
        find = jit.specialize(find_way, game)
        return int(
            find(
                *(jit.as_records(game.layout.board), records, jit.as_bytes(records)),
                *(self._rows, jit.int_buffer(decisions + 1), decisions, MAX_TRIED),
            )
        )

    @property
    def _used(self) -> int:
        """The rows behind which none is in use."""
        return int(self._hands[-1].notes[layout.USED])

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
    def solved(self) -> bool:
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

    def __init__(self, game: Game, tree: tuple[Any, ...], seed: int, params: SearchParams) -> None:
        self.seed = seed
        self.simulations = 0
        self.states = jit.as_records(np.zeros(4, game.layout.state))
        self.notes = _new_notes(game)
        weights = _zeros(layout.WEIGHTS, np.float64)
        weights[layout.EXPLORATION] = params.exploration
        weights[layout.EXPAND_AFTER] = params.expansion_threshold
        weights[layout.FIRST_PLAY] = params.first_play_urgency
        weights[layout.PROOFS] = params.proofs
        weights[layout.TRUST] = params.rave_equivalence
        weights[layout.REPLAY] = params.amaf_threshold
        weights[layout.PRIOR] = params.prior_visits
        weights[layout.CUTOFF] = params.rollout_cutoff
        weights[layout.LEAN] = params.weighted_rollouts
        self.arguments = (
            jit.as_records(game.layout.board),
            self.states,
            jit.move_buffers(1, game.layout.max_moves)[0],
            *tree,
            self.notes,
            weights,
        )


def _new_notes(game: Game) -> Any:
    notes = _zeros(layout.NOTES, np.int64)
    sides = len(game.teams)
    notes[layout.SIDES] = sides
    for side, players in enumerate(game.teams):
        for player in players:
            notes[layout.SIDE + player] = side
            notes[layout.PLAYER + side] = player
            for winners in range(1 << len(game.players)):
                notes[layout.OUTCOME + winners] |= (winners >> player & 1) << side
    notes[layout.OUTCOME] = 1 << sides
    return notes


def _zeros(count: int, kind: Any) -> Any:
    """Zeros as `ready` kernels take them, with the range and the bytes of their kind either way."""
    if jit.interpreted():
        dtype = np.dtype(kind)
        return array(dtype.char, bytes(count * dtype.itemsize))
    return np.zeros(count, kind)
