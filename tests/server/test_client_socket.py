"""A client's socket: messages written at once, and those that wait."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.websockets import WebSocket, WebSocketState

from teahouse.server.web.client_socket import Connection, text_frame
from teahouse.server.web.protocols import WRITE_FRAME


def test_messages_keep_their_order_while_a_client_is_slow() -> None:
    async def play() -> list[bytes]:
        sent: list[bytes] = []
        writable = asyncio.Event()

        def write(frame: bytes) -> bool:
            if writable.is_set():
                sent.append(frame)
            return writable.is_set()

        async def send(message: Any) -> None:
            await writable.wait()
            await asyncio.sleep(0)  # others run between the wake-up and the write
            sent.append(text_frame(message["text"]))

        scope = {"type": "websocket", "client": ("192.0.2.1", 1), "headers": [], WRITE_FRAME: write}
        socket = WebSocket(scope, receive=asyncio.Queue[Any]().get, send=send)
        socket.application_state = WebSocketState.CONNECTED
        connection = Connection(socket)
        delivery = asyncio.create_task(connection.deliver())
        connection.send("1")
        await asyncio.sleep(0)  # it waits in the task that delivers
        writable.set()
        connection.send("2")  # not before the first one
        connection.send("3")
        while len(sent) < 3:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        connection.send("4")
        assert len(sent) == 4, "nothing waits any more: it is written at once"
        delivery.cancel()
        return sent

    assert asyncio.run(play()) == [text_frame(one) for one in "1234"]
