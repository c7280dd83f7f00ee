"""df-pn search for one goal from one root, run a number of nodes at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import mix
from teahouse.search.proof import dfpn

DRAW = -1  # the outcome that no side wins
MAX_ENTRIES_INTERPRETED = 1 << 22  # some GB if they were all used; a bot's table has no more


@dataclass(frozen=True)
class Goal:
    """A set of outcomes that the attackers try to force against all other sides."""

    attackers: frozenset[int]
    outcomes: frozenset[int]
    """The sides one of which must win; DRAW for a draw."""

    @staticmethod
    def win(side: int) -> Goal:
        """Return the goal that a side wins against all others."""
        return Goal(frozenset({side}), frozenset({side}))

    def negation(self, game: Game) -> Goal:
        """Return the goal that all other sides force any other outcome."""
        sides = frozenset(range(len(game.teams)))
        return Goal(sides - self.attackers, (sides | {DRAW}) - self.outcomes)

    def describe(self, game: Game) -> str:
        """Return the goal in words."""
        who = " and ".join(side_name(game, side) for side in sorted(self.attackers))
        if len(self.attackers) == 1:
            win = self.outcomes == self.attackers
            return f"{who} can force a {'win' if win else 'draw at least'}"
        others = " or ".join(
            side_name(game, side) for side in range(len(game.teams)) if side not in self.outcomes
        )
        draw = "" if DRAW in self.outcomes else " and from a draw"
        return f"{who} together can keep {others} from winning{draw}"


def side_name(game: Game, side: int) -> str:
    """Return the names of a side's seats, joined by `+`."""
    return "+".join(game.players[player] for player in game.teams[side])


class ProbedMove(NamedTuple):
    """A legal move and what the transposition table has for the position it leads to."""

    move: int
    proven: bool | None
    """Whether the goal is proven or disproven there; None if unknown."""
    work: int
    """Nodes expanded to find that out."""


class DfpnSearch:
    """Prove or disprove a goal, with a table of at most `memory` bytes and `depth` plies ahead."""

    def __init__(
        self,
        position: Position,
        goal: Goal,
        memory: int,
        depth: int,
        backend: jit.Backend | None = None,
    ) -> None:
        self._backend = backend = backend or jit.default_backend()
        game = position.game
        assert len(game.players) <= dfpn.MAX_PLAYERS
        self.game = game
        self.goal = goal
        self.settled = False
        """Whether the goal is proven or disproven at the root."""
        self._depth = depth
        self._search = backend.specialize(dfpn.search, game)
        self._states = backend.as_records(np.zeros(depth + 2, game.layout.state))
        keys = zobrist_keys(game.layout.state.itemsize)
        self._zobrist = keys.tolist() if backend.interpreted else keys
        self._moves = backend.move_buffers(depth + 2, game.layout.max_moves)
        children = backend.zero_records((depth + 1) * game.layout.max_moves, dfpn.CHILD)
        frames = backend.zero_records(depth + 1, dfpn.FRAME)
        table = backend.zero_records(_table_size(memory, backend), dfpn.ENTRY)
        runs = backend.zero_records(1, dfpn.RUN)
        self._arguments = (
            backend.as_records(game.layout.board),
            self._states,
            backend.as_bytes(self._states),
            self._zobrist,
            self._moves,
            children,
            frames,
            table,
            runs,
        )
        self._children = children
        self._frames = frames
        self._table = table
        self._run = backend.first(runs)
        self._new_root = _new_root(backend)
        self._write_goal()
        self.set_root(position.state)

    def _write_goal(self) -> None:
        """Write the goal, the attackers and the outcome of each set of winners for the kernels."""
        run, goal = self._run, self.goal
        bits = {side: 1 << side for side in range(len(self.game.teams))} | {DRAW: dfpn.DRAW_BIT}
        run.goal = sum(bits[outcome] for outcome in goal.outcomes)
        run.max_moves = self.game.layout.max_moves
        run.outcome[0] = bits[DRAW]
        for side, players in enumerate(self.game.teams):
            for player in players:
                run.attackers[player] = int(side in goal.attackers)
                for winners in range(1 << len(self.game.players)):
                    if winners >> player & 1:
                        run.outcome[winners] |= bits[side]

    def set_root(self, state: bytes, max_plies: int = 0) -> None:
        """Start from another position; the transposition table is kept.

        With `max_plies`, the goal must be reached within that number of plies.
        """
        assert max_plies <= self._depth
        self.settled = False
        self._run.max_plies = max_plies
        self._run.level = 0
        self._frames[0] = self._new_root
        record = np.frombuffer(state, self.game.layout.state)
        self._states[0] = self._backend.as_records(record)[0]

    def run(self, nodes: int) -> bool:
        """Expand up to `nodes` more nodes; return whether the goal is proven or disproven."""
        self.settled = bool(self._search(*self._arguments, nodes))
        return self.settled

    @property
    def nodes(self) -> int:
        """The number of nodes expanded."""
        return int(self._run.nodes)

    @property
    def generated(self) -> int:
        """The number of moves generated: a better measure of time than nodes."""
        return int(self._run.generated)

    @property
    def draw_seen(self) -> bool:
        """Whether any leaf was a draw."""
        return bool(self._run.draw_seen)

    @property
    def depth_limited(self) -> bool:
        """Whether some path reached the depth limit: then a disproof is not valid."""
        return bool(self._run.depth_limited)

    def probe(self, state: bytes, max_plies: int = 0) -> bool | None:
        """Return whether the goal is proven or disproven in a position; None if unknown."""
        player = int(np.frombuffer(state, self.game.layout.state)[0]["player"])
        attacking = int(self._run.attackers[player])
        return self._probe(dfpn.node_key(self._zobrist, state, max_plies, attacking))[0]

    def _probe(self, key: int) -> tuple[bool | None, int]:
        """Return whether the goal is proven at a key, and the work spent on it."""
        if key < 0:
            return key == dfpn.PROVEN, 0
        first = dfpn.bucket_start(self._table, key)
        for stored, packed in self._rows(self._table, first, first + dfpn.BUCKET):
            if stored == key:
                pn, dn = packed >> dfpn.PN_SHIFT, packed >> dfpn.DN_SHIFT & dfpn.INFINITE
                return pn == 0 if 0 in (pn, dn) else None, packed & dfpn.MAX_WORK
        return None, 0

    def probe_moves(self, state: bytes, max_plies: int = 0) -> list[ProbedMove]:
        """Return every legal move of a position, which becomes the root."""
        self.set_root(state, max_plies)
        self._run.root_only = 1  # in the same kernel: another one would double the compile time
        self._search(*self._arguments, 1)
        ((count, *_),) = self._rows(self._frames, 0, 1)
        children = self._rows(self._children, 0, count)
        return [
            ProbedMove(int(move), *self._probe(key))
            for move, (key, _, _) in zip(self._moves[0], children, strict=False)
        ]

    def _rows(self, records: Any, begin: int, end: int) -> list[tuple[int, ...]]:
        """Return the fields of a range of records as Python integers."""
        rows: list[tuple[int, ...]] = self._backend.to_array(records, begin, end).tolist()
        return rows


def _table_size(memory: int, backend: jit.Backend) -> int:
    """Return the largest power of 2 of entries that fit in `memory` bytes, at least a bucket."""
    entries = memory // dfpn.ENTRY.itemsize
    if backend.interpreted:
        entries = min(entries, MAX_ENTRIES_INTERPRETED)
    return 1 << max(dfpn.BUCKET, entries).bit_length() - 1


def _new_root(backend: jit.Backend) -> Any:
    """Return the frame of a root that is not expanded yet."""
    frames = np.zeros(1, dfpn.FRAME)
    frames["count"] = dfpn.UNEXPANDED
    frames["pn_threshold"] = frames["dn_threshold"] = dfpn.INFINITE
    return backend.as_records(frames)[0]


def zobrist_keys(size: int) -> Any:
    """Return a random number for each byte of a state and each value of that byte."""
    keys: Any = np.arange(size << 8)
    return mix(keys)
