"""Accounts on a server: sessions, seats by account, and a guest who signs up."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.accounts import PASSWORD, Browser
from support.servers import ServerProcess, running_server
from websockets.exceptions import ConnectionClosed

import teahouse as th
from teahouse.server.accounts import data_rows, rows
from teahouse.server.accounts.models import Account, AccountSession
from teahouse.server.storage.store import Store

GAME = th.games()[0]
SEATS = len(th.load(GAME).players)


def remote_seats(first: str = "local") -> list[dict[str, str]]:
    return [{"kind": first}, *({"kind": "remote"} for _ in range(SEATS - 1))]


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server for the tests of this file."""
    with running_server(str(tmp_path_factory.mktemp("accounts") / "teahouse.db")) as server:
        yield server


def test_signing_up_in_and_out(own_server: ServerProcess) -> None:
    browser = Browser(own_server)
    assert browser.request("/api/account") == (200, {"account": None})
    browser.sign_up("Otto")
    cookie = next(one for one in browser.jar if one.name == "teahouse_session")
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "lax"
    status, answer = browser.request("/api/account")
    assert answer["account"]["name"] == "Otto"
    before = browser.cookies["teahouse_session"]
    browser.post("/api/account/sign-out")
    assert browser.request("/api/account") == (200, {"account": None})
    assert "teahouse_session" not in browser.cookies
    browser.sign_in("  otto ")
    assert browser.cookies["teahouse_session"] != before
    for body, code in (
        ({"name": "0TTO", "password": PASSWORD}, "name_taken"),
        ({"name": "Otto2", "password": "short"}, "invalid"),
        ({"name": "Otto2", "password": "password1"}, "invalid"),
        ({"name": "Otto2", "password": "otto2-2020"}, "invalid"),
        ({"name": "Otto2"}, "invalid"),
        ({"name": "O\u202etto", "password": PASSWORD}, "invalid"),
    ):
        status, answer = Browser(own_server).request("/api/account/sign-up", body)
        assert (status, answer["code"]) == (409 if code == "name_taken" else 422, code), answer


def test_seats_by_account(own_server: ServerProcess) -> None:
    anna, berta, carla = (Browser(own_server).sign_up(name) for name in ("Anna", "Berta", "Carla"))
    assert anna.account is not None
    created = anna.post("/api/tables", game=GAME, seats=remote_seats())
    links = {seat["seat"]: seat["secret"] for seat in created["seats"]}
    assert 0 not in links  # her own seat needs no secret
    with anna.join(created["id"]) as client:
        table = client.receive("table")
        assert table["your_seats"] == [0]
        assert table["state"]["seats"][0]["account"] == {
            "id": anna.account["id"],
            "name": "Anna",
            "kind": "person",
        }
        reply = client.request(type="rename", seat=0, name="Somebody")
        assert (reply["type"], reply["code"]) == ("error", "invalid")
    with berta.join(created["id"], links[1]) as client:
        assert client.receive("table")["your_seats"] == [1]
    with berta.join(created["id"]) as client:  # the link has done its work
        assert client.receive("table")["your_seats"] == [1]
    for other in (carla, Browser(own_server)):
        with other.join(created["id"], links[1]) as client:
            assert client.receive("table")["your_seats"] == []
            error = client.receive("error")
            assert error["code"] == "seat_taken"
            assert "Berta" in error["message"]
    for browser, seats in ((anna, [0]), (berta, [1]), (carla, None), (Browser(own_server), None)):
        tables = browser.post("/api/status", tables=[], mine=True)["tables"]
        assert [one["your_seats"] for one in tables] == ([] if seats is None else [seats])
    (asked,) = carla.post("/api/status", tables=[{"id": created["id"], "secrets": [links[1]]}])[
        "tables"
    ]
    assert asked["your_seats"] == []


def test_two_who_take_one_seat_and_a_rematch(own_server: ServerProcess) -> None:
    host, one, other = (Browser(own_server).sign_up(name) for name in ("Jutta", "Karla", "Lotte"))
    created = host.post("/api/tables", game=GAME, seats=remote_seats())
    table, (link, *_) = created["id"], [seat["secret"] for seat in created["seats"]]
    with one.join(table, link) as first, other.join(table, link) as second:
        seats = [client.receive("table")["your_seats"] for client in (first, second)]
        assert sorted(seats) == [[], [1]]
        winner, loser = (one, second) if seats[0] else (other, first)
        assert loser.receive("error")["code"] == "seat_taken"
    with host.join(table) as client, winner.join(table) as guest:
        assert client.request(type="resign", seat=0)["type"] == "ack"
        assert client.request(type="offer", seat=0, offer="rematch")["type"] == "ack"
        assert guest.request(type="respond", seat=1, offer="rematch", accept=True)["type"] == "ack"
        (again,) = [
            event["table"]
            for message in guest.received
            for event in message.get("events", [])
            if event["type"] == "rematched"
        ]
    body = own_server.request(f"/api/tables/{again}")[1]
    names = [seat["account"]["name"] for seat in body["state"]["seats"]]
    assert winner.account is not None
    assert sorted(names) == sorted(["Jutta", winner.account["name"]])
    with winner.join(again) as client:
        assert client.receive("table")["your_seats"] == [names.index(winner.account["name"])]


def test_an_account_that_resigned_keeps_its_seat_for_a_rematch(own_server: ServerProcess) -> None:
    anna = Browser(own_server).sign_up("Magda")
    bots = [{"kind": "bot", "level": 1}, {"kind": "bot", "level": 1}]
    seats = [{"kind": "local"}, *bots]
    created = anna.post("/api/tables", game="fillit", options={"mode": "3"}, seats=seats)
    with anna.join(created["id"]) as client:
        assert client.request(type="resign", seat=0)["type"] == "ack"
    with anna.join(created["id"]) as client:
        table = client.receive("table")
        assert table["your_seats"] == [0]
        left = [(seat["kind"], seat["left"]) for seat in table["state"]["seats"]]
        assert left == [("bot", True), ("bot", False), ("bot", False)]
        assert client.request(type="offer", seat=0, offer="rematch")["type"] == "ack"
    again = own_server.request(f"/api/tables/{created['id']}")[1]["state"]["rematch"]
    names = [
        seat["account"] and seat["account"]["name"]
        for seat in own_server.request(f"/api/tables/{again}")[1]["state"]["seats"]
    ]
    assert names == [None, "Magda", None]


def test_a_guest_keeps_their_games_when_they_sign_up(own_server: ServerProcess) -> None:
    guest = Browser(own_server)
    tables = []
    for _ in range(2):
        created = guest.post("/api/tables", game=GAME, seats=remote_seats())
        tables.append({"id": created["id"], "secrets": [created["seats"][0]["secret"]]})
    bogus = {"id": tables[0]["id"], "secrets": ["x" * 22]}
    missing = {"id": "zzzzzzzzzz", "secrets": ["x" * 22]}
    guest.sign_up("Dora")
    with Browser(own_server).join(tables[0]["id"], *tables[0]["secrets"]) as other:
        assert other.receive("table")["your_seats"] == [0]
        answer = guest.post("/api/account/claim", tables=[*tables, bogus, missing])
        with pytest.raises(ConnectionClosed):  # who else has the link loses the seat
            other.receive("ack")
    assert answer["claimed"] == [one["id"] for one in tables]
    assert guest.post("/api/account/claim", tables=tables)["claimed"] == answer["claimed"]
    elsewhere = Browser(own_server).sign_in("Dora")
    listed = elsewhere.post("/api/status", tables=[], mine=True)["tables"]
    assert {one["id"] for one in listed} == {one["id"] for one in tables}
    with elsewhere.join(tables[0]["id"]) as client:
        table = client.receive("table")
        assert table["your_seats"] == [0]
        assert table["state"]["seats"][0]["name"] == "Dora"
    thief = Browser(own_server).sign_up("Erna")
    assert thief.post("/api/account/claim", tables=tables)["claimed"] == []
    assert Browser(own_server).request("/api/account/claim", {"tables": tables})[0] == 401


def test_guests_are_not_taken_for_accounts(own_server: ServerProcess) -> None:
    Browser(own_server).sign_up("Frieda")
    guest = Browser(own_server)
    seats = [{"kind": "local", "name": "FRlEDA"}, *remote_seats()[1:]]
    created = guest.post("/api/tables", game=GAME, seats=seats)
    with guest.join(created["id"], created["seats"][0]["secret"]) as client:
        seat = client.receive("table")["state"]["seats"][0]
        assert (seat["name"], seat["account"]) == ("FRlEDA (guest)", None)
        assert client.request(type="rename", seat=0, name="frieda")["type"] == "ack"
        renamed = [one for one in client.received if one["type"] == "update"][-1]
        assert renamed["state"]["seats"][0]["name"] == "frieda (guest)"


def test_data_of_a_browser_is_kept_and_the_last_write_wins(own_server: ServerProcess) -> None:
    one = Browser(own_server).sign_up("Gerda")
    other = Browser(own_server).sign_in("Gerda")
    first = one.post("/api/account/data", changed={"puzzles": {"streak": 3}, "level": 4})
    assert first["data"] == {"puzzles": {"streak": 3}, "level": 4}
    later = other.post("/api/account/data", changed={"level": 5})
    assert later["data"] == {"puzzles": {"streak": 3}, "level": 5}
    assert one.post("/api/account/data", since=first["time"])["data"]["level"] == 5
    assert one.post("/api/account/data", since=first["time"] + 60)["data"] == {}
    huge = {"puzzles": "x" * 150_000}
    assert one.request("/api/account/data", {"changed": huge})[0] == 413
    assert one.request("/api/account/data", {"changed": {"else": 1}})[0] == 422
    assert one.request("/api/account/data", {"changed": {"level": 1 << 64}})[0] == 422


def test_rows_of_accounts(database: str) -> None:
    store = Store(database)

    async def work() -> None:
        store.start()
        try:
            await check(store)
        finally:
            await store.close()

    asyncio.run(work())


async def check(store: Store) -> None:
    """Store and find accounts, sessions, devices, data and tables, on either database."""
    now = store.now().wall
    ida = Account("aaaaaaaaaa", "Ida", "person", None, now, None, deleted=False)
    bot = Account("bbbbbbbbbb", "Idabot", "bot", ida.id, now, None, deleted=False)
    assert await store.write(lambda c: rows.add(c, ida, "hash"))
    assert await store.write(lambda c: rows.add(c, bot, None))
    twin = replace(ida, id="cccccccccc", name="1DA")
    assert not await store.write(lambda c: rows.add(c, twin, None))
    assert not await store.write(lambda c: rows.rename(c, bot.id, "ida"))
    assert await store.read(lambda c: rows.by_name(c, "iDa")) == ida
    assert await store.read(lambda c: rows.get_many(c, [ida.id, "x"])) == {ida.id: ida}
    assert await store.read(lambda c: rows.owned_by(c, ida.id)) == [bot]
    assert await store.read(lambda c: rows.password_hash(c, ida.id)) == "hash"
    await store.write(lambda c: rows.update(c, ida.id, {"suspended_until": math.inf}))
    suspended = await store.read(lambda c: rows.get(c, ida.id))
    assert suspended is not None
    assert suspended.suspended(now + 1e9)
    for number in range(3):
        one = AccountSession(f"session{number:03}", ida.id, now, now + number, "Firefox")
        await store.write(lambda c, one=one: rows.add_session(c, one.id, one))  # type: ignore[misc]
    found = await store.read(lambda c: rows.find_session(c, "session001"))
    assert found is not None
    assert (found[0].id, found[1].id) == ("session001", ida.id)
    assert await store.write(lambda c: rows.delete_sessions(c, ida.id, keep="session001")) == 2
    await store.write(lambda c: rows.delete_expired_sessions(c, now + 1.5, 0.0))
    assert await store.read(lambda c: rows.sessions_of(c, ida.id)) == []
    await store.write(lambda c: rows.add_device(c, "device", ida.id, now))
    assert await store.read(lambda c: rows.knows_device(c, "device", ida.id))
    assert not await store.read(lambda c: rows.knows_device(c, "device", bot.id))
    await store.write(lambda c: rows.add_device(c, "other", ida.id, now, before="device"))
    assert not await store.read(lambda c: rows.knows_device(c, "device", ida.id))
    assert await store.write(lambda c: data_rows.save(c, ida.id, {"level": "4"}, now))
    assert await store.write(lambda c: data_rows.save(c, ida.id, {"level": "5"}, now + 1))
    assert await store.read(lambda c: data_rows.entries_of(c, ida.id, now)) == {"level": "5"}
    assert await store.read(lambda c: rows.tables_of(c, ida.id, 10, over=False)) == []


@pytest.mark.long
def test_accounts_and_sessions_survive_a_kill(tmp_path: Path) -> None:
    database = str(tmp_path / "teahouse.db")
    server = ServerProcess(database)
    browser = Browser(server).sign_up("Hilde")
    created = browser.post("/api/tables", game=GAME, seats=remote_seats())
    server.kill()
    with running_server(database) as again:
        browser.server, browser.headers["Origin"] = again, again.address
        assert browser.request("/api/account")[1]["account"]["name"] == "Hilde"
        with browser.join(created["id"]) as client:
            assert client.receive("table")["your_seats"] == [0]
        text = json.dumps(again.request(f"/api/tables/{created['id']}")[1])
        assert browser.cookies["teahouse_session"] not in text
