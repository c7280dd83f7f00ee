"""The row of a table: what lists, filters and the next start need to know of its session."""

from __future__ import annotations

from teahouse.server import payloads
from teahouse.server.ratings.pools import pool_of
from teahouse.server.seat_results import seat_results
from teahouse.server.table_rows import TableRow
from teahouse.session.start import awaited_seats
from teahouse.session.state import GameSession


def session_row(table_id: str, key_hashes: list[str | None], session: GameSession) -> TableRow:
    """Return the row that is stored with every change of a table."""
    pool = pool_of(session.game)
    return TableRow(
        id=table_id,
        summary=payloads.summary(session),
        over=session.over,
        wake_on_start=_wakes(session),
        key_hashes=key_hashes,
        created=session.created_at,
        game=session.game.name,
        pool=None if pool is None else pool.id,
        rated=session.created.rated,
        listed=session.created.listed,
        results=seat_results(session) if any(seat.account for seat in session.seats) else (),
    )


def _wakes(session: GameSession) -> bool:
    """Return whether something happens at the table without a player's doing."""
    if session.clock.running is not None:
        return True
    awaited = {seat for offer in session.offers.values() for seat in session.awaiting(offer)}
    return (
        (session.bot_to_move and not session.needs_audience)
        or any(session.is_bot(seat) for seat in awaited)
        or bool(awaited_seats(session))
    )
