"""The WebSocket of a table. Slow clients are disconnected rather than waited for."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter, WebSocket
from pydantic import ValidationError

from teahouse.server.accounts.identity import account_of, check_active, store_of
from teahouse.server.accounts.open_sockets import open_sockets
from teahouse.server.accounts.seats import guest_names
from teahouse.server.tables.ids import ID_LENGTH
from teahouse.server.tables.quota import TableQuota
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.room import Room
from teahouse.server.tables.seat_keys import Access, unlocked_seats
from teahouse.server.web import messages as ms
from teahouse.server.web import prices
from teahouse.server.web.client_socket import (
    Connection,
    invalid_message,
    message_id,
    paced_messages,
    receive_first,
    serve,
    unsupported_protocol,
)
from teahouse.server.web.errors import ApiError
from teahouse.server.web.limits import Limits
from teahouse.server.web.wire import to_json
from teahouse.session.commands import Command, Offer, Play, Rename, Respond

router = APIRouter()


@router.websocket("/api/tables/{table_id}/socket")
async def table_socket(socket: WebSocket, table_id: str) -> None:
    """Subscribe to a table and carry out commands."""
    await serve(socket, partial(_play, table_id=table_id))


async def _play(connection: Connection, table_id: str) -> None:
    """Join a table and process messages until either side closes the connection."""
    socket = connection.socket
    registry: Registry = socket.app.state.registry
    limits: Limits = socket.app.state.limits
    join = await _receive_join(socket)
    room = await registry.room(check_table_id(table_id))
    connection.snapshots = join.snapshots
    connection.diffs = join.diffs
    access = await _access(connection, room, join)
    if not access.seats(room.session):
        await limits.charge_table(room.id, prices.JOIN)
    with open_sockets(socket).opened(socket, connection):
        try:
            await room.join(connection, access, join.after)
            if taken := access.taken(room.session):
                connection.send_error(ApiError("seat_taken", taken), None)
            async for text in paced_messages(connection):
                await _process(limits, room, connection, text)
        finally:
            room.leave(connection)


async def _access(connection: Connection, room: Room, join: ms.Join) -> Access:
    """Return what a client may play; one that is suspended only watches."""
    connection.account = account = await account_of(connection.socket, "play")
    unlocked = unlocked_seats(room.key_hashes, join.secrets)
    if account is None:
        return Access(unlocked)
    try:
        check_active(connection.socket, account)
    except ApiError as error:
        connection.send_error(error, None)
        return Access()
    return Access(unlocked, account.player)


async def _receive_join(socket: WebSocket) -> ms.Join:
    text = await receive_first(socket)
    try:
        join = ms.join_adapter.validate_json(text)
    except ValidationError as error:
        if _stated_protocol(text) != ms.PROTOCOL:
            raise unsupported_protocol() from None
        raise invalid_message(error) from None
    if join.protocol != ms.PROTOCOL:
        raise unsupported_protocol()
    return join


def _stated_protocol(text: str) -> int:
    """Return the protocol of a join message that may be of another one."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return ms.PROTOCOL
    if not isinstance(message, dict):
        return ms.PROTOCOL
    default = 1 if "seen" in message else ms.PROTOCOL  # protocol 1 had no number, but this field
    stated = message.get("protocol", default)
    return stated if type(stated) is int else ms.PROTOCOL


async def _process(limits: Limits, room: Room, connection: Connection, text: str) -> None:
    """Carry out a message and acknowledge it, or answer with an error."""
    try:
        message = ms.message_adapter.validate_json(text)
    except ValidationError as error:
        connection.send_error(invalid_message(error), message_id(text))
        return
    if isinstance(message, ms.PingIn):
        connection.send(_ack(message.id, room.session.seq, duplicate=False))
        return
    try:
        if message.seat is not None:
            _check_seat(connection, message.seat)
        if isinstance(message, ms.HintIn) and connection.hint_pending:
            raise ApiError("busy", "Another hint is still being computed.")
        if isinstance(message, ms.HintIn):
            await limits.charge(connection.address, prices.HINT)
        await limits.charge_table(f"{room.id}/{message.seat}", prices.MESSAGE)
        command = message.command()
        if isinstance(command, Rename):
            store = store_of(connection.socket)
            command = replace(command, name=(await guest_names(store, [command.name]))[0])
        elif isinstance(command, Play):
            command = replace(command, round_trip=connection.round_trip)
        seq, duplicate = await _submit(connection, room, command)
    except ApiError as error:
        connection.send_error(error, message.id)
        return
    if isinstance(message, ms.HintIn):
        connection.hint_pending = True
        task = asyncio.create_task(_send_hint(room, connection, message))
        task.add_done_callback(lambda _: setattr(connection, "hint_pending", False))
        return
    connection.send(_ack(message.id, seq, duplicate))


async def _submit(connection: Connection, room: Room, command: Command) -> tuple[int, bool]:
    """Carry out a command.

    A rematch of a game that bots play on counts as another table of the address, since none of them
    ends: else it could fill the server.
    """
    rematch = isinstance(command, Offer | Respond) and command.offer == "rematch"
    if not rematch or room.session.over:
        return await room.submit(command)
    quota: TableQuota = connection.socket.app.state.table_quota
    async with quota.creating(
        connection.address, store_of(connection.socket), bots_only=False
    ) as created:
        answer = await room.submit(command)
        created.table = room.session.rematch
    return answer


def _check_seat(connection: Connection, seat: int) -> None:
    if seat not in connection.seats:
        own = [str(one) for one in sorted(connection.seats)]
        message = f"Seat {seat} is not yours; your seats: {', '.join(own) or 'none'}."
        raise ApiError("not_your_seat", message, own)


async def _send_hint(room: Room, connection: Connection, message: ms.HintIn) -> None:
    try:
        hint = await room.hint(connection.address, message.ply, message.moves)
    except ApiError as error:
        connection.send_error(error, message.id)
        return
    connection.send(to_json({"type": "hint", "id": message.id, "ply": message.ply, **hint}))


def check_table_id(given: str, what: str = "table") -> str:
    """Return the id of a table, or of something else, if its form is right; or raise `ApiError`."""
    if not (len(given) == ID_LENGTH and given.isascii() and given.isalnum()):
        raise ApiError("not_found", f"There is no such {what}.")
    return given


def _ack(message_id: int, seq: int, duplicate: bool) -> str:
    ack: dict[str, Any] = {"type": "ack", "id": message_id, "seq": seq}
    return to_json({**ack, "duplicate": True} if duplicate else ack)
