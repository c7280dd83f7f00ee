"""The row of a table: what lists, filters and the next start need to know of its session."""

from __future__ import annotations

import math

from teahouse.server.ratings.pools import pool_of
from teahouse.server.tables import payloads
from teahouse.server.tables.rows import TableRow
from teahouse.server.tables.seat_results import seat_results
from teahouse.session.consent import awaiting
from teahouse.session.events import Correspondence, Timestamp
from teahouse.session.start import awaited_seats, next_deadline
from teahouse.session.state import GameSession

BOT_SECONDS = 2.0
"""A bot's turn that nobody has taken up by then is looked for."""


def session_row(
    table_id: str, key_hashes: list[str | None], session: GameSession, now: Timestamp
) -> TableRow:
    """Return the row that is stored with every change of a table."""
    pool, bot = pool_of(session.game), bot_due(session)
    return TableRow(
        id=table_id,
        summary=payloads.summary(session),
        over=session.over,
        wake_on_start=(bot or session.clock.running is not None or bool(awaited_seats(session))),
        key_hashes=key_hashes,
        created=session.created_at,
        game=session.game.name,
        pool=None if pool is None else pool.id,
        rated=session.created.rated,
        listed=session.created.listed,
        results=seat_results(session) if any(seat.account for seat in session.seats) else (),
        due=_due(session, now, bot),
    )


def bot_due(session: GameSession) -> bool:
    """Return whether a bot has to move or to respond, whether anybody watches or not."""
    if session.bot_to_move and not session.needs_audience:
        return True
    draw = session.offers.get("draw")  # of a rematch, people are awaited whose seats bots took over
    return draw is not None and any(session.is_bot(seat) for seat in awaiting(session, draw))


def _due(session: GameSession, now: Timestamp, bot: bool) -> Timestamp | None:
    """Return when something happens at the table without a player's doing, if anything.

    `bot` says whether a bot has to move or to respond.
    """
    if session.over:
        return None
    seconds = BOT_SECONDS if bot else next_deadline(session, now)
    if seconds is None:
        return None
    if isinstance(session.created.time_control, Correspondence) and not bot:
        return Timestamp(now.wall + seconds, math.inf)
    return Timestamp(math.inf, now.uptime + seconds)
