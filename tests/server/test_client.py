"""`teahouse.client` against real servers."""

from __future__ import annotations

import asyncio
import json
import random

import httpx2
import pytest
from support.accounts import Browser
from support.servers import WAIT, ServerProcess

import teahouse as th
from teahouse.client import (
    AsyncClient,
    AuthenticationError,
    ChallengeGone,
    ChallengeReceived,
    Client,
    ClientError,
    ConnectionLostError,
    Correspondence,
    GameOver,
    GameStarted,
    HouseBot,
    Lobby,
    LobbyEvent,
    NotFoundError,
    Person,
    RateLimitError,
    Realtime,
    RequestError,
    Table,
)
from teahouse.client.channel import Channel
from teahouse.client.http import HttpApi
from teahouse.client.models import SeatSpec
from teahouse.server.accounts.tokens import SCOPES


@pytest.fixture(scope="module")
def bots(server: ServerProcess) -> tuple[ServerProcess, list[str]]:
    """A server with three bot accounts, and their tokens; the last one may only read."""
    owner = Browser(server).sign_up("Owner of clients")

    def token(name: str, *scopes: str) -> str:
        bot = owner.post("/api/account/bots", name=name)["id"]
        created = owner.post("/api/account/tokens", name="t", account=bot, scopes=scopes)
        return str(created["token"])

    return server, [token("Alpha", *SCOPES), token("Beta", *SCOPES), token("Reader", "read")]


async def next_event(lobby: Lobby, kind: type[LobbyEvent]) -> LobbyEvent:
    """Return the next event of a kind."""
    async for event in lobby.events():
        if isinstance(event, kind):
            return event
    raise AssertionError("the lobby has closed")


async def play_on(table: Table, turns: int) -> None:
    """Play random moves, at most as many as given."""
    choice = random.Random(1)
    async for position in table.turns():
        if turns == 0:
            return
        assert await table.play(choice.choice(position.legal))
        turns -= 1


@pytest.mark.parametrize("game", th.games())
async def test_a_guest_plays_every_game(server: ServerProcess, game: str) -> None:
    others: list[SeatSpec] = [HouseBot(1)] * (len(th.load(game).players) - 1)
    seats: list[SeatSpec] = [Person(name="Client"), *others]
    async with AsyncClient(server.address) as client:
        table = await client.create_table(game, seats, time_control=Realtime(600, 5))
        await play_on(table, 4)
        assert table.seats[0].name == "Client"
        left = table.seconds_left(0)
        assert left is not None and left < 700
        shown = server.request(f"/api/tables/{table.id}/plies/{len(table.moves)}")[1]
        assert shown["position"] == str(table.position)
        await table.chat("Thank you")
        await table.resign()
        assert table.over or len(table.seats) > 2  # with three sides a bot plays on


async def test_who_loses_a_seat_to_an_account_is_told_after_reconnecting(
    server: ServerProcess,
) -> None:
    seats = [{"kind": "remote"}, {"kind": "remote"}]
    table_id, secrets = server.create_table(game="orochi", seats=seats)
    async with AsyncClient(server.address) as client:
        table = await client.join(table_id, secrets[:1])
        assert table.own_seats == (0,)
        claiming = Browser(server).sign_up("Claims a seat")
        claimed = claiming.post(
            "/api/account/claim", tables=[{"id": table_id, "secrets": secrets[:1]}]
        )
        assert claimed == {"claimed": [table_id]}
        while table.own_seats:
            await asyncio.wait_for(table.next_change(), WAIT)
        assert not table.my_turn


async def test_a_request_while_others_are_sent_again_is_sent_too() -> None:
    requests: list[asyncio.Task[object]] = []

    class Socket:
        """A connection whose client waits with each message."""

        close_code = None

        def __init__(self) -> None:
            self.sent: list[str] = []

        async def send(self, text: str) -> None:
            self.sent.append(json.loads(text)["type"])
            if len(self.sent) == 1:
                requests.append(asyncio.create_task(channel.request({"type": "second"})))
            await asyncio.sleep(0.01)

        def __aiter__(self) -> Socket:
            return self

        async def __anext__(self) -> str:
            await asyncio.sleep(WAIT)
            raise StopAsyncIteration

    channel = Channel("http://localhost", {}, lambda: None, lambda _: None, WAIT)
    requests.append(asyncio.create_task(channel.request({"type": "first"}, repeat=True)))
    await asyncio.sleep(0)
    socket = Socket()
    serving = asyncio.create_task(channel._serve(socket))  # type: ignore[arg-type]
    await asyncio.sleep(0.1)
    assert socket.sent == ["first", "second"]
    for task in (serving, *requests):
        task.cancel()


async def test_a_set_up_position_is_known(server: ServerProcess) -> None:
    for game in th.games():
        position = th.load(game).start(3)
        position = position.play(position.legal[-1])
        table_id, secrets = server.create_table(
            game=game,
            start=str(position),
            seats=[{"kind": "local"}] * len(position.game.players),
        )
        async with AsyncClient(server.address) as client:
            table = await client.join(table_id, secrets)
            assert table.position == position
            assert len(table.own_seats) == len(position.game.players)


async def test_illegal_moves_never_reach_the_server(server: ServerProcess) -> None:
    game = th.games()[0]
    seats = [Person()] * len(th.load(game).players)
    async with AsyncClient(server.address) as client:
        table = await client.create_table(game, seats)
        before = table.seq
        with pytest.raises(th.IllegalMove, match="legal moves"):
            await table.play("nonsense")
        assert (table.seq, table.moves) == (before, ())
        start = table.position
        assert await table.play(start.legal[0])
        assert not await table.play_at(start, start.legal[0])  # its turn has passed


async def test_errors_say_what_is_allowed(bots: tuple[ServerProcess, list[str]]) -> None:
    server, tokens = bots
    async with AsyncClient(server.address, tokens[0]) as client:
        with pytest.raises(NotFoundError, match="no such table"):
            await client.join("aaaaaaaaaa")
        with pytest.raises(RequestError) as unknown:
            await client.create_table("no_such_game", [Person()])
        assert set(th.games()) <= set(unknown.value.allowed) or "games:" in unknown.value.message
    with pytest.raises(ClientError, match="begins with http"):
        Client("localhost:8000")
    async with AsyncClient(server.address, "th_unknown") as client:
        with pytest.raises(AuthenticationError, match="expired or been revoked"):
            await client.account()
    async with AsyncClient(server.address, tokens[2]) as client:
        account = await client.account()
        assert account is not None and (account.name, account.kind) == ("Reader", "bot")
        with pytest.raises(AuthenticationError, match="lacks the scope challenge"):
            await client.challenge(th.games()[0])


async def test_a_challenge_becomes_a_game(bots: tuple[ServerProcess, list[str]]) -> None:
    server, tokens = bots
    game = min(th.games(), key=lambda name: len(th.load(name).players))
    async with (
        AsyncClient(server.address, tokens[0]) as alpha,
        AsyncClient(server.address, tokens[1]) as beta,
    ):
        lobby, other = await alpha.lobby(), await beta.lobby()
        refused = await alpha.challenge(game, to="Beta", time_control=Correspondence(2))
        received = await next_event(other, ChallengeReceived)
        assert isinstance(received, ChallengeReceived) and received.challenge.id == refused.id
        await beta.decline(refused.id)
        gone = await next_event(lobby, ChallengeGone)
        assert gone == ChallengeGone(refused.id, "This challenge was declined.")

        await alpha.challenge(game, to="Beta", time_control=Realtime(300), seat=1)
        received = await next_event(other, ChallengeReceived)
        assert isinstance(received, ChallengeReceived)
        accepted = await beta.accept(received.challenge.id)
        started = await next_event(lobby, GameStarted)
        assert isinstance(started, GameStarted) and accepted is not None
        assert started.table == accepted.table
        mine, theirs = await alpha.join(started.table), await beta.join(started.table)
        assert (mine.own_seats, theirs.own_seats) == ((1,), (0,))
        async for position in theirs.turns():
            await theirs.play(position.legal[0])
            break
        await mine.resign()
        over = await next_event(lobby, GameOver)
        assert isinstance(over, GameOver) and over.result_text == await theirs.finished()
        assert theirs.winners == (0,)


async def test_a_tournament_is_entered(bots: tuple[ServerProcess, list[str]]) -> None:
    server, tokens = bots
    game = next(game for game in th.games() if len(th.load(game).players) == 2)
    async with (
        AsyncClient(server.address, tokens[0]) as alpha,
        AsyncClient(server.address, tokens[1]) as beta,
    ):
        body = {
            "name": "Cup",
            "game": game,
            "time_control": Realtime(300).json(),
            "format": {"kind": "round_robin"},
            "starts_with": 2,
        }
        await alpha.api.post("/api/tournaments", body)
        (cup,) = [one for one in await beta.tournaments() if one.name == "Cup"]
        assert (cup.game, cup.format, cup.time_control) == (game, "round_robin", Realtime(300))
        await alpha.join_tournament(cup.id)
        await alpha.withdraw(cup.id)
        await alpha.join_tournament(cup.id)
        (joined,) = [one for one in await beta.tournaments() if one.name == "Cup"]
        assert (cup.players, joined.players) == (0, 1)
        with pytest.raises(AuthenticationError, match="lacks the scope tournament"):
            async with AsyncClient(server.address, tokens[2]) as reader:
                await reader.join_tournament(cup.id)


async def test_limits_are_obeyed_and_changes_are_never_sent_twice() -> None:
    busy = [
        httpx2.Response(429, headers={"Retry-After": "0"}, json={"code": "rate_limited"}),
        httpx2.Response(503, headers={"Retry-After": "0"}, json={"code": "busy"}),
    ]
    later = httpx2.Response(429, headers={"Retry-After": "3600"}, json={"code": "at_capacity"})
    done = httpx2.Response(200, json={"done": True})
    asked: list[httpx2.Request] = []

    def api(*answers: httpx2.Response | Exception) -> HttpApi:
        left = iter(answers)
        asked.clear()

        def answer(request: httpx2.Request) -> httpx2.Response:
            asked.append(request)
            following = next(left)
            if isinstance(following, Exception):
                raise following
            return following

        return HttpApi("http://server", "th_x", 10.0, httpx2.MockTransport(answer))

    assert await api(*busy, done).post("/api/x") == {"done": True}
    assert [request.headers["Authorization"] for request in asked] == ["Bearer th_x"] * 3
    with pytest.raises(RateLimitError):
        await api(later).get("/api/x")
    assert await api(httpx2.ReadError("cut"), done).get("/api/x") == {"done": True}
    assert await api(httpx2.ConnectError("off"), done).post("/api/x") == {"done": True}
    with pytest.raises(ConnectionLostError):
        await api(httpx2.ReadError("cut"), done).post("/api/x")
    assert len(asked) == 1


def test_the_blocking_client(server: ServerProcess) -> None:
    game = th.games()[0]
    with Client(server.address) as client:
        assert client.account() is None
        table = client.create_table(game, [Person()] * len(th.load(game).players))
        for position in table.turns():
            table.play(position.legal[0])
            if len(table.moves) == 3:
                break
        table.resign()
        for position in table.turns():  # with three sides a bot takes the seat
            table.play(position.legal[0])
        assert table.finished() == table.result_text
