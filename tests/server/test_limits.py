"""Limits of connections, headers, time and tables for each address, on a running server."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from support.servers import WAIT, ServerProcess, running_server
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from teahouse.core import packages
from teahouse.server.settings import ServerSettings
from teahouse.server.web.client_address import TrustedProxies
from teahouse.server.web.connections import Connections
from teahouse.server.web.limits import Limits, RateLimitError
from teahouse.server.web.middleware import is_length
from teahouse.server.web.prices import JOIN, price_of, table_of
from teahouse.server.web.protocols import LimitedConfig, LimitedHttp
from teahouse.server.web.rate_limit import RateLimiter, TokenBucket

PEOPLE = [{"kind": "remote"}, {"kind": "remote"}]
BOTS = [{"kind": "bot", "level": 1}, {"kind": "bot", "level": 1}]
SMALL: dict[str, Any] = {"game": "orochi", "options": {"side": 2}}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with low limits for each address."""
    database = tmp_path_factory.mktemp("limits") / "teahouse.db"
    with running_server(
        str(database),
        max_connections_per_address=6,
        max_sockets_per_address=2,
        max_tables_per_address=2,
        max_bot_tables_per_address=1,
        max_header=2_000,
        max_body=5_000,
        header_seconds=0.2,
        body_seconds=0.2,
        trusted_proxies=["127.0.0.9"],
    ) as server:
        yield server


def open_connection(server: ServerProcess, address: str) -> socket.socket:
    """Connect from an address of the loopback network."""
    host, port = server.address.removeprefix("http://").split(":")
    opened = socket.create_connection((host, int(port)), WAIT, (address, 0))
    opened.settimeout(WAIT)
    return opened


def exchange(server: ServerProcess, address: str, data: bytes) -> tuple[int, bytes]:
    """Send raw data and return the status and everything that is answered until the end."""
    with open_connection(server, address) as connection:
        connection.sendall(data)
        answer = b""
        try:
            while part := connection.recv(65_536):
                answer += part
        except ConnectionResetError:
            pass
    return int(answer.split(b" ", 2)[1]) if answer else 0, answer


def request(
    server: ServerProcess, address: str, path: str, body: Any, *headers: str
) -> tuple[int, Any]:
    content = json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers]
    lines += ["Content-Type: application/json", f"Content-Length: {len(content)}", "", ""]
    status, answer = exchange(server, address, "\r\n".join(lines).encode() + content)
    return status, json.loads(answer.split(b"\r\n\r\n", 1)[1])


def join(server: ServerProcess, address: str, table: str) -> ClientConnection:
    url = f"{server.address.replace('http', 'ws')}/api/tables/{table}/socket"
    connecting = connect(url, source_address=(address, 0), ping_interval=None, close_timeout=1)
    joined: ClientConnection = connecting.__enter__()
    with suppress(ConnectionClosed):  # reported by the next `recv`
        joined.send('{"type": "join"}')
    return joined


def close_code(client: ClientConnection) -> int:
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            client.recv(timeout=WAIT)
    assert closed.value.rcvd is not None
    return int(closed.value.rcvd.code)


GET = b"GET /api HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (GET + b"\r\n", 200),
        (GET.replace(b"GET", b"HEAD") + b"\r\n", 200),
        (GET + b"Content-Length: " + b"0" * 1_500 + b"\r\n\r\n", 200),
        (GET + b"Content-Length: 99999999999999999999999\r\n\r\n", 400),
        (GET + b"X: " + b"a" * 3_000 + b"\r\n\r\n", 431),
        (GET + b"X: " + b"a" * 300_000, 431),  # it never ends
        (GET.replace(b"/api", b"/" + b"a" * 300_000), 431),
        (GET + b"X: a\r\n" * 150 + b"\r\n", 431),
        (GET.replace(b"Connection: close\r\n", b"\r\n") * 50, 429),  # pipelined
        (GET + b"X: ", 0),  # closed after a while
        (b"", 0),
        (b"\r\n", 0),
        (b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{", 0),
    ],
)
def test_requests_are_bounded_in_size_and_time(
    small: ServerProcess, data: bytes, status: int
) -> None:
    assert exchange(small, "127.0.0.2", data)[0] == status


async def test_a_client_that_leaves_is_noticed_by_the_request_in_progress() -> None:
    """Uvicorn tells only the last one of several requests that were sent at once."""
    events: asyncio.Queue[str] = asyncio.Queue()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            events.put_nowait(f"{scope['path']} {message['type']}")
            if message["type"] == "http.disconnect":
                return

    settings = ServerSettings(database="")
    connections = Connections(settings, TrustedProxies([], settings.proxy_header))
    config = LimitedConfig(app, connections, lifespan="off", log_config=None)
    config.load()
    loop, state = asyncio.get_running_loop(), ServerState()
    server = await loop.create_server(lambda: LimitedHttp(config, state, {}), "127.0.0.1", 0)
    async with server, asyncio.timeout(60):
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        pipelined = [f"GET /{name} HTTP/1.1\r\nHost: localhost\r\n\r\n" for name in "ab"]
        writer.write("".join(pipelined).encode())
        assert await events.get() == "/a http.request"
        writer.transport.abort()
        assert await events.get() == "/a http.disconnect"


def test_a_head_request_has_the_headers_of_the_page_and_no_body(small: ServerProcess) -> None:
    head = b"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    status, answer = exchange(small, "127.0.0.2", head)
    page = exchange(small, "127.0.0.2", head.replace(b"HEAD", b"GET"))[1]
    assert (status, answer.split(b"\r\n\r\n", 1)[1]) == (200, b"")
    length = len(page.split(b"\r\n\r\n", 1)[1])
    assert b"content-length: %d\r\n" % length in answer.lower()


def test_a_large_body_is_refused_before_it_is_read(small: ServerProcess) -> None:
    head = b"POST /api/records HTTP/1.1\r\nHost: localhost\r\n"
    assert exchange(small, "127.0.0.2", head + b"Content-Length: 6000\r\n\r\n")[0] == 413
    chunk = b"3e8\r\n" + b"x" * 1_000 + b"\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 6
    assert exchange(small, "127.0.0.2", chunked)[0] == 413
    assert exchange(small, "127.0.0.2", chunked + chunk * 100)[0] in (0, 413)  # or cut off


@pytest.mark.parametrize("first", [0x89, 0x8A, 0x00], ids=["ping", "pong", "fragment"])
def test_floods_of_frames_close_the_socket(small: ServerProcess, first: int) -> None:
    address = f"127.0.0.{20 + first % 8}"
    table = request(small, address, "/api/tables", {**SMALL, "seats": PEOPLE})[1]["id"]
    with join(small, address, table) as flooding:
        flood = (bytes([first]) + b"\x80mask") * 10_000
        if first == 0x00:
            flood = b"\x01\x80mask" + flood * 1_000  # the beginning of a message
        with pytest.raises(OSError):  # reset, or a broken pipe
            for _ in range(100):
                flooding.socket.sendall(flood)
    with join(small, address, table) as again:
        assert json.loads(again.recv(timeout=WAIT))["type"] == "table"


def test_few_frames_too_many_have_a_close_code(small: ServerProcess) -> None:
    table = request(small, "127.0.0.5", "/api/tables", {**SMALL, "seats": PEOPLE})[1]["id"]
    with join(small, "127.0.0.5", table) as client:
        client.socket.sendall(b"\x89\x80mask" * 51)
        assert close_code(client) == 1008


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x81\x82mask\x92\x9f", 1007),  # not UTF-8
        (b"\x81\x02{}", 1002),  # not masked
        (b"\x83\x80mask", 1002),  # a reserved opcode
        (b"\x81\xfe\x13\x88mask" + bytes(5_000), 1009),
        (b"\x82\x81mask\x00", 4400),  # not a text
        (b"\x88\x82mask" + bytes([0x03 ^ ord("m"), 0xE8 ^ ord("a")]), 1000),
    ],
    ids=["utf-8", "unmasked", "opcode", "size", "binary", "close"],
)
def test_close_codes(small: ServerProcess, data: bytes, code: int) -> None:
    table = request(small, f"127.0.1.{code % 250}", "/api/tables", {**SMALL, "seats": PEOPLE})[1]
    with join(small, "127.0.1.1", table["id"]) as client:
        assert json.loads(client.recv(timeout=WAIT))["type"] == "table"
        client.socket.sendall(data)
        assert close_code(client) == code


def test_an_address_has_some_connections_and_sockets(small: ServerProcess) -> None:
    table = request(small, "127.0.0.3", "/api/tables", {**SMALL, "seats": PEOPLE})[1]["id"]
    first, second = (join(small, "127.0.0.3", table) for _ in range(2))
    assert json.loads(first.recv(timeout=WAIT))["type"] == "table"
    third = join(small, "127.0.0.3", table)
    assert close_code(third) == 4429
    held = [open_connection(small, "127.0.0.3") for _ in range(4)]
    status, answer = exchange(small, "127.0.0.3", GET + b"\r\n")
    assert (status, b"Too many connections" in answer) == (503, True)
    assert exchange(small, "127.0.0.4", GET + b"\r\n")[0] == 200
    for socket_ in (first, second):
        socket_.close()
    for connection in held:
        connection.close()


def test_an_address_has_some_unfinished_tables(small: ServerProcess) -> None:
    def create(seats: Any, address: str = "127.0.0.6", *headers: str) -> tuple[int, Any]:
        return request(small, address, "/api/tables", {**SMALL, "seats": seats}, *headers)

    assert create(BOTS)[0] == 201
    status, error = create(BOTS)
    assert (status, error["code"]) == (429, "at_capacity")
    assert "games of bots only" in error["message"]
    status, created = create(PEOPLE)
    assert status == 201
    assert "2 unfinished games" in create(PEOPLE)[1]["message"]
    forged = "X-Forwarded-For: 192.0.2.1"
    assert create(PEOPLE, "127.0.0.6", forged)[0] == 429
    assert create(PEOPLE, "127.0.0.9", forged)[0] == 201  # by a trusted proxy
    with small.join(created["id"], created["seats"][0]["secret"]) as player:
        player.receive("table")
        assert player.request(type="resign", seat=0)["type"] == "ack"
    assert create(PEOPLE)[0] == 201


def test_rematches_of_games_that_bots_play_on_are_tables_too(tmp_path: Path) -> None:
    seats = [{"kind": "local"}, *({"kind": "bot", "level": 1} for _ in range(2))]
    limits = {"max_tables_per_address": 3, "bot_move_seconds": 60.0}
    with running_server(str(tmp_path / "teahouse.db"), **limits) as server:
        table, secrets = server.create_table(game="fillit", options={"mode": "3"}, seats=seats)
        for left in (2, 1, 0):
            with server.join(table, *secrets) as client:
                (seat,) = client.receive("table")["your_seats"]
                client.request(type="resign", seat=seat)
                answer = client.request(type="offer", seat=seat, offer="rematch")
                if left:
                    assert answer["type"] == "ack"
                    table = server.request(f"/api/tables/{table}")[1]["state"]["rematch"]
        assert answer["code"] == "at_capacity"


def test_requests_over_the_rate_wait_or_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("teahouse.server.web.limits.asyncio.sleep", sleep)
    limits = Limits(ServerSettings(database="", request_rate=2.0))

    async def run() -> None:
        nonlocal now
        await limits.charge("a", 60.0)  # the burst
        await limits.charge("a", 2.0)
        assert slept == [1.0]  # later than it wanted
        with pytest.raises(RateLimitError, match="Please slow down") as refused:
            await limits.charge("a", 8.0)
        assert refused.value.retry_after == 5
        assert slept == [1.0, 1.0]
        await limits.charge("b", 60.0)  # another address
        now = 6.0
        await limits.charge("a", 10.0)
        assert len(slept) == 2

    asyncio.run(run())


def test_a_class_behind_one_address_starts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    settings = ServerSettings(database="")
    limits = Limits(settings)
    people, files = 30, ["/static/js/table.js"] * 35
    home = [("GET", "/"), *(("GET", file) for file in files[:12])]
    table = [("GET", "/tables/aaaaaaaaaa"), *(("GET", file) for file in files)]
    create = [("POST", "/api/tables"), ("POST", "/api/status")]

    async def run() -> None:
        nonlocal now
        for requests in (home, [*create, *table]):
            for method, path in people * requests:
                await limits.charge("school", price_of(method, path).units)
            now += 5.0
        for _ in range(people):
            await limits.charge("school", JOIN)

    asyncio.run(run())
    assert people <= settings.max_sockets_per_address
    assert people <= settings.max_tables_per_address
    assert people * 7 <= settings.max_connections_per_address


def test_few_requests_of_an_address_run_at_once() -> None:
    limits = Limits(ServerSettings(database="", max_requests_per_address=2))

    async def run() -> None:
        running, most, done = 0, 0, asyncio.Event()

        async def work() -> None:
            nonlocal running, most
            async with limits.running("a"):
                running += 1
                most = max(most, running)
                await done.wait()
                running -= 1

        tasks = [asyncio.create_task(work()) for _ in range(10)]
        await asyncio.sleep(0)
        async with limits.running("b"):
            done.set()
        await asyncio.gather(*tasks)
        assert most == 2
        assert not limits._running

    asyncio.run(run())


def test_buckets_of_the_least_recent_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teahouse.server.web.rate_limit.MAX_CLIENTS", 2)
    limiter = RateLimiter(0.001, 1.0)
    assert limiter.reserve("a", 1.0) == 0.0
    assert limiter.reserve("a", 1.0) > 0.0
    for key in ("b", "c"):
        limiter.reserve(key, 1.0)
    assert limiter.reserve("a", 1.0) == 0.0
    assert TokenBucket(1.0, 5.0).take(5.0)
    assert not TokenBucket(1.0, 5.0).take(6.0)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [("0", True), ("100", True), ("0" * 5_000 + "9", True), ("101", False), ("9" * 5_000, False)]
    + [(text, False) for text in ("", "-1", "+1", "1 ", "\u00b2", "0x1", "1_0")],
)
def test_content_lengths(text: str, allowed: bool) -> None:
    assert is_length(text, 100) is allowed


def test_prices() -> None:
    assert price_of("GET", "/static/js/board.js").units < price_of("GET", "/").units
    assert price_of("HEAD", "/static/x") == price_of("GET", "/static/x")
    assert price_of("POST", "/api/tables").units > price_of("GET", "/api/tables/x").units
    assert price_of("POST", "/api/explore").per_kilobyte > 0
    assert table_of("/api/tables/aaaaaaaaaa/plies/3") == table_of("/tables/aaaaaaaaaa")
    assert table_of("/api/tables") is None


def test_a_folder_that_cannot_be_read_is_no_missing_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_descriptors(_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    packages._games_in.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", no_descriptors)
        patch.setattr(os, "listdir", no_descriptors)
        with pytest.raises(OSError, match="Too many open files"):
            packages.builtin_games()
    assert "oolong" in packages.builtin_games()
