"""The WebSocket of a tournament: it sends the whole tournament whenever it has changed."""

from __future__ import annotations

from fastapi import APIRouter, WebSocket
from pydantic import TypeAdapter, ValidationError

from teahouse.server.tables.socket import check_table_id
from teahouse.server.tournaments.service import Tournaments
from teahouse.server.web import messages as ms
from teahouse.server.web.client_socket import (
    Connection,
    invalid_message,
    message_id,
    paced_messages,
    serve,
)
from teahouse.server.web.wire import to_json

router = APIRouter()
_adapter: TypeAdapter[ms.PingIn] = TypeAdapter(ms.PingIn)


@router.websocket("/api/tournaments/{tournament_id}/socket")
async def tournament_socket(socket: WebSocket, tournament_id: str) -> None:
    """Follow a tournament; pings are answered."""
    tournaments: Tournaments = socket.app.state.tournaments

    async def follow(connection: Connection) -> None:
        host = await tournaments.host(check_table_id(tournament_id, "tournament"))
        host.subscribe(connection)
        try:
            async for text in paced_messages(connection):
                _answer(connection, text)
        finally:
            host.subscribers.discard(connection)

    await serve(socket, follow)


def _answer(connection: Connection, text: str) -> None:
    try:
        message = _adapter.validate_json(text)
    except ValidationError as error:
        connection.send_error(invalid_message(error), message_id(text))
        return
    connection.send(to_json({"type": "ack", "id": message.id}))
