"""Checkpoints: the state of a session, stored so that it can be restored without a replay.

The event log stays the source of truth: a checkpoint that is missing, damaged or of another version
is rebuilt from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from zlib import crc32

from teahouse.core.game import Game
from teahouse.session import events as ev
from teahouse.session.clock import ClockState
from teahouse.session.consent import PendingOffer
from teahouse.session.events import LoggedEvent
from teahouse.session.moves import PlayedMove
from teahouse.session.state import CHAT_WINDOW, ChatMessage, GameSession, Pace, Seat

FORMAT = 4
"""Increment whenever the format changes."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the log has to be replayed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A session except its moves and its chat."""

    made_by: str
    seq: int
    ply: int
    position_crc: int
    updated: float
    revision: int
    hint_users: list[int | None]
    pace: Pace
    chat_count: int
    seats: list[Seat]
    offers: list[PendingOffer]
    declined: dict[ev.OfferKind, int]
    ended: ev.Ended | None
    rematch: str | None
    clock: ClockState
    start_since: float


@dataclass(frozen=True, slots=True)
class SavedMove:
    """A move of the history with the state after it."""

    ply: int
    move: str
    player: int
    description: str
    state: bytes


def save(session: GameSession) -> Checkpoint:
    """Return the checkpoint of a session."""
    return Checkpoint(
        made_by=made_by(session.game),
        seq=session.seq,
        ply=session.ply,
        position_crc=crc32(session.position.state),
        updated=session.updated,
        revision=session.revision,
        hint_users=sorted(session.hint_users, key=lambda seat: -1 if seat is None else seat),
        pace=session.pace,
        chat_count=session.chat_count,
        seats=list(session.seats),
        offers=list(session.offers.values()),
        declined=dict(session.declined),
        ended=session.ended,
        rematch=session.rematch,
        clock=session.clock.state,
        start_since=session.start_since,
    )


def saved_moves(session: GameSession, first: int = 0) -> list[SavedMove]:
    """Return the moves of a session from a ply on."""
    return [
        SavedMove(ply, played.move, played.player, played.description, session.states[ply])
        for ply, played in enumerate(session.moves[first:], first)
    ]


def restore(
    created: LoggedEvent,
    saved: Checkpoint,
    moves: Sequence[SavedMove],
    chat: Sequence[ChatMessage],
) -> GameSession:
    """Return the session of a checkpoint; raise `CheckpointError` if its parts do not match."""
    assert isinstance(created.event, ev.Created), "the first event creates the game"
    session = GameSession(created.event, created.time)
    size = session.game.layout.state.itemsize
    if saved.made_by != made_by(session.game):
        raise CheckpointError("The checkpoint was written by another version.")
    if [one.ply for one in moves] != list(range(saved.ply)):
        raise CheckpointError("The checkpoint's moves are incomplete.")
    if any(len(one.state) != size for one in moves) or len(saved.seats) != len(session.seats):
        raise CheckpointError("The checkpoint's moves or seats do not match the game.")
    if len(chat) != min(saved.chat_count, CHAT_WINDOW):
        raise CheckpointError("The checkpoint's chat is incomplete.")
    session.seq, session.updated = saved.seq, saved.updated
    session.moves = [PlayedMove(one.move, one.player, one.description) for one in moves]
    session.states = [one.state for one in moves]
    session.position, session.last = session.at(saved.ply)
    if crc32(session.position.state) != saved.position_crc:
        raise CheckpointError("The checkpoint's position is damaged.")
    session.revision, session.hint_users = saved.revision, frozenset(saved.hint_users)
    session.pace = saved.pace
    session.chat.extend(chat)
    session.chat_count = saved.chat_count
    session.seats = list(saved.seats)
    session.offers = {offer.offer: offer for offer in saved.offers}
    session.declined = dict(saved.declined)
    session.ended, session.rematch = saved.ended, saved.rematch
    session.clock.restore(saved.clock)
    session.start_since = saved.start_since
    return session


def same_layout(stored: str, game: Game) -> bool:
    """Return whether states stored with a `made_by` have the layout of the game's record."""
    return stored.rpartition(" ")[2] == made_by(game).rpartition(" ")[2]


@lru_cache(maxsize=100)
def made_by(game: Game) -> str:
    """Identify the format, the package version and the layout of the game's state record."""
    layout = crc32(repr(game.layout.state.descr).encode())
    return f"{FORMAT} {_version()} {layout:08x}"


@cache
def _version() -> str:
    return version("teahouse")
