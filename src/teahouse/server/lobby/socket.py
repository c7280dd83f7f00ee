"""The WebSocket of the lobby."""

from __future__ import annotations

from fastapi import APIRouter, WebSocket
from pydantic import ValidationError

from teahouse.server.accounts.identity import account_of, check_active
from teahouse.server.accounts.open_sockets import open_sockets
from teahouse.server.lobby.lobby import Lobby
from teahouse.server.lobby.members import Member
from teahouse.server.lobby.messages import (
    BoardsIn,
    SeekIn,
    StopIn,
    enter_adapter,
    message_adapter,
)
from teahouse.server.lobby.routes import visitor_of
from teahouse.server.tables.seat_keys import new_secret
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

router = APIRouter()


@router.websocket("/api/lobby/socket")
async def lobby_socket(socket: WebSocket) -> None:
    """Send the lobby, pair seeks, and notify accounts of their games."""
    await serve(socket, _visit)


async def _visit(connection: Connection) -> None:
    """Enter the lobby and process messages until either side closes the connection."""
    socket = connection.socket
    lobby: Lobby = socket.app.state.lobby
    limits: Limits = socket.app.state.limits
    member = await _member(lobby, connection)
    with open_sockets(socket).opened(socket, connection):
        try:
            await lobby.enter(member)
            async for text in paced_messages(connection):
                await _process(lobby, limits, connection, member, text)
        finally:
            lobby.leave(member)


async def _member(lobby: Lobby, connection: Connection) -> Member:
    """Wait for the first message; return who enters. A guest without a key only looks."""
    text = await receive_first(connection.socket)
    try:
        enter = enter_adapter.validate_json(text)
    except ValidationError as error:
        raise invalid_message(error) from None
    if enter.protocol != ms.PROTOCOL:
        raise unsupported_protocol()
    account = await account_of(connection.socket, "read")
    if account is None and enter.key is None:
        enter = enter.model_copy(update={"key": new_secret()})
    visitor = visitor_of(account, enter)
    hidden = await lobby.relations.hidden(visitor)
    return Member(
        visitor,
        connection,
        connection.address,
        boards=enter.boards,
        follows=enter.follows,
        hidden=hidden,
        accepts=enter.accepts,
    )


async def _process(
    lobby: Lobby, limits: Limits, connection: Connection, member: Member, text: str
) -> None:
    """Carry out a message and acknowledge it, or answer with an error."""
    try:
        message = message_adapter.validate_json(text)
    except ValidationError as error:
        connection.send_error(invalid_message(error), message_id(text))
        return
    ack = to_json({"type": "ack", "id": message.id})
    try:
        match message:
            case SeekIn():
                await limits.charge(connection.address, prices.SEEK)
                if member.visitor.account is not None:
                    check_active(connection.socket, member.visitor.account)
                connection.send(ack)
                await lobby.pairing.seek(member, message)
                return
            case StopIn():
                lobby.pairing.stop(member)
            case BoardsIn(on=on):
                lobby.show_boards(member, on)
    except ApiError as error:
        connection.send_error(error, message.id)
        return
    connection.send(ack)
