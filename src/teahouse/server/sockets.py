"""The WebSocket of a table. Slow clients are disconnected rather than waited for."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from teahouse.server import messages as ms
from teahouse.server import prices
from teahouse.server.accounts.identity import account_of, check_active, store_of
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.open_sockets import open_sockets
from teahouse.server.accounts.seats import guest_names
from teahouse.server.client_address import scope_client
from teahouse.server.errors import RECONNECT, ApiError
from teahouse.server.limits import Limits, RateLimitError
from teahouse.server.rate_limit import TokenBucket
from teahouse.server.registry import ID_LENGTH, Registry
from teahouse.server.room import Room
from teahouse.server.seat_keys import Access, unlocked_seats
from teahouse.server.store import StoreError
from teahouse.server.validation import validation_error
from teahouse.server.wire import to_json
from teahouse.session.commands import Rename

JOIN_TIMEOUT = 10.0
NO_JOIN = 4408
TRY_AGAIN_LATER = 1013
MESSAGE_BURST = 30.0
MAX_QUEUE = 100
"""Messages queued for a client before it is disconnected."""
MAX_REASON = 123
"""Bytes of a close reason (RFC 6455, 5.5)."""

log = logging.getLogger("teahouse.server.sockets")
router = APIRouter()


class Connection:
    """A client's socket with its queue of outgoing messages."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.address = scope_client(socket.scope)
        self.account: Account | None = None
        self.seats: frozenset[int] = frozenset()
        self.snapshots = True
        self.hint_pending = False
        self._queue: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue(MAX_QUEUE)

    def send(self, message: str) -> None:
        """Queue a message; a client that is too slow has to reconnect."""
        try:
            self._queue.put_nowait(message)
        except asyncio.QueueFull:
            self.disconnect(TRY_AGAIN_LATER, "The connection is too slow. Please reconnect.")

    def send_error(self, error: ApiError, message_id: int | None) -> None:
        """Queue the error for a message."""
        self.send(to_json({"type": "error", "id": message_id, **error.body}))

    def disconnect(self, code: int, reason: str) -> None:
        """Close the connection after the queued messages, or at once if the queue is full."""
        with contextlib.suppress(asyncio.QueueFull):
            self._queue.put_nowait((code, reason))
            return
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait((code, reason))

    async def deliver(self) -> None:
        """Send queued messages until the connection is closed."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # closed by the client
            while True:
                message = await self._queue.get()
                if isinstance(message, tuple):
                    await self.socket.close(*message)
                    return
                await self.socket.send_text(message)


@router.websocket("/api/tables/{table_id}/socket")
async def table_socket(socket: WebSocket, table_id: str) -> None:
    """Subscribe to a table and carry out commands."""
    registry: Registry = socket.app.state.registry
    limits: Limits = socket.app.state.limits
    connection = Connection(socket)
    await socket.accept()
    try:
        await limits.charge(connection.address, prices.JOIN)
        with counted(registry, limits, connection.address):
            await _serve(registry, limits, connection, table_id)
    except ApiError as error:
        await socket.close(error.close_code, close_reason(error.message))


@contextlib.contextmanager
def counted(registry: Registry, limits: Limits, address: str) -> Iterator[None]:
    """Count a socket while it is open; raise `ApiError` if there are too many."""
    limits.open_socket(address)
    try:
        registry.connect()
        try:
            yield
        finally:
            registry.disconnect()
    finally:
        limits.close_socket(address)


async def _serve(registry: Registry, limits: Limits, connection: Connection, table_id: str) -> None:
    """Join a table and process messages until either side closes the connection."""
    delivery = asyncio.create_task(connection.deliver())
    room: Room | None = None
    try:
        join = await _receive_join(registry, connection.socket)
        room = await registry.room(check_table_id(table_id))
        connection.snapshots = join.snapshots
        access = await _access(connection, room, join)
        if not access.seats(room.session):
            await limits.charge_table(room.id, prices.JOIN)
        with open_sockets(connection.socket).opened(connection.socket, connection):
            await room.join(connection, access, join.after)
            if taken := access.taken(room.session):
                connection.send_error(ApiError("seat_taken", taken), None)
            async for text in paced_messages(registry, limits, connection):
                await _process(limits, room, connection, text)
    except ApiError as error:
        connection.send_error(error, None)
        connection.disconnect(error.close_code, close_reason(error.message))
        await delivery
    except TimeoutError:
        connection.disconnect(NO_JOIN, "No join message was received in time.")
        await delivery
    except WebSocketDisconnect:
        pass
    except Exception as error:
        expected = isinstance(error, StoreError)
        log.error("A message failed: %s", error, exc_info=None if expected else error)
        connection.disconnect(RECONNECT, "Internal server error. Please reconnect.")
        await delivery
    finally:
        if room is not None:
            room.leave(connection)
        delivery.cancel()


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


async def _receive_join(registry: Registry, socket: WebSocket) -> ms.Join:
    async with asyncio.timeout(JOIN_TIMEOUT):
        text = await receive_text(registry, socket)
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


def unsupported_protocol() -> ApiError:
    """Return the error for a page of another version."""
    message = "This page is of another version of the server. Please reload it."
    return ApiError("unsupported_protocol", message, [str(ms.PROTOCOL)])


async def paced_messages(
    registry: Registry, limits: Limits, connection: Connection
) -> AsyncIterator[str]:
    """Yield a client's messages; answer those beyond its rate with an error.

    Raise `WebSocketDisconnect` at the end.
    """
    rate = registry.settings.message_rate
    bucket = TokenBucket(rate, MESSAGE_BURST)
    while True:
        text = await receive_text(registry, connection.socket)
        try:
            if not bucket.take():
                await asyncio.sleep(1 / rate)  # backpressure for this client alone
                raise RateLimitError("messages", 1 / rate)
            await limits.charge(connection.address, prices.MESSAGE)
        except RateLimitError as error:
            connection.send_error(error, message_id(text))
            continue
        yield text


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
        seq, duplicate = await room.submit(command)
    except ApiError as error:
        connection.send_error(error, message.id)
        return
    if isinstance(message, ms.HintIn):
        connection.hint_pending = True
        task = asyncio.create_task(_send_hint(room, connection, message))
        task.add_done_callback(lambda _: setattr(connection, "hint_pending", False))
        return
    connection.send(_ack(message.id, seq, duplicate))


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


async def receive_text(registry: Registry, socket: WebSocket) -> str:
    """Return the next message of a client; raise `WebSocketDisconnect` at the end."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005))
    text = message.get("text")
    if text is None:
        raise ApiError("invalid", "Messages must be text.")
    limit = registry.settings.max_message
    if len(text.encode()) > limit:
        raise ApiError("too_large", f"The message is too large (limit {limit:,} bytes).")
    return str(text)


def close_reason(message: str) -> str:
    """Return as much of a message as a close frame may have."""
    return message.encode()[:MAX_REASON].decode(errors="ignore")


def check_table_id(given: str, what: str = "table") -> str:
    """Return the id of a table, or of something else, if its form is right; or raise `ApiError`."""
    if not (len(given) == ID_LENGTH and given.isascii() and given.isalnum()):
        raise ApiError("not_found", f"There is no such {what}.")
    return given


def invalid_message(error: ValidationError) -> ApiError:
    """Return the API error for a message that does not follow the protocol."""
    return validation_error(error.errors(include_url=False, include_input=False))


def message_id(text: str) -> int | None:
    """Return the id of an invalid message, if it can be read."""
    try:
        found = json.loads(text)["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _ack(message_id: int, seq: int, duplicate: bool) -> str:
    ack: dict[str, Any] = {"type": "ack", "id": message_id, "seq": seq}
    return to_json({**ack, "duplicate": True} if duplicate else ack)
