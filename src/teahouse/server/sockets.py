"""The socket of a table: messages in, messages out, nobody waits for the slow."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from teahouse.server import messages as ms
from teahouse.server.errors import Refused, malformed
from teahouse.server.hints import NO_ADVICE, advice
from teahouse.server.middleware import Bucket
from teahouse.server.registry import House
from teahouse.server.room import Live, seats_opened, to_json
from teahouse.server.store import StoreError
from teahouse.server.worker_pool import WorkError

JOIN_SECONDS = 10.0
BURST = 30.0
MAX_WAITING = 100  # messages for somebody who does not take them
CLOSE = {
    "invalid": 4400,
    "secret": 4403,
    "missing": 4404,
    "large": 4413,
    "fast": 4429,
    "limit": 4429,
}

log = logging.getLogger("teahouse.sockets")
router = APIRouter()


class Connection:
    """Somebody's socket at a table."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.seats: frozenset[int] = frozenset()
        self.views = True
        self.asking = False
        """Whether a hint is being thought about."""
        self._waiting: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue(MAX_WAITING)

    def send(self, message: str) -> None:
        """Pass a message on; who is too slow must come back and ask what was missed."""
        try:
            self._waiting.put_nowait(message)
        except asyncio.QueueFull:
            self.dismiss(1013, "too slow: come back")

    def dismiss(self, code: int, why: str) -> None:
        """End the connection, after what was sent before if there is room."""
        with contextlib.suppress(asyncio.QueueFull):
            self._waiting.put_nowait((code, why))
            return
        while not self._waiting.empty():
            self._waiting.get_nowait()
        self._waiting.put_nowait((code, why))

    async def deliver(self) -> None:
        """Send what waits, until the end."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the other side is gone
            while True:
                message = await self._waiting.get()
                if isinstance(message, tuple):
                    await self.socket.close(*message)
                    return
                await self.socket.send_text(message)


@router.websocket("/api/tables/{table_id}/socket")
async def table_socket(socket: WebSocket, table_id: str) -> None:
    """A table, live."""
    house: House = socket.app.state.house
    await socket.accept()
    if house.sockets >= house.settings.max_sockets:
        await socket.close(4429, "the house is full; try again later")
        return
    house.sockets += 1
    connection = Connection(socket)
    delivering = asyncio.create_task(connection.deliver())
    live: Live | None = None
    try:
        joining = await _joining(house, socket)
        live = await house.table(checked_id(table_id))
        connection.views = joining.views
        seats = seats_opened(live.keys, joining.secrets)
        await house.join(live, connection, seats, joining.seen)
        await _listen(house, live, connection)
    except Refused as refused:
        connection.send(_refusal(refused, None))
        connection.dismiss(CLOSE.get(refused.code, 1012), refused.why[:100])
        await delivering
    except TimeoutError:
        connection.dismiss(4408, "the first message must come at once")
        await delivering
    except WebSocketDisconnect:
        pass
    except Exception as error:
        story = None if isinstance(error, StoreError) else error
        log.error("a message could not be followed: %s", error, exc_info=story)
        connection.dismiss(1012, "something is wrong with the house: come back")
        await delivering
    finally:
        house.sockets -= 1
        if live is not None:
            house.leave(live, connection)
        delivering.cancel()


async def _joining(house: House, socket: WebSocket) -> ms.Join:
    async with asyncio.timeout(JOIN_SECONDS):
        text = await _text(house, socket)
    try:
        return ms.join.validate_json(text)
    except ValidationError as error:
        raise invalid(error) from None


async def _listen(house: House, live: Live, connection: Connection) -> None:
    """Follow messages until the socket ends, from whichever side."""
    bucket = Bucket(house.settings.message_rate, BURST)
    while True:
        text = await _text(house, connection.socket)
        if bucket.take():
            await _heed(house, live, connection, text)
        else:
            connection.send(_refusal(Refused("fast", "too many messages; slow down"), _id_of(text)))
            await asyncio.sleep(1 / house.settings.message_rate)  # others are heard meanwhile


async def _heed(house: House, live: Live, connection: Connection, text: str) -> None:
    """Follow one message, or say why not."""
    try:
        message = ms.command.validate_json(text)
    except ValidationError as error:
        connection.send(_refusal(invalid(error), _id_of(text)))
        return
    if isinstance(message, ms.Ping):
        connection.send(_done(message.id, live.table.number, False))
        return
    try:
        if message.seat not in connection.seats:
            raise Refused(
                "seat",
                f"seat {message.seat} is not yours",
                [str(s) for s in sorted(connection.seats)],
            )
        if isinstance(message, ms.Hint) and connection.asking:
            raise Refused("busy", "one hint at a time")
        number, repeated = await house.follow(live, message)
    except Refused as refused:
        connection.send(_refusal(refused, message.id))
        return
    if isinstance(message, ms.Hint):
        task = asyncio.create_task(_hint(house, live, connection, message))
        connection.asking = True
        task.add_done_callback(lambda _: setattr(connection, "asking", False))
        return
    connection.send(_done(message.id, number, repeated))


async def _hint(house: House, live: Live, connection: Connection, message: ms.Hint) -> None:
    try:
        found = await advice(house.bots, live.table.position)
    except (Refused, WorkError) as trouble:
        refused = trouble if isinstance(trouble, Refused) else NO_ADVICE
        connection.send(_refusal(refused, message.id))
        return
    head = {"type": "hint", "id": message.id, "ply": message.ply}
    connection.send(to_json({**head, **found}))


async def _text(house: House, socket: WebSocket) -> str:
    text = await socket.receive()
    if text["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(text.get("code", 1005))
    if text.get("text") is None:
        raise Refused("invalid", "messages are text")
    if len(text["text"].encode()) > house.settings.max_message:
        raise Refused("large", f"a message has at most {house.settings.max_message} bytes")
    return str(text["text"])


def checked_id(given: str) -> str:
    """A table's id, if it can be one."""
    if not (len(given) == 10 and given.isascii() and given.isalnum()):
        raise Refused("missing", "there is no such table")
    return given


def invalid(error: ValidationError) -> Refused:
    """What is wrong with a message, for people."""
    return malformed(error.errors(include_url=False, include_input=False, include_context=False))


def _id_of(text: str) -> int | None:
    try:
        found = json.loads(text)["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _refusal(refused: Refused, number: int | None) -> str:
    return to_json({"type": "refused", "id": number, **refused.body})


def _done(message_id: int, number: int, repeated: bool) -> str:
    done: dict[str, Any] = {"type": "done", "id": message_id, "number": number}
    return to_json({**done, "repeated": True} if repeated else done)
