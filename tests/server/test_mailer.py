"""Notices and e-mail with a real database and mail server: nothing is lost or sent twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from support.mail import ENABLED, Inbox, mail_server, text_of

import teahouse as th
from teahouse.server.correspondence import digest, email_settings, rows, smtp
from teahouse.server.correspondence.mailer import Mailer
from teahouse.server.correspondence.notices import Notice, add, latest, notices_of
from teahouse.server.correspondence.presence import Presence
from teahouse.server.correspondence.smtp import Mail
from teahouse.server.correspondence.vacation import LEAST, VacationHistory
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.database import table_seats, tables
from teahouse.server.storage.store import Store
from teahouse.session import commands
from teahouse.session import events as ev
from teahouse.session.clock import DAY
from teahouse.session.events import Timestamp
from teahouse.session.state import GameSession

ANNA, BERT = "annaaaaaaa", "berttttttt"
NOW = 1_000_000.0


@pytest.fixture
def inbox() -> Iterator[tuple[int, Inbox]]:
    with mail_server() as started:
        yield started


def settings(database: str, port: int = 0) -> ServerSettings:
    return ServerSettings(**{**ENABLED, "database": database, "smtp_port": port or 1})


@asynccontextmanager
async def opened(database: str) -> AsyncIterator[Store]:
    store = Store(database)
    store.start()
    try:
        yield store
    finally:
        await store.close()


def subscribe(connection: sa.Connection, minutes: int = 60, kinds: tuple[str, ...] = ()) -> None:
    """Give Anna a verified address."""
    email_settings.set_email(connection, ANNA, "anna@example.org", "k" * 22, NOW - 1e5)
    email_settings.verify(connection, "k" * 22, NOW - 1e5)
    chosen = kinds or ("turn", "over", "challenge", "tournament")
    email_settings.set_mail(connection, ANNA, chosen, minutes)


def add_table(connection: sa.Connection, table_id: str, player: int | None) -> None:
    """Store as much of a table as e-mail needs: Anna has the first seat."""
    summary = {"over": player is None, "player": player}
    values: dict[str, Any] = {"id": table_id, "key_hashes": "[]", "summary": json.dumps(summary)}
    values |= {"seq": 1, "over": player is None, "wake_on_start": False, "updated": NOW}
    connection.execute(tables.insert().values(values))
    for seat, account in enumerate((ANNA, BERT)):
        seated = {"table_id": table_id, "seat": seat, "account_id": account}
        connection.execute(table_seats.insert().values(seated))


def turn(table_id: str, ply: int = 0) -> Notice:
    key, path = f"turn/{table_id}/{ply}", f"/tables/{table_id}"
    return Notice(ANNA, key, "turn", f"Your turn: {table_id}", "Bert moved.", path)


def challenge(number: int = 1) -> Notice:
    return Notice(ANNA, f"challenge/{number}", "challenge", "Challenge", "Bert asks.", "/")


async def compose(store: Store, chosen: ServerSettings, now: float, seen: float = 0.0) -> int:
    job = partial(digest.compose, settings=chosen, last_seen=lambda account: seen, now=now)
    return await store.write(job)


async def outgoing(store: Store) -> list[Any]:
    wanted = sa.select(rows.outbox).order_by(rows.outbox.c.id)
    return await store.read(lambda connection: list(connection.execute(wanted)))


async def test_what_is_mailed_when(database: str) -> None:
    chosen = settings(database)
    async with opened(database) as store:
        await store.write(subscribe)
        await store.write(lambda connection: add_table(connection, "aaaaaaaaaa", 0))
        await store.write(lambda connection: add_table(connection, "bbbbbbbbbb", 1))
        await store.write(lambda connection: add_table(connection, "cccccccccc", None))
        new = [turn("aaaaaaaaaa"), turn("bbbbbbbbbb"), turn("cccccccccc"), challenge()]
        await store.write(partial(add, new=new, now=NOW))
        await store.write(partial(add, new=new, now=NOW))  # after a restart
        assert len(await store.read(lambda one: latest(one, ANNA, 10))) == 4
        assert await compose(store, chosen, NOW + 3_000) == 0, "not yet an hour"
        assert await compose(store, chosen, NOW + 5_000, seen=NOW + 3_000) == 0, "not yet offline"
        assert await compose(store, chosen, NOW + 7_000, seen=NOW + 3_000) == 1
        (mail,) = await outgoing(store)
        assert "/tables/aaaaaaaaaa" in mail.body
        assert "bbbbbbbbbb" not in mail.body, "it is no longer her turn there"
        assert "cccccccccc" not in mail.body, "that game is over"
        assert "Bert asks" not in mail.body, "she has seen that page since"
        assert await compose(store, chosen, NOW + 9_000) == 0, "once a turn"
        await store.write(partial(add, new=[challenge(2), challenge(3)], now=NOW + 7_000))
        assert await compose(store, chosen, NOW + 7_000 + 3_599) == 0, "once an hour"
        assert await compose(store, chosen, NOW + 7_000 + 3_600) == 1
        assert (await outgoing(store))[1].subject == "Teahouse: 2 notifications"
        await store.write(lambda one: email_settings.set_mail(one, ANNA, ["over"], 0))
        await store.write(partial(add, new=[challenge(4)], now=NOW + 2e4))
        assert await compose(store, chosen, NOW + 3e4) == 0, "not wanted"
        await store.write(partial(rows.delete_account, account_id=ANNA))
        assert await outgoing(store) == []
        exported = await store.read(partial(rows.export, account_id=ANNA))
        assert all(value == [] for value in exported.values())


async def test_the_outbox_survives_a_kill_and_a_mail_server_that_fails(
    database: str, inbox: tuple[int, Inbox]
) -> None:
    port, received = inbox
    chosen = settings(database, port)
    async with opened(database) as store:
        await store.write(subscribe)
        await store.write(partial(add, new=[challenge()], now=NOW))
        assert await compose(store, chosen, NOW + 4_000) == 1
    async with opened(database) as store:  # killed before it was sent
        post = Mailer(store, chosen, Presence())
        received.answer = "451 try again later"
        assert await post.send_due() == 0
        (waiting,) = await outgoing(store)
        assert (waiting.attempts, waiting.due - store.now().wall > 50) == (1, True)
        assert await post.send_due() == 0, "it is not due"
        assert (received.refused, received.messages) == (1, [])
        received.answer = "250 OK"
        await store.write(lambda one: one.execute(rows.outbox.update().values(due=0.0)))
    async with opened(database) as store:
        post = Mailer(store, chosen, Presence())
        assert await post.send_due() == 1
        assert await post.send_due() == 0
    async with opened(database) as store:  # killed after it was sent
        assert await Mailer(store, chosen, Presence()).send_due() == 0
    (mail,) = received.messages
    assert mail["Message-ID"] == waiting.message_id
    assert "Bert asks" in text_of(mail)


async def test_an_address_that_is_refused_gets_no_more(
    database: str, inbox: tuple[int, Inbox]
) -> None:
    port, received = inbox
    chosen = settings(database, port)
    async with opened(database) as store:
        await store.write(subscribe)
        await store.write(partial(add, new=[challenge()], now=NOW))
        await compose(store, chosen, NOW + 4_000)
        received.recipient_answer = "550 no such mailbox"
        assert await Mailer(store, chosen, Presence()).send_due() == 0
        assert await outgoing(store) == []
        found = await store.read(partial(email_settings.get, account_id=ANNA))
        assert found is not None
        assert (found.email, found.verified) == ("anna@example.org", False)


async def test_a_mail_server_that_cannot_be_reached_keeps_nobody_waiting(database: str) -> None:
    chosen = settings(database)  # nothing listens there
    async with opened(database) as store:
        await store.write(subscribe)
        for number in range(3):
            await store.write(
                lambda one, number=number: digest.post(  # type: ignore[misc]
                    one, chosen, ANNA, "anna@example.org", str(number), "text", NOW, None
                )
            )
        post = Mailer(store, chosen, Presence())
        assert await asyncio.wait_for(post.send_due(), 5.0) == 0
        assert [row.attempts for row in await outgoing(store)] == [1, 0, 0]
        await post.close()


def test_headers_cannot_be_injected() -> None:
    mail = Mail("a@example.org", "Hello\r\nBcc: x@example.org", "text", "<1@example.org>", None)
    message = smtp.message_of(mail, "Teahouse <tea@example.org>")
    assert message["Bcc"] is None
    long = replace(mail, unsubscribe_url=f"https://example.org/{'x' * 300}")
    text = smtp.message_of(long, "Teahouse <tea@example.org>").as_string()
    assert f"<https://example.org/{'x' * 300}>" in text, "addresses are not broken into lines"


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("anna@example.org", True),
        ("a.b+c@mail.example.co.uk", True),
        ("anna", False),
        ("anna@localhost", False),
        ("anna@example..org", False),
        ("Anna <anna@example.org>", False),
        ("anna@example.org, bert@example.org", False),
        ("änna@example.org", False),
        ("@example.org", False),
        (f"{'a' * 250}@example.org", False),
    ],
)
def test_addresses(text: str, valid: bool) -> None:
    assert smtp.is_address(text) is valid


def test_vacations_of_a_year() -> None:
    year = 365 * DAY
    history = VacationHistory([(0.0, 10 * DAY), (20 * DAY, 20.5 * DAY)])
    assert history.until(5 * DAY) == 10 * DAY
    assert history.until(15 * DAY) is None
    assert history.seconds_used(30 * DAY) == 10 * DAY + LEAST
    assert history.days_left(30 * DAY, 30) == 19.0
    assert history.seconds_used(year + 5 * DAY) == 5 * DAY + LEAST, "the first days are a year ago"
    assert history.seconds_used(year + 25 * DAY) == 0.0
    current = VacationHistory([(0.0, 10 * DAY)])
    assert current.days_left(4 * DAY, 30) == 26.0, "the rest of it can be taken back"
    assert VacationHistory([]).days_left(0.0, 0) == 0.0


@pytest.mark.parametrize("name", th.games())
def test_notices_of_a_game(name: str) -> None:
    game = th.load(name)
    seats = [ev.HumanSeat(account=ANNA, name="Anna"), ev.HumanSeat(kind="remote", name="Bert")]
    seats += [ev.HumanSeat(kind="remote") for _ in game.players[2:]]
    created = ev.Created(game=name, options=game.options, seed=1, seats=tuple(seats))
    session = GameSession(created, Timestamp())
    told: set[str] = set()
    turns = 0
    before = None
    while session.ply < 12 and not session.over:
        player = session.position.player
        found = notices_of("tttttttttt", session)
        assert len(found) == (player == 0)
        if player == 0:
            turns += before != 0
            told.add(found[0].key)
            assert "against Bert" in found[0].title
        before = player
        move = session.position.legal[0]
        session.commit([commands.play(session, player, session.ply, move)], Timestamp())
    assert len(told) == turns, "one key for each turn"
    session.commit([ev.TookBack(ply=0)], Timestamp())
    again = {notice.key for notice in notices_of("tttttttttt", session)}
    assert not again & told, "a turn that comes again is another one"
    assert len(again) == (session.position.player == 0)
    session.commit([ev.Ended(result="draw", reason="agreed", seat=None)], Timestamp())
    (over,) = notices_of("tttttttttt", session)
    assert (over.kind, over.text) == ("over", "Draw agreed.")
    alone = replace(created, seats=(seats[0], *(ev.BotSeat(level=1) for _ in seats[1:])))
    assert notices_of("tttttttttt", GameSession(alone, Timestamp())) == []
    quick = replace(created, time_control=ev.Realtime(seconds=60))
    assert notices_of("tttttttttt", GameSession(quick, Timestamp())) == []
