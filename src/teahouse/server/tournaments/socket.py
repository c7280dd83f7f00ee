"""The WebSocket of a tournament: it sends the whole tournament whenever it has changed."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import TypeAdapter, ValidationError

from teahouse.server import messages as ms
from teahouse.server import prices
from teahouse.server.errors import RECONNECT, ApiError
from teahouse.server.limits import Limits
from teahouse.server.registry import Registry
from teahouse.server.sockets import (
    Connection,
    check_table_id,
    close_reason,
    counted,
    invalid_message,
    message_id,
    paced_messages,
)
from teahouse.server.store import StoreError
from teahouse.server.tournaments.host import Host
from teahouse.server.tournaments.service import Tournaments
from teahouse.server.wire import to_json

router = APIRouter()
_adapter: TypeAdapter[ms.PingIn] = TypeAdapter(ms.PingIn)


@router.websocket("/api/tournaments/{tournament_id}/socket")
async def tournament_socket(socket: WebSocket, tournament_id: str) -> None:
    """Follow a tournament; pings are answered."""
    registry: Registry = socket.app.state.registry
    limits: Limits = socket.app.state.limits
    tournaments: Tournaments = socket.app.state.tournaments
    connection = Connection(socket)
    await socket.accept()
    delivery = asyncio.create_task(connection.deliver())
    host: Host | None = None
    try:
        await limits.charge(connection.address, prices.JOIN)
        with counted(registry, limits, connection.address):
            host = await tournaments.host(check_table_id(tournament_id, "tournament"))
            host.subscribe(connection)
            async for text in paced_messages(registry, limits, connection):
                _answer(connection, text)
    except ApiError as error:
        connection.disconnect(error.close_code, close_reason(error.message))
        await delivery
    except StoreError:
        connection.disconnect(RECONNECT, "The database is not available right now.")
        await delivery
    except WebSocketDisconnect:
        pass
    finally:
        if host is not None:
            host.subscribers.discard(connection)
        delivery.cancel()


def _answer(connection: Connection, text: str) -> None:
    try:
        message = _adapter.validate_json(text)
    except ValidationError as error:
        connection.send_error(invalid_message(error), message_id(text))
        return
    connection.send(to_json({"type": "ack", "id": message.id}))
