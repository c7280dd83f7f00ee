"""A prover: one claim about a position, proven or refuted some positions at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.pyrecord import PyRecords
from teahouse.core.random import scramble
from teahouse.search.proof import dfpn
from teahouse.search.proof.dfpn import ENTRY, FRAME, INFINITE, PROVEN

DRAW = -1  # the outcome that no side wins
MAX_PLACES_INTERPRETED = 1 << 14


@dataclass(frozen=True)
class Claim:
    """That some sides can force one of some outcomes, whatever all others do."""

    by: frozenset[int]
    ends: frozenset[int]
    """The sides one of which wins then; DRAW for none."""

    def denial(self, game: Game) -> Claim:
        """The claim that all others can force anything else."""
        sides = frozenset(range(len(game.teams)))
        return Claim(sides - self.by, (sides | {DRAW}) - self.ends)

    def describe(self, game: Game) -> str:
        """The claim in words."""
        who = " and ".join(side_name(game, side) for side in sorted(self.by))
        if len(self.by) == 1:
            return f"{who} can force a {'win' if self.ends == self.by else 'draw at least'}"
        others = " or ".join(
            side_name(game, side) for side in range(len(game.teams)) if side not in self.ends
        )
        draw = "" if DRAW in self.ends else " and from a draw"
        return f"{who} together can keep {others} from winning{draw}"


def side_name(game: Game, side: int) -> str:
    """The seats of a side, joined by `+`."""
    return "+".join(game.players[player] for player in game.teams[side])


class Prover:
    """Works out whether a claim holds, within so many bytes and decisions ahead."""

    def __init__(self, position: Position, claim: Claim, memory: int, depth: int) -> None:
        game = position.game
        assert len(game.players) <= dfpn.MAX_PLAYERS
        self.game = game
        self.claim = claim
        self.settled = False
        """Whether it is known whether the claim holds."""
        self._states = np.zeros(depth + 2, game.layout.state)
        self._notes = self._new_notes()
        self._codes = codes_for(game.layout.state.itemsize)
        max_moves = game.layout.max_moves
        places = dfpn.PLACES
        most = MAX_PLACES_INTERPRETED if jit.interpreted() else memory // (8 * ENTRY)
        while 2 * places <= most:
            places *= 2
        self._table = jit.int_buffer(places * ENTRY)
        self._kernel = jit.specialize(dfpn.prove, game)
        self._look = jit.specialize(dfpn.look, game)
        self._records = jit.as_records(self._states)
        self._arguments = (
            jit.as_records(game.layout.board),
            self._records,
            jit.as_bytes(self._records),
            self._codes,
            jit.move_buffers(depth + 2, max_moves),
            jit.int_buffer((depth + 1) * max_moves * dfpn.MOVE),
            jit.int_buffer((depth + 1) * FRAME),
            self._table,
            self._notes,
        )
        self.begin(position.state)

    def _new_notes(self) -> Any:
        notes = jit.int_buffer(dfpn.NOTES)
        bits = {side: 1 << side for side in range(len(self.game.teams))} | {DRAW: dfpn.DRAW_BIT}
        notes[dfpn.GOAL] = sum(bits[end] for end in self.claim.ends)
        notes[dfpn.OUTCOME] = bits[DRAW]
        notes[dfpn.MAX_MOVES] = self.game.layout.max_moves
        for side, players in enumerate(self.game.teams):
            for player in players:
                notes[dfpn.ATTACKS + player] = int(side in self.claim.by)
                for winners in range(1 << len(self.game.players)):
                    if winners >> player & 1:
                        notes[dfpn.OUTCOME + winners] |= bits[side]
        return notes

    def begin(self, state: bytes, within: int = 0) -> None:
        """Turn to another position; what was found out stays in the table.

        With `within`, what is claimed has to be forced in so many decisions at most.
        """
        assert within < len(self._states) - 1
        self._notes[dfpn.WITHIN] = within
        self.settled = False
        frames = self._arguments[6]
        self._notes[dfpn.LEVEL] = 0
        frames[dfpn.COUNT] = dfpn.NEW
        frames[dfpn.PN_LIMIT] = frames[dfpn.DN_LIMIT] = INFINITE
        self._set(state)

    def _set(self, state: bytes) -> None:
        record = np.frombuffer(state, self.game.layout.state)
        self._records[0] = PyRecords(record)[0] if jit.interpreted() else record[0]

    def run(self, positions: int) -> bool:
        """Look at so many positions more; whether it is known whether the claim holds."""
        self.settled = bool(self._kernel(*self._arguments, positions))
        return self.settled

    @property
    def positions(self) -> int:
        """How many positions were looked at."""
        return int(self._notes[dfpn.LOOKED_AT])

    @property
    def tried(self) -> int:
        """How many moves were tried there: positions with many take longer."""
        return int(self._notes[dfpn.TRIED])

    @property
    def met_draws(self) -> bool:
        """Whether any of these could end in a draw."""
        return bool(self._notes[dfpn.DRAWS])

    @property
    def cut(self) -> bool:
        """Whether some paths were too long: then nothing is really refuted."""
        return bool(self._notes[dfpn.CUT])

    def known(self, state: bytes, within: int = 0) -> bool | None:
        """Whether the claim holds in a position, if the table knows."""
        player = int(np.frombuffer(state, self.game.layout.state)[0]["player"])
        attacking = int(self._notes[dfpn.ATTACKS + player])
        return self._known(dfpn.key_of(self._codes, state, within, attacking))[0]

    def _known(self, key: int) -> tuple[bool | None, int]:
        """Whether the claim holds behind a key, and how much work went into that."""
        if key < 0:
            return key == PROVEN, 0
        first = dfpn.first_entry(self._table, key)
        for place in range(first, first + dfpn.PLACES * ENTRY, ENTRY):
            if self._table[place + dfpn.TABLE_KEY] == key:
                pn, dn = dfpn.looked_up(self._table, key)
                spent = int(self._table[place + dfpn.FOUND] & dfpn.MAX_SPENT)
                return pn == 0 if 0 in (pn, dn) else None, spent
        return None, 0

    def moves(self, state: bytes, within: int = 0) -> list[tuple[int, bool | None, int]]:
        """Every legal move in a position, whether the claim is known to hold after it, and work."""
        self.begin(state, within)
        count = int(self._look(*self._arguments))
        moves, behind = self._arguments[4][0], self._arguments[5]
        keys = behind[dfpn.KEY_BEHIND : count * dfpn.MOVE : dfpn.MOVE]
        return [(int(moves[place]), *self._known(int(keys[place]))) for place in range(count)]


def codes_for(size: int) -> Any:
    """A random number for each byte of a state and each value it can have."""
    codes: Any = np.arange(size << 8)
    codes = scramble(codes)
    return codes.tolist() if jit.interpreted() else codes
