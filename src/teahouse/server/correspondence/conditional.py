"""Conditional moves of the tables: stored, shown to their owner, and played when they are due."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa

from teahouse.server.correspondence.rows import conditional_moves
from teahouse.server.storage.database import tables
from teahouse.server.storage.fresh_reader import FreshReader
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.room import Room
from teahouse.server.tables.room_updates import update_table
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.session import conditional
from teahouse.session.conditional import Plan
from teahouse.session.errors import CommandError
from teahouse.session.events import Event
from teahouse.session.state import GameSession

PLANS = "plans"
"""The topic of notifications about changed plans."""


class ConditionalMoves:
    """The plans of all tables, kept in memory because every commit needs them."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._reader = FreshReader(registry.store)
        self._plans: dict[str, dict[int, Plan]] = {}
        self._tasks = BackgroundTasks()
        registry.add_listener(self._on_commit)

    async def start(self) -> None:
        """Load the plans, and play what became due before a restart."""
        await self._store.write(_delete_obsolete)
        self._store.notifications.subscribe(
            PLANS, lambda text: self._tasks.start(self._load(text.split(" ")))
        )
        self._store.notifications.on_reconnect(lambda: self._tasks.start(self._load()))
        await self._load()

    async def _load(self, changed: Collection[str] | None = None) -> None:
        """Read the plans of some tables, by default of all, and play what is due."""
        found: dict[str, dict[int, Plan]] = {}
        due = set()
        for table_id, plan, player in await self._reader.read(partial(_load, only=changed)):
            found.setdefault(table_id, {})[plan.seat] = plan
            if player == plan.seat:
                due.add(table_id)
        for table_id in list(self._plans) if changed is None else changed:
            self._plans.pop(table_id, None)
        self._plans.update(found)
        for table_id in due:
            self._tasks.start(self._play(table_id))

    async def close(self) -> None:
        """Stop; what is due is played after the next start."""
        await self._tasks.cancel()

    # Reading and setting.

    def describe(self, room: Room, seat: int) -> dict[str, Any]:
        """Return the conditional moves of a seat: what is expected, and what was played by them."""
        session, plan = room.session, self._plans.get(room.id, {}).get(seat)
        if plan is None:
            nothing: list[int] = []
            found = {"lines": nothing, "players": nothing, "played": nothing}
            return {"seat": seat, "ply": session.ply, **found}
        return {
            "seat": seat,
            "ply": session.ply,
            "lines": conditional.expected_lines(session, plan),
            "players": conditional.expected_players(session, plan),
            "played": conditional.moves_played(session, plan),
        }

    async def set(
        self, room: Room, seat: int, ply: int, lines: Sequence[Sequence[str]], address: str
    ) -> None:
        """Replace the conditional moves of a seat by lines from the position at a ply.

        Raise `ApiError` if they are illegal, or if the game is no longer at that ply.
        """
        session = room.session
        try:
            conditional.check_allowed(session, seat)
        except CommandError as error:
            raise ApiError.from_command(error) from None
        if ply != session.ply:
            message = f"Ply {ply} is not due; the game is at ply {session.ply}."
            raise ApiError("stale_ply", message)
        checked: list[tuple[list[str], list[int]]] = []
        if lines:
            jobs = self._registry.jobs
            checked = await jobs.conditional_lines(session.position, seat, lines, address)
        plan = _plan(seat, session.ply, session.revision, checked)
        account = session.seats[seat].account

        def job(connection: sa.Connection) -> None:
            _save(connection, room.id, account, plan)
            self._store.notifications.publish(connection, PLANS, [room.id])

        await self._store.write(job)
        self._reader.changed()
        plans = self._plans.setdefault(room.id, {})
        plans.pop(seat, None)
        if plan.lines:
            plans[seat] = plan
        self._on_commit(room.id, None, room.session)  # others may have moved meanwhile

    # Playing.

    def _on_commit(self, table_id: str, _: GameSession | None, after: GameSession) -> None:
        plans = self._plans.get(table_id)
        if not plans:
            self._plans.pop(table_id, None)
        elif after.over:
            del self._plans[table_id]
            self._tasks.start(self._delete(table_id))
        elif any(conditional.reply(after, plan) for plan in plans.values()):
            self._tasks.start(self._play(table_id))

    async def _play(self, table_id: str) -> None:
        """Play what is due; a commit starts the next one."""
        await update_table(self._registry, table_id, lambda session: self._due(table_id, session))

    def _due(self, table_id: str, session: GameSession) -> list[Event]:
        """Return the move that is due now. The room's lock is held, so it is played once."""
        if session.clock.expired(self._store.now()):
            return []
        plans = self._plans.get(table_id, {})
        for plan in plans.values():
            move = conditional.reply(session, plan)
            if move is not None:
                return [move]
        return []

    async def _delete(self, table_id: str) -> None:
        await self._store.write(
            lambda connection: connection.execute(
                conditional_moves.delete().where(conditional_moves.c.table_id == table_id)
            )
        )


def _delete_obsolete(connection: sa.Connection) -> None:
    """Delete the plans of games that are over or were deleted."""
    running = sa.select(tables.c.id).where(tables.c.over.is_(False))
    obsolete = conditional_moves.c.table_id.not_in(running)
    connection.execute(conditional_moves.delete().where(obsolete))


def _load(
    connection: sa.Connection, only: Collection[str] | None
) -> list[tuple[str, Plan, int | None]]:
    """Return all plans with their tables, or those of some, and who is to move there."""
    joined = conditional_moves.join(tables, tables.c.id == conditional_moves.c.table_id)
    wanted = sa.select(conditional_moves, tables.c.summary).select_from(joined)
    if only is not None:
        wanted = wanted.where(conditional_moves.c.table_id.in_(only))
    return [
        (
            row.table_id,
            _plan(row.seat, row.ply, row.revision, json.loads(row.lines)),
            json.loads(row.summary)["player"],
        )
        for row in connection.execute(wanted)
    ]


def _plan(
    seat: int, ply: int, revision: int, lines: Sequence[tuple[Sequence[str], Sequence[int]]]
) -> Plan:
    """Return a plan with lines and their players, as they are stored."""
    moves = tuple(tuple(line) for line, _ in lines)
    return Plan(seat, ply, revision, moves, tuple(tuple(players) for _, players in lines))


def _save(connection: sa.Connection, table_id: str, account: str | None, plan: Plan) -> None:
    same = (conditional_moves.c.table_id == table_id) & (conditional_moves.c.seat == plan.seat)
    connection.execute(conditional_moves.delete().where(same))
    if plan.lines:
        values = {
            "table_id": table_id,
            "seat": plan.seat,
            "account_id": account,
            "ply": plan.ply,
            "revision": plan.revision,
            "lines": json.dumps(list(zip(plan.lines, plan.players, strict=True))),
        }
        connection.execute(conditional_moves.insert().values(values))
