"""The umpire: which events a message leads to at a table, or why it cannot be followed.

Nothing is changed here, and there is no time but the one passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from teahouse.core.errors import IllegalMove
from teahouse.core.result import DRAW
from teahouse.server import events as ev
from teahouse.server import messages as ms
from teahouse.server.errors import Refused
from teahouse.server.events import Event, Now
from teahouse.server.table import Offer, Table

SUBSTITUTE_LEVEL = 3  # of the bot that plays on for somebody who has left a game of three sides


def follow(
    table: Table, command: ms.TableCommand, now: Now, fresh: Callable[[], str]
) -> list[Event]:
    """The events a message of a seat's owner leads to; `fresh` names a table to be.

    No events: it has been done before.
    """
    if command.seat >= len(table.seats) or table.seats[command.seat].kind == "bot":
        raise Refused("seat", f"seat {command.seat} is not a person's")
    match command:
        case ms.Say():
            return [ev.Said(seat=command.seat, text=command.text)]
        case ms.Rename():
            return [ev.Named(seat=command.seat, name=command.name)]
        case ms.Answer():
            return _answer(table, command.seat, command.offer, command.yes, fresh)
        case ms.Ask(offer="rematch"):
            return _ask_rematch(table, command.seat, fresh)
        case ms.Play() if _repeats(table, command):
            return []
    if table.over:
        raise Refused("over", f"the game is over ({table.result})")
    if table.clock.fallen(now):
        raise Refused("time", "the time is up")
    match command:
        case ms.Play():
            return [move(table, command.seat, command.ply, command.move)]
        case ms.Hint():
            return _hint(table, command)
        case ms.Resign():
            return _settle(table, Offer("resign", command.seat, table.ply), fresh)
        case ms.Ask(offer="draw"):
            return _settle(table, Offer("draw", command.seat, table.ply), fresh)
        case ms.Ask():
            ply = _takeback_ply(table, command)
            return _settle(table, Offer("takeback", command.seat, ply), fresh)
    raise AssertionError(command)


def move(table: Table, seat: int, ply: int, text: str) -> ev.Moved:
    """A decision, if it may be taken."""
    _due(table, ply)
    if seat != table.player:
        decider = table.game.players[table.position.player]
        raise Refused("turn", f"{decider} decides now, not {table.game.players[seat]}")
    try:
        exact = table.position.exact(text)
    except IllegalMove as error:
        raise Refused("illegal", str(error), table.position.legal) from None
    return ev.Moved(seat=seat, ply=ply, move=exact)


def time_up(table: Table, now: Now) -> list[Event]:
    """What follows if the running seat has no time left."""
    if table.over or table.clock.running is None or not table.clock.fallen(now):
        return []
    return [_given_up(table, table.clock.running, "time")]


def sit(table: Table, seats: Iterable[int]) -> list[Event]:
    """What follows when somebody comes with secrets of these seats."""
    return [ev.Sat(seat=seat) for seat in sorted(seats) if not table.seats[seat].sat]


def answer_for_bot(table: Table, seat: int, yes: bool) -> list[Event]:
    """A bot's answer to an offered draw, if that still stands."""
    offer = table.offers.get("draw")
    if offer is None or seat not in table.missing(offer):
        return []
    return _answer(table, seat, "draw", yes, str)


def _due(table: Table, ply: int) -> None:
    if ply != table.ply:
        raise Refused("late", f"decision {ply} is not due: the table is at {table.ply}")


def _repeats(table: Table, command: ms.Play) -> bool:
    """Whether this decision was taken just so before: its sender did not hear of it."""
    if command.ply >= table.ply:
        return False
    done = table.moves[command.ply]
    return (done.player, done.move) == (command.seat, command.move)


def _hint(table: Table, command: ms.Hint) -> list[Event]:
    _due(table, command.ply)
    if command.seat != table.player:
        raise Refused("turn", "a hint is for a decision of yours")
    if table.hinted == table.changes:
        return []
    return [ev.Hinted(seat=command.seat, ply=command.ply)]


def _takeback_ply(table: Table, command: ms.Ask) -> int:
    own = [ply for ply, done in enumerate(table.moves) if done.player == command.seat]
    if not own:
        raise Refused("offer", "there is no decision of yours to take back")
    ply = own[-1] if command.ply is None else command.ply
    if ply not in own:
        allowed = [str(one) for one in own]
        raise Refused("offer", f"decision {ply} was not yours to take back", allowed)
    return ply


def _ask_rematch(table: Table, seat: int, fresh: Callable[[], str]) -> list[Event]:
    if not table.over:
        raise Refused("offer", "a rematch is possible when the game is over")
    if table.rematch is not None:
        raise Refused("offer", f"the rematch is at table {table.rematch}", [table.rematch])
    return _settle(table, Offer("rematch", seat, table.ply), fresh)


def _settle(table: Table, offer: Offer, fresh: Callable[[], str]) -> list[Event]:
    """Ask, or have it at once where nobody else must agree."""
    standing = table.offers.get(offer.offer)
    if standing is not None:
        if table.voice(offer.seat) <= standing.agreed:
            raise Refused("offer", f"a {offer.offer} has been asked for already")
        if standing.ply == offer.ply and offer.seat in table.missing(standing):
            return _answer(table, offer.seat, offer.offer, True, fresh)
        raise Refused("offer", f"another {offer.offer} is being asked for: answer it first")
    if table.declined.get(offer.offer) == table.changes:
        raise Refused("offer", f"a {offer.offer} was declined: play on before you ask again")
    offer.agreed = table.voice(offer.seat)
    if not table.missing(offer):
        return [_granted(table, offer, fresh)]
    return [ev.Offered(seat=offer.seat, offer=offer.offer, ply=offer.ply)]


def _answer(
    table: Table, seat: int, name: ms.OfferName, yes: bool, fresh: Callable[[], str]
) -> list[Event]:
    offer = table.offers.get(name)
    if offer is None:
        raise Refused("offer", f"nobody asks for a {name}", sorted(table.offers))
    missing = table.missing(offer)
    answered = ev.Answered(seat=seat, offer=name, yes=yes)
    if not yes and seat in missing | offer.agreed:
        return [answered]
    if seat not in missing:
        raise Refused("offer", f"the {name} does not wait for an answer of yours")
    agreed = Offer(offer.offer, offer.seat, offer.ply, offer.agreed | table.voice(seat))
    if table.missing(agreed):
        return [answered]
    return [answered, _granted(table, agreed, fresh)]


def _granted(table: Table, offer: Offer, fresh: Callable[[], str]) -> Event:
    """What all have agreed to."""
    match offer.offer:
        case "takeback":
            return ev.TakenBack(ply=offer.ply)
        case "draw":
            return ev.Ended(result=DRAW, how="agreed", seat=None)
        case "resign":
            return _given_up(table, offer.seat, "resigned")
        case "rematch":
            return ev.Rematch(table=fresh())


def _given_up(table: Table, seat: int, how: ev.How) -> Event:
    """The other side has won; with more than one other side a bot plays on."""
    others = [team for team in table.game.teams if seat not in team]
    if len(others) > 1:
        return ev.Replaced(seat=seat, level=SUBSTITUTE_LEVEL, how=how)
    result = "+".join(table.game.players[winner] for winner in sorted(others[0]))
    return ev.Ended(result=result, how=how, seat=seat)
