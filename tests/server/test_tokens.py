"""API tokens and bot accounts, as a person creates them in a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from support.accounts import Browser
from support.servers import Client, ServerProcess, running_server
from websockets.exceptions import ConnectionClosed

import teahouse as th
from teahouse.server.accounts.open_sockets import OpenSockets, remember_credential
from teahouse.server.accounts.tokens import SCOPES
from teahouse.server.web.errors import ApiError

GAME = next(game for game in th.games() if len(th.load(game).players) == 2)
TABLE = {"game": GAME, "seats": [{"kind": "local"}, {"kind": "bot", "level": 1}]}


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server where accounts may have few bots and tokens, and tokens few requests."""
    database = tmp_path_factory.mktemp("tokens") / "teahouse.db"
    limits = {"max_bot_accounts": 2, "max_tokens": 3, "max_sockets_per_token": 2}
    with running_server(str(database), token_rate=1.0, **limits) as server:
        yield server


@pytest.fixture(scope="module")
def owner(own_server: ServerProcess) -> Browser:
    """A person who is signed in."""
    return Browser(own_server).sign_up("Owner")


def new_token(owner: Browser, bot: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Create a token of a bot account."""
    body = {"name": "laptop", "scopes": list(SCOPES), "account": bot["id"], **more}
    created: dict[str, Any] = owner.post("/api/account/tokens", **body)
    return created


def ask(server: ServerProcess, token: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Send a request with a token."""
    return server.request(path, body, Authorization=f"Bearer {token}")


def join(server: ServerProcess, token: str, table: str) -> Client:
    """Open a table's socket with a token."""
    return server.join(table, headers={"Authorization": f"Bearer {token}"})


def close_code(client: Client) -> int:
    """Wait until a socket is closed; return its code."""
    with pytest.raises(ConnectionClosed):
        client.receive("never")
    code = client.socket.close_code
    assert code is not None
    return code


def test_a_bot_account_plays_by_its_token_until_that_is_revoked(
    own_server: ServerProcess, owner: Browser
) -> None:
    bot = owner.post("/api/account/bots", name="Kettle")
    created = new_token(owner, bot)
    token = created.pop("token")
    assert token.startswith("th_")
    assert ask(own_server, token, "/api/account")[1]["account"]["kind"] == "bot"
    of_a_proxy = own_server.request("/api/account", Authorization="Basic dGVhOmhvdXNl")
    assert of_a_proxy == (200, {"account": None})

    status, table = ask(own_server, token, "/api/tables", TABLE)
    assert status == 201
    with (
        join(own_server, token, table["id"]) as player,
        join(own_server, token, table["id"]) as second,
    ):
        seat = player.receive("table")
        assert seat["your_seats"] == [0]
        assert seat["state"]["seats"][0]["account"] == {
            "id": bot["id"],
            "name": "Kettle",
            "kind": "bot",
        }
        second.receive("table")
        with join(own_server, token, table["id"]) as third:  # of two that it may have
            assert close_code(third) == 4429

        listed = owner.request("/api/account/tokens")[1]
        (listed_bot,) = [one for one in listed["bots"] if one["id"] == bot["id"]]
        (shown,) = listed_bot["tokens"]
        assert shown["used"] is not None and "token" not in shown
        assert {**shown, "used": None} == created

        owner.post(f"/api/account/tokens/{created['id']}/revoke")
        assert (close_code(player), close_code(second)) == (4401, 4401)
    assert ask(own_server, token, "/api/account")[1]["code"] == "invalid_token"
    with join(own_server, token, table["id"]) as again:
        assert close_code(again) == 4401


async def test_sockets_end_when_their_token_expires() -> None:
    class Socket:
        def __init__(self) -> None:
            self.closed = asyncio.Event()
            self.codes: list[int] = []

        def disconnect(self, code: int, reason: str) -> None:
            self.codes.append(code)
            self.closed.set()

    lasting, expired = Socket(), Socket()
    sockets, tokens = OpenSockets(), [HTTPConnection({"type": "websocket"}) for _ in range(2)]
    for connection, seconds_left in zip(tokens, (86_400.0, 0.0), strict=True):
        remember_credential(connection, "token", seconds_left)
    with sockets.opened(tokens[0], lasting), sockets.opened(tokens[1], expired):
        await expired.closed.wait()
    assert (lasting.codes, expired.codes) == ([], [4401])


def test_sockets_of_a_token_that_are_opened_at_once_are_counted() -> None:
    """When they are registered: authentication waits for the database."""

    class Socket:
        def disconnect(self, code: int, reason: str) -> None:
            raise AssertionError(reason)

    sockets, tokens = OpenSockets(), [HTTPConnection({"type": "websocket"}) for _ in range(3)]
    for connection in tokens:
        remember_credential(connection, "token", max_sockets=2)
    with ExitStack() as held:
        for connection in tokens[:2]:
            held.enter_context(sockets.opened(connection, Socket()))
        with pytest.raises(ApiError, match="2 sockets"):
            held.enter_context(sockets.opened(tokens[2], Socket()))
    with sockets.opened(tokens[2], Socket()):
        pass


def test_tokens_are_for_ones_own_accounts(own_server: ServerProcess, owner: Browser) -> None:
    stranger = Browser(own_server).sign_up("Stranger")
    bot = stranger.post("/api/account/bots", name="Pot")
    body = {"name": "stolen", "scopes": ["play"], "account": bot["id"]}
    assert owner.request("/api/account/tokens", body)[0] == 404
    token = new_token(stranger, bot)
    assert owner.request(f"/api/account/tokens/{token['id']}/revoke", {})[0] == 404
    assert owner.request(f"/api/account/bots/{bot['id']}/delete", {})[0] == 404
    assert ask(own_server, token["token"], "/api/account")[0] == 200
    # A bot manages nothing, and nobody signs in as one.
    for path in ("/api/account/tokens", "/api/account/bots"):
        assert (
            ask(own_server, token["token"], path, {"name": "More"})[1]["code"] == "sign_in_required"
        )
    bad = {"name": "Pot", "password": ""}
    assert (
        stranger.request("/api/account/sign-in", {**bad, "password": "any word at all"})[0] == 401
    )


def test_numbers_are_limited(own_server: ServerProcess) -> None:
    owner = Browser(own_server).sign_up("Collector")
    bot = owner.post("/api/account/bots", name="Samovar")
    owner.post("/api/account/bots", name="Strainer")
    for number in range(3):
        new_token(owner, bot, name=f"token {number}", days=1)
    more = {"name": "more", "scopes": ["read"], "account": bot["id"]}
    status, answer = owner.request("/api/account/tokens", more)
    assert (status, answer["code"]) == (429, "at_capacity")
    status, answer = owner.request("/api/account/bots", {"name": "Third"})
    assert (status, answer["code"]) == (429, "at_capacity")
    owner.post(f"/api/account/bots/{bot['id']}/delete")
    assert owner.request("/api/account/bots", {"name": "C0llector"})[1]["code"] == "name_taken"
    owner.post("/api/account/bots", name="Third")


def test_a_token_has_its_own_rate(own_server: ServerProcess, owner: Browser) -> None:
    first, second = (
        owner.post("/api/account/tokens", name=name, scopes=["read"])["token"]
        for name in ("first", "second")
    )
    path, body = "/api/status", {"tables": [{"id": "aaaaaaaaaa"}]}
    for _ in range(100):  # each costs more than a second gives
        status, answer = ask(own_server, first, path, body)
        if status != 200:
            break
    assert (status, answer["code"]) == (429, "rate_limited")
    assert ask(own_server, second, path, body)[0] == 200
    assert owner.request("/api/account")[0] == 200
