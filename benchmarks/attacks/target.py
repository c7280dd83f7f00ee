"""The server under attack, as an attacker sees it: raw connections, requests and sockets."""

from __future__ import annotations

import asyncio
import json
import os
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 30.0
TEXT, PING, PONG, CONTINUATION = 0x1, 0x9, 0xA, 0x0


@dataclass
class Target:
    """A server, and the address that one attacker connects from."""

    port: int
    address: str
    outcomes: Counter[str] = field(default_factory=Counter)
    """What the attacker was answered, counted; printed with the result."""

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection from the attacker's address."""
        opening = asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=(self.address, 0), limit=1 << 24
        )
        return await asyncio.wait_for(opening, CONNECT_SECONDS)

    async def request(
        self, method: str, path: str, body: Any = None, headers: Sequence[str] = ()
    ) -> tuple[int, bytes]:
        """Send a request on a connection of its own; return the status and the body."""
        reader, writer = await self.connect()
        try:
            return await self.exchange(reader, writer, method, path, body, headers, close=True)
        finally:
            writer.close()

    async def exchange(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        method: str,
        path: str,
        body: Any = None,
        headers: Sequence[str] = (),
        *,
        close: bool = False,
    ) -> tuple[int, bytes]:
        """Send a request on a connection and return the status and the body."""
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
        if content:
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        if close:
            lines.append("Connection: close")
        writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        await writer.drain()
        async with asyncio.timeout(ANSWER_SECONDS):
            status, answer = await _read_response(reader)
        self.outcomes[str(status)] += 1
        return status, answer

    async def create_table(
        self,
        seats: Sequence[dict[str, Any]],
        game: str = "orochi",
        start: str | None = None,
        **options: Any,
    ) -> tuple[str, list[str]] | None:
        """Create a table; return its id and secrets, or None if it was refused."""
        body: dict[str, Any] = {"game": game, "options": options, "seats": list(seats)}
        body |= {"seed": 0} if start is None else {"start": start}
        status, answer = await self.request("POST", "/api/tables", body)
        if status != 201:
            return None
        created = json.loads(answer)
        return created["id"], [seat["secret"] for seat in created["seats"]]

    async def open_socket(self, table: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open the WebSocket of a table."""
        return await self.open_socket_at(f"/api/tables/{table}/socket")

    async def open_socket_at(self, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a WebSocket without any library, so that any frame can be sent on it."""
        reader, writer = await self.connect()
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        async with asyncio.timeout(ANSWER_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        self.outcomes[str(status)] += 1
        if status != 101:
            writer.close()
            raise ConnectionRefusedError(f"status {status}")
        return reader, writer

    async def join(
        self, table: str, *secrets: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a WebSocket and join a table."""
        reader, writer = await self.open_socket(table)
        join = {"type": "join", "secrets": list(secrets), "snapshots": False}
        writer.write(frame(TEXT, json.dumps(join).encode()))
        return reader, writer

    async def repeat(self, work: Callable[[], Awaitable[Any]]) -> None:
        """Repeat some work until cancelled; count errors and pause after them."""
        while True:
            try:
                await work()
            except (OSError, EOFError, TimeoutError) as error:
                self.outcomes[type(error).__name__] += 1
                await asyncio.sleep(0.05)
            await asyncio.sleep(0)


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True) -> bytes:
    """Return a masked WebSocket frame."""
    mask = os.urandom(4)
    head = bytes([opcode | (0x80 if fin else 0)])
    if len(payload) < 126:
        head += bytes([0x80 | len(payload)])
    else:
        head += bytes([0x80 | 126]) + struct.pack("!H", len(payload))
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


async def read_frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return the opcode and the payload of the next frame from the server."""
    first, length = await reader.readexactly(2)
    if length == 126:
        (length,) = struct.unpack("!H", await reader.readexactly(2))
    elif length == 127:
        (length,) = struct.unpack("!Q", await reader.readexactly(8))
    return first & 0x0F, await reader.readexactly(length)


async def _read_response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    if b"content-length" in fields:
        return status, await reader.readexactly(int(fields[b"content-length"]))
    if fields.get(b"transfer-encoding") == b"chunked":
        body = b""
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
        return status, body
    return status, await reader.read()
