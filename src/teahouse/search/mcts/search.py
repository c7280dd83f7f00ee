"""Tree search: one tree grown from a position, a number of simulations at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import game_seed
from teahouse.search.mcts.layout import LOG_ROOTS, MAX_PLAYERS, MAX_VISITS, NODE, ROOT, RUN, UCB
from teahouse.search.mcts.locate import locate
from teahouse.search.mcts.outcomes import solved
from teahouse.search.mcts.parallel import simulate_parallel
from teahouse.search.mcts.params import DEFAULT_PARAMS, SearchParams
from teahouse.search.mcts.reroot import reroot
from teahouse.search.mcts.sides import set_sides
from teahouse.search.mcts.tree import simulate

NODE_BYTES = NODE.itemsize + UCB.itemsize + 4  # and a target of `reroot`
MAX_SIMULATIONS = 1 << 30
MAX_ADVANCE = 12  # moves between two positions for the tree to be reused
MAX_LOCATE_MOVES = 5_000  # moves to play in order to find the new root


@dataclass(frozen=True)
class Child:
    """A child of a node."""

    node: int
    move: int
    visits: int
    value: float
    """Mean reward of the side that plays the move."""
    proof: int
    """Set of possible outcomes, see `outcomes`."""
    prior: float = 0.0
    """Probability of the move by a network's policy; 0 without a network."""


class TreeSearch:
    """Monte Carlo tree search with a bounded number of nodes.

    A full tree is searched on without growing. Several threads may run at once.
    """

    lcb = 0.0
    """The move to play is the most visited one; see `PuctParams.lcb`."""

    def __init__(
        self,
        position: Position,
        seed: int,
        memory: int,
        simulations: int,
        params: SearchParams = DEFAULT_PARAMS,
        threads: int = 1,
        backend: jit.Backend | None = None,
    ) -> None:
        """Allocate nodes for `simulations`, as far as `memory` bytes allow."""
        self._backend = backend = backend or jit.default_backend()
        game = position.game
        assert len(game.players) <= MAX_PLAYERS
        max_moves = game.layout.max_moves
        needed = 1 + max_moves * (1 + threads + simulations // params.expansion_threshold)
        self._size = max(1 + threads * max_moves, min(memory // NODE_BYTES, needed))
        self._nodes = backend.zero_records(self._size, NODE)
        self._ucb = backend.zero_records(self._size, UCB)
        self._params = params
        self.threads = threads
        self._kernel = backend.specialize(simulate if threads == 1 else simulate_parallel, game)
        self.reset(position, seed)
        self.run(0)  # compile now, before a caller measures time

    def reset(self, position: Position, seed: int) -> None:
        """Start an empty tree at a position."""
        seeds = [seed, *(game_seed(seed, number) for number in range(1, self.threads))]
        self._workers = [Worker(position.game, self._params, seed, self._backend) for seed in seeds]
        self._nodes[ROOT] = self._backend.zero_records(1, NODE)[0]
        self._set_root(position, used=1)

    def _set_root(self, position: Position, used: int) -> None:
        """Set the root's position and divide the free nodes among the workers."""
        self.position = position
        root = self._backend.as_records(np.frombuffer(position.state, position.game.layout.state))[
            0
        ]
        share = (self._size - used) // len(self._workers)
        for number, worker in enumerate(self._workers):
            worker.states[0] = root
            worker.run.next_free = used + number * share
            worker.run.end = used + (number + 1) * share
            worker.run.capacity = share

    def advance(self, position: Position) -> bool:
        """Re-root at a later position and return True, or False if the tree does not contain it."""
        depth = position.ply - self.position.ply
        if not 0 <= depth <= MAX_ADVANCE:
            return False
        node = self._locate(position, depth)
        if node < 0:
            return False
        ranges = self._backend.int_buffer(2 * len(self._workers))
        for number, worker in enumerate(self._workers):  # the first range includes reused nodes
            ranges[2 * number] = worker.run.end - worker.run.capacity if number else 0
            ranges[2 * number + 1] = worker.run.next_free
        targets = self._backend.zeros(self._used, np.int32)
        kernel = self._backend.specialize(reroot, position.game)
        self._set_root(position, used=int(kernel(self._nodes, self._ucb, ranges, targets, node)))
        return True

    def _locate(self, position: Position, depth: int) -> int:
        """Return the node of a position at a depth, or -1."""
        game = position.game
        states = np.zeros(depth + 2, game.layout.state)
        states[0] = np.frombuffer(self.position.state, game.layout.state)[0]
        states[-1] = np.frombuffer(position.state, game.layout.state)[0]
        records = self._backend.as_records(states)
        kernel = self._backend.specialize(locate, game)
        return int(
            kernel(
                *(self._backend.as_records(game.layout.board), records),
                self._backend.as_bytes(records),
                *(self._nodes, self._backend.int_buffer(depth + 1), depth, MAX_LOCATE_MOVES),
            )
        )

    @property
    def _used(self) -> int:
        """The end of the last range of allocated nodes."""
        return int(self._workers[-1].run.next_free)

    @property
    def simulations(self) -> int:
        """Simulations of all threads since the last reset."""
        return sum(int(worker.run.simulation) for worker in self._workers)

    def run(self, count: int, thread: int = 0) -> None:
        """Run `count` simulations, fewer if the root gets solved.

        Calls that overlap in time need different thread numbers.
        """
        worker = self._workers[thread]
        self._kernel(
            worker.boards, worker.states, worker.moves, self._nodes, self._ucb, worker.runs, count
        )

    @property
    def solved(self) -> bool:
        """Whether the outcome of the root is proven."""
        return solved(int(self._range(ROOT, ROOT + 1)["proof"][0]))

    @property
    def finished(self) -> bool:
        """Whether to search no longer: the root is solved, or cannot count more visits."""
        return self.solved or self._range(ROOT, ROOT + 1)["visits"][0] >= MAX_VISITS

    @property
    def memory(self) -> int:
        """Bytes that the tree may use."""
        return self._size * NODE_BYTES

    def signature(self) -> str:
        """Return a hash of the tree: it changes with any change of the search's behaviour."""
        nodes = self._range(0, self._used)
        ucb = self._backend.to_array(self._ucb, 0, self._used)
        links = ("visits", "move", "first_child", "child_count", "proof", "amaf_visits")
        digest = sha256()
        for names in (links, ("value", "amaf_value")):
            digest.update(np.stack([nodes[name] for name in names], axis=1).tobytes())
        digest.update(ucb["q"].tobytes())
        return digest.hexdigest()[:16]

    def children(self, node: int = ROOT) -> list[Child]:
        """Return the children of a node in the order of `legal`; none if it is not expanded."""
        _, _, first, count, *_ = self._range(node, node + 1).tolist()[0]
        return [
            Child(first + number, move, visits, value, proof)
            for number, (visits, move, _, _, proof, _, value, _) in enumerate(
                self._range(first, first + count).tolist()
            )
        ]

    def _range(self, begin: int, end: int) -> np.ndarray:
        return self._backend.to_array(self._nodes, begin, end)


class Worker:
    """Arguments of the kernel for one thread."""

    def __init__(self, game: Game, params: SearchParams, seed: int, backend: jit.Backend) -> None:
        self.boards = backend.as_records(game.layout.board)
        self.states = backend.zero_records(4, game.layout.state)
        self.moves = backend.move_buffers(1, game.layout.max_moves)[0]
        self.runs = backend.zero_records(1, RUN)
        self.run = backend.first(self.runs)
        self.run.seed = seed
        for name, value in vars(params).items():
            if name in (RUN.names or ()):
                setattr(self.run, name, value)
        self.run.log_roots[:] = [math.sqrt(math.log(n + 1.0)) for n in range(LOG_ROOTS)]
        set_sides(self.run, game)
        for side, players in enumerate(game.teams):
            self.run.player_of[side] = players[-1]
