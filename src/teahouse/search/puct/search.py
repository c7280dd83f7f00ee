"""PUCT search: one tree grown from a position, its leaves evaluated by a network in batches."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from threading import Condition
from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.encoding import draft_type, encoded_rules, observation_spec
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.pyrecord import pack, unpack
from teahouse.search.mcts.layout import MAX_VISITS
from teahouse.search.mcts.outcomes import solved
from teahouse.search.mcts.search import Child
from teahouse.search.mcts.sides import set_sides
from teahouse.search.networks import Network
from teahouse.search.puct.evaluator import Evaluator
from teahouse.search.puct.layout import MAX_DEPTH, MAX_PLAYERS, ROOT, RUN, node_type
from teahouse.search.puct.params import PuctParams
from teahouse.search.puct.tree import back_up_evaluations, reroot_tree, select_leaves

PUCT_KERNELS: tuple[jit.Kernel, ...] = (select_leaves, back_up_evaluations, reroot_tree)
MAX_ADVANCE = 12  # moves between two positions for the tree to be reused
MAX_LOCATE_MOVES = 500  # moves to play in order to find the new root
CACHE_SHARE = 4  # 1 / share of the memory for cached evaluations
NO_NODE = -1  # node of a move whose first actions were not visited
WAIT_SECONDS = 0.05  # timeout for another thread's evaluations


class PuctSearch:
    """Tree search with a network, with a bounded number of nodes.

    A full tree is searched on without growing. Several threads may run at once.
    """

    def __init__(
        self,
        position: Position,
        seed: int,
        memory: int,
        simulations: int,
        network: Network,
        params: PuctParams,
        threads: int = 1,
        backend: jit.Backend | None = None,
    ) -> None:
        """Allocate nodes for `simulations`, as far as `memory` bytes allow."""
        self._backend = backend = backend or jit.default_backend()
        self.threads = threads
        game = position.game
        assert len(game.players) <= MAX_PLAYERS
        self._params = params
        self.lcb = params.lcb
        """See `PuctParams`."""
        self._cache_bytes = memory // CACHE_SHARE
        self._evaluator = Evaluator(network, seed, self._cache_bytes)
        actions = observation_spec(game).action_count
        width = min(actions, game.layout.max_moves)
        dtype = node_type(len(game.teams))
        needed = 1 + actions + width * (1 + simulations)
        node_bytes = dtype.itemsize + 4  # plus a target of `reroot_tree`
        fitting = (memory - self._cache_bytes) // node_bytes
        self._size = max(1 + actions, min(fitting, needed))
        self._nodes = backend.zero_records(self._size, dtype)
        rules = encoded_rules(game)
        self._select = backend.specialize(select_leaves, game, rules)
        self._back_up = backend.specialize(back_up_evaluations, game, rules)
        self._reroot = backend.specialize(reroot_tree, game, rules)
        self._lock = Condition()
        self._workers = [Worker(game, params.batch, backend) for _ in range(threads)]
        self._runs = backend.zero_records(1, RUN)
        self._run = backend.first(self._runs)
        for name, value in vars(params).items():
            if name in (RUN.names or ()):
                setattr(self._run, name, value)
        set_sides(self._run, game)
        self._run.end = self._size
        self.reset(position, seed)
        if not backend.interpreted:
            for kernel in PUCT_KERNELS:  # compile now, before a caller measures time
                compile_puct_kernel(kernel, game)

    def reset(self, position: Position, seed: int) -> None:
        """Start an empty tree at a position; evaluations stay cached, with the first seed."""
        self._nodes[ROOT] = self._backend.zero_records(1, node_type(len(position.game.teams)))[0]
        self.simulations = 0
        """Simulations of all threads since the last reset."""
        self._failed = False
        self._set_root(position, used=1)

    def _set_root(self, position: Position, used: int) -> None:
        self.position = position
        self._run.next_free = used
        root = self._backend.as_records(
            np.frombuffer(position.state, position.game.layout.state).copy()
        )[0]
        for worker in self._workers:
            worker.states[0] = root

    def run(self, count: int, thread: int = 0) -> None:
        """Run `count` simulations, fewer if the root gets solved.

        Calls that overlap in time need different thread numbers. After an exception the tree has
        leaves that wait for their evaluation: it is searched no longer until it is reset.
        """
        try:
            while count > 0 and not (self.solved or self._failed):
                count -= self._run_batch(self._workers[thread], count)
        except BaseException:  # of the network, or Ctrl-C
            self._failed = True
            raise

    def _run_batch(self, worker: Worker, limit: int) -> int:
        """Select, evaluate and back up a batch of leaves; return the number of simulations."""
        with self._lock:
            growth = int(self.root_visits / self._params.batch_growth)
            size = min(limit, self._params.batch, 1 + growth)
            selected = worker.select(self._select, self._nodes, self._runs, size)
            known = int(self._run.known)
            self.simulations += known
            if selected == 0:
                if known == 0:  # another thread is evaluating the next leaf
                    self._lock.wait(WAIT_SECONDS)
                return known
        logits, values = self._evaluator.evaluate(worker.planes[:selected])
        with self._lock:
            worker.back_up(self._back_up, self._nodes, self._runs, logits, values, selected)
            self.simulations += selected
            self._lock.notify_all()
        return known + selected

    def advance(self, position: Position) -> bool:
        """Re-root at a later position and return True, or False if the tree does not contain it."""
        depth = position.ply - self.position.ply
        if self._failed or not 0 <= depth <= MAX_ADVANCE:
            return False
        node = self._locate(position, depth)
        if node < 0:
            return False
        end = int(self._run.next_free)
        targets = self._backend.zeros(end, np.int32)
        self._set_root(position, used=int(self._reroot(self._nodes, targets, node, end)))
        return True

    def _locate(self, position: Position, depth: int) -> int:
        """Return the node of a position at a depth, or -1; try the most visited moves first."""
        game = position.game
        left = MAX_LOCATE_MOVES

        def search(state: bytes, node: int, depth: int) -> int:
            nonlocal left
            if depth == 0:
                return node if state == position.state else -1
            for child in sorted(self._moves(node), key=lambda child: -child.visits):
                if child.visits == 0 or left == 0:
                    return -1
                left -= 1
                record = unpack(np.frombuffer(state, game.layout.state)[0])
                game.rules.play(game.board, record, child.move)
                found = search(pack(record, game.layout.state), child.node, depth - 1)
                if found >= 0:
                    return found
            return -1

        return search(self.position.state, ROOT, depth)

    @property
    def solved(self) -> bool:
        """Whether the outcome of the root is proven."""
        return solved(int(self._root["proof"]))

    @property
    def finished(self) -> bool:
        """Whether to search no longer: solved, failed, or the root cannot count more visits."""
        return self.solved or self._failed or self.root_visits >= MAX_VISITS

    @property
    def root_visits(self) -> int:
        """Visits of the root, with those of a reused tree."""
        return int(self._root["visits"])

    @property
    def nodes(self) -> np.ndarray:
        """The records of all nodes (`layout.node_type`)."""
        return self._range(0, int(self._run.next_free))

    @property
    def memory(self) -> int:
        """Bytes that the tree and the cached evaluations may use."""
        itemsize = node_type(len(self.position.game.teams)).itemsize
        return self._size * (itemsize + 4) + self._cache_bytes

    @property
    def evaluations(self) -> int:
        """Positions that the network has evaluated."""
        return self._evaluator.evaluations

    def signature(self) -> str:
        """Return a hash of the tree: it changes with any change of the search's behaviour."""
        nodes = self.nodes
        names = ("visits", "pending", "action", "move", "first_child", "child_count", "proof")
        links = np.stack([nodes[name] for name in names], axis=1)
        return sha256(links.astype(np.int64).tobytes()).hexdigest()[:16]

    def children(self, node: int = ROOT) -> list[Child]:
        """Return the moves after a node; none if it is not evaluated.

        The root's are in the order of `legal`, and complete: with compound moves, one whose first
        actions were not visited has no node.
        """
        found = list(self._moves(node))
        if node != ROOT or not found:
            return found
        by_move = {child.move: child for child in found}
        legal = [self.position.move(text) for text in self.position.legal]
        return [by_move.get(move) or Child(NO_NODE, move, 0, 0.0, 0) for move in legal]

    def _moves(self, node: int) -> Iterator[Child]:
        """Yield the complete moves after a node, those of a compound move by all its parts."""
        if node == NO_NODE:
            return
        stack = [(node, 1.0)]
        while stack:
            index, prior = stack.pop()
            parent = self._range(index, index + 1)[0]
            first, side = int(parent["first_child"]), int(parent["side"])
            if first <= 0 or not parent["visits"]:
                continue
            for child, row in enumerate(self._range(first, first + parent["child_count"]), first):
                likely = prior * float(row["prior"])
                if row["move"] < 0:
                    stack.append((child, likely))
                    continue
                value = float(row["value"][side])
                yield Child(
                    child, int(row["move"]), int(row["visits"]), value, int(row["proof"]), likely
                )

    @property
    def _root(self) -> np.void:
        root: np.void = self._range(ROOT, ROOT + 1)[0]
        return root

    def _range(self, begin: int, end: int) -> np.ndarray:
        return self._backend.to_array(self._nodes, begin, end)


class Worker:
    """Arguments of the kernels for one thread."""

    def __init__(self, game: Game, batch: int, backend: jit.Backend) -> None:
        spec = observation_spec(game)
        self._boards = backend.as_records(game.layout.board)
        self.states = backend.as_records(np.zeros(3, game.layout.state))
        self._drafts = backend.as_records(np.zeros(1, draft_type(spec)))
        self._moves = backend.move_buffers(1, game.layout.max_moves)[0]
        self._mask = np.zeros(spec.action_count, np.uint8)
        self._offsets = spec.cell_offsets()
        self._paths = backend.move_buffers(batch, MAX_DEPTH + 1)
        self._depths = backend.int_buffer(batch)
        area = spec.shape[0] * spec.shape[1]
        self.planes = np.zeros((batch, len(spec.planes), area), np.uint8)

    def select(self, kernel: jit.Kernel, nodes: Any, runs: Any, count: int) -> int:
        """Select up to `count` leaves; return how many are to be evaluated."""
        return int(
            kernel(
                *(self._boards, self.states, self._drafts, self._moves, self._mask),
                *(self._offsets, nodes, runs, self.planes, self._paths, self._depths, count),
            )
        )

    def back_up(
        self,
        kernel: jit.Kernel,
        nodes: Any,
        runs: Any,
        logits: np.ndarray,
        values: np.ndarray,
        count: int,
    ) -> None:
        """Expand and back up the leaves that were selected last."""
        kernel(
            *(nodes, runs, self._paths, self._depths),
            *(logits.astype(np.float64), values.astype(np.float64), count),
        )


def compile_puct_kernel(kernel: jit.Kernel, game: Game) -> None:
    """Compile a kernel of `PUCT_KERNELS`, or load it from the kernel cache."""
    backend = jit.default_backend()
    worker = Worker(game, 1, backend)
    nodes = backend.zero_records(1, node_type(len(game.teams)))
    runs = backend.zero_records(1, RUN)
    specialized = backend.specialize(kernel, game, encoded_rules(game))
    if kernel is select_leaves:
        worker.select(specialized, nodes, runs, 0)
    elif kernel is back_up_evaluations:
        nothing = np.zeros((0, 1), np.float32)
        worker.back_up(specialized, nodes, runs, nothing, nothing, 0)
    else:
        specialized(nodes, backend.zeros(1, np.int32), 0, 1)
