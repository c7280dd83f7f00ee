"""Commands of players: each is decided into events, or rejected with a `CommandError`.

Pure functions: sessions are not changed, and the current time is an argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from teahouse.core.errors import IllegalMove
from teahouse.session import events as ev
from teahouse.session import offers
from teahouse.session.consent import PendingOffer
from teahouse.session.errors import CommandError
from teahouse.session.events import Event, OfferKind, Timestamp
from teahouse.session.forfeits import forfeit, give_up_start, has_left
from teahouse.session.offers import NewId
from teahouse.session.result import result_text
from teahouse.session.start import start_deadline
from teahouse.session.state import GameSession, Pace

MAX_EVENTS = 10_000
"""Event limit of a table; beyond it players can only end the game."""
MAX_REMARKS = MAX_EVENTS // 2
"""Event limit of chat, names, hints and offers, so that moves remain possible."""

NO_HELP = (
    "In games between people, rated games and tournaments the computer does not help. Ask it again"
    " once the game is over."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """Play a move at ply `ply`."""

    seat: int
    ply: int
    move: str
    round_trip: float = 0.0
    """The round-trip time in seconds, as measured by the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Offer a takeback (to before `ply`, by default the seat's last move), a draw or a rematch."""

    seat: int
    offer: Literal["takeback", "draw", "rematch"]
    ply: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Respond:
    """Accept or decline a pending offer, or withdraw one's own."""

    seat: int
    offer: OfferKind
    accept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Resign:
    """Resign; a partner who is another person has to agree."""

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Send a chat message."""

    seat: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """Change a player's name."""

    seat: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UseHint:
    """Ask the computer about the position at ply `ply`, or about a variation from there.

    `seat` is None for a spectator.
    """

    seat: int | None
    ply: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPace:
    """Set the speed of a game between bots, or pause it."""

    seat: int
    speed: float | None
    paused: bool


PlayerCommand = Play | Offer | Respond | Resign | Chat | Rename
Command = PlayerCommand | UseHint | SetPace


def decide(session: GameSession, command: Command, now: Timestamp, new_id: NewId) -> list[Event]:
    """Return the events that a player's command leads to.

    An empty list means a duplicate: the command was carried out before. Raise
    `CommandError` if the command is not allowed.
    """
    if isinstance(command, UseHint):
        return _use_hint(session, command)
    seat = command.seat
    if seat >= len(session.seats):
        seats = [str(number) for number in range(len(session.seats))]
        raise CommandError("not_your_seat", f"There is no seat {seat}.", seats)
    if isinstance(command, SetPace):
        return _set_pace(session, command)
    if session.is_bot(seat) and not (_is_about_rematch(command) and has_left(session, seat)):
        raise CommandError("not_your_seat", f"Seat {seat} is played by a bot.")
    _check_length(session, command)
    events = _decide(session, command, now, new_id)
    for event in events:
        if isinstance(event, ev.TookBack) or (
            isinstance(event, ev.Offered) and event.offer == "takeback"
        ):
            offers.check_takeback_clock(session, event.ply, now)
    return events


def _is_about_rematch(command: Command) -> bool:
    return isinstance(command, Offer | Respond) and command.offer == "rematch"


def _decide(
    session: GameSession, command: PlayerCommand, now: Timestamp, new_id: NewId
) -> list[Event]:
    seat = command.seat
    match command:
        case Chat(text=text):
            return [ev.Chatted(seat=seat, text=text)]
        case Rename(name=name):
            if session.seats[seat].account is not None:
                raise CommandError("invalid", "This seat has the name of its account.")
            return [ev.Renamed(seat=seat, name=name)]
        case Respond():
            if command.accept:
                _check_time(session, seat, now)
            return offers.respond(session, seat, command.offer, command.accept, new_id)
        case Offer(offer="rematch"):
            return offers.offer_rematch(session, seat, now, new_id)
        case Play() if _is_duplicate(session, command):
            return []
    if session.over:
        raise CommandError("game_over", f"The game is over: {result_text(session)}")
    lag = 0.0
    if isinstance(command, Play):
        lag = session.clock.compensation(seat, command.round_trip, now)
    _check_time(session, seat, now, lag)
    match command:
        case Play(ply=ply, move=text):
            return [replace(play(session, seat, ply, text), lag=lag)]
        case Resign():
            return offers.propose(session, PendingOffer("resign", seat, session.ply), new_id)
        case Offer(offer="draw"):
            return offers.propose(session, PendingOffer("draw", seat, session.ply), new_id)
        case Offer():
            return offers.offer_takeback(session, seat, command.ply, new_id)
    raise AssertionError(command)


def _check_time(session: GameSession, seat: int, now: Timestamp, lag: float = 0.0) -> None:
    """Raise `CommandError` if a seat's time has run out, after `lag` seconds of compensation.

    The timeout itself comes later, since it waits for moves in transit; others may act until then.
    """
    if seat == session.clock.running and session.clock.expired(now, lag):
        raise CommandError("time_expired", "Your time has run out.")


def _check_length(session: GameSession, command: Command) -> None:
    """Raise `CommandError` if the table has too many events for this command."""
    if isinstance(command, Resign | Respond) or session.seq < MAX_REMARKS:
        return
    if isinstance(command, Play) or _is_about_rematch(command):
        if session.seq >= MAX_EVENTS:
            raise CommandError(
                "at_capacity",
                f"This table has reached its limit of {MAX_EVENTS:,} events; please start a new"
                " game.",
            )
        return
    raise CommandError(
        "at_capacity",
        f"This table has had {MAX_REMARKS:,} events; from now on only moves, resigning and a"
        " rematch are possible.",
    )


def _set_pace(session: GameSession, command: SetPace) -> list[Event]:
    if not session.bots_only:
        raise CommandError("invalid", "Only a game in which bots play all seats has a pace.")
    _check_length(session, command)
    pace = Pace(command.speed, command.paused)
    return [] if pace == session.pace else [ev.Paced(speed=pace.speed, paused=pace.paused)]


def play(session: GameSession, seat: int, ply: int, text: str) -> ev.Moved:
    """Return the event of a move, if it is legal and due."""
    _check_ply(session, ply)
    _check_turn(session, seat)
    try:
        move = session.position.exact(text)
    except IllegalMove as error:
        raise CommandError("illegal_move", str(error), session.position.legal) from None
    return ev.Moved(seat=seat, ply=ply, move=move)


def time_out(session: GameSession, now: Timestamp) -> list[Event]:
    """Return the consequence if the running seat has no time left, or the start takes too long."""
    if session.over:
        return []
    if start_deadline(session, now) == 0.0:
        return give_up_start(session)
    if session.clock.running is None or not session.clock.expired(now):
        return []
    return [forfeit(session, session.clock.running, "timeout")]


def join(
    session: GameSession, seats: Iterable[int], player: ev.Player | None = None
) -> list[Event]:
    """Return an event for each of these seats that joins for the first time.

    A player who has no seat at the table gets the first guest's seat of them.
    """
    events: list[Event] = []
    if player is not None and _plays(session, player.account):
        player = None
    for seat in sorted(seats):
        if session.seats[seat].joined:
            continue
        if player is None or session.seats[seat].account is not None:
            events.append(ev.Joined(seat=seat))
            continue
        events.append(
            ev.Joined(seat=seat, account=player.account, name=player.name, program=player.program)
        )
        player = None
    return events


def join_at_once(session: GameSession) -> list[Event]:
    """Return the events by which accounts join a new correspondence game, wherever they are.

    They have agreed to it, so their days run. Where there is a limit, as in tournaments, they have
    to come.
    """
    created = session.created
    by_days = isinstance(created.time_control, ev.Correspondence)
    if not by_days or created.start_within is not None:
        return []
    return join(session, [seat for seat, one in enumerate(session.seats) if one.account])


def claim(session: GameSession, seats: Iterable[int], player: ev.Player) -> list[Event]:
    """Return the event by which a player gets the first guest's seat of these.

    It is empty if there is none, or if the player has a seat at the table already.
    """
    if _plays(session, player.account):
        return []
    for seat in sorted(seats):
        if session.seats[seat].account is None and not session.is_bot(seat):
            return [ev.Claimed(seat=seat, account=player.account, name=player.name)]
    return []


def _plays(session: GameSession, account: str) -> bool:
    return any(seat.account == account for seat in session.seats)


def _check_ply(session: GameSession, ply: int) -> None:
    if ply != session.ply:
        raise CommandError("stale_ply", f"Ply {ply} is not due; the game is at ply {session.ply}.")


def _check_turn(session: GameSession, seat: int) -> None:
    if seat != session.player:
        players = session.game.players
        turn = players[session.position.player]
        raise CommandError("not_your_turn", f"It is {turn}'s turn, not {players[seat]}'s.")


def _is_duplicate(session: GameSession, command: Play) -> bool:
    """Return whether this move was already played: the client missed the acknowledgement."""
    if command.ply >= session.ply:
        return False
    played = session.moves[command.ply]
    return (played.player, played.move) == (command.seat, command.move)


def _use_hint(session: GameSession, command: UseHint) -> list[Event]:
    _check_length(session, command)
    if session.over:
        raise CommandError("game_over", f"The game is over: {result_text(session)}")
    if not session.help_allowed:
        raise CommandError("fair_play", NO_HELP)
    if command.ply > session.ply:
        raise CommandError("stale_ply", f"This game has plies 0 to {session.ply}.")
    if command.seat in session.hint_users:
        return []
    return [ev.HintUsed(seat=command.seat, ply=command.ply)]
