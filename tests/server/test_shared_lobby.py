"""The lobbies of two processes on one PostgreSQL database: whoever meets there, meets once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest
from support.lobby import GAME, Inbox, account, enter, guest, running_lobby, seek
from support.servers import Postgres, new_database
from support.waiting import until

from teahouse.server.lobby import mailbox, shared_challenges, shared_pairing, shared_rows
from teahouse.server.lobby.lobby import Lobby
from teahouse.server.lobby.members import Member
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.lobby.seating import SeatAt
from teahouse.server.lobby.shared_challenges import SharedChallenges
from teahouse.server.storage.database import exclusive
from teahouse.server.storage.lock_keys import LockKey
from teahouse.server.web.errors import ApiError
from teahouse.session import commands

Test = Callable[[Lobby, Lobby], Coroutine[Any, Any, None]]


def in_two_lobbies(test: Test) -> Callable[[Postgres], None]:
    """Run a test with two lobbies on a new database."""

    @wraps(test)
    def run(postgres_server: Postgres) -> None:
        async def main() -> None:
            database = new_database(postgres_server)
            async with running_lobby(database) as one, running_lobby(database) as other:
                async with asyncio.timeout(60):
                    await test(one, other)

        asyncio.run(main())

    del run.__wrapped__  # its arguments are not fixtures
    return run


def shown(inbox: Inbox) -> set[str]:
    """Return the ids of the challenges that a member sees."""
    found: set[str] = set()
    for message in inbox.messages:
        if message["type"] == "lobby":
            found = {one["id"] for one in message["challenges"]}
        elif message["type"] == "changes" and "challenges" in message:
            found |= {one["id"] for one in message["challenges"]["changed"]}
            found -= set(message["challenges"]["removed"])
    return found


@in_two_lobbies
async def test_a_challenge_is_accepted_by_another_process(one: Lobby, other: Lobby) -> None:
    anna, at_anna = await enter(one, guest("Anna"))
    ben, at_ben = await enter(other, guest("Ben"))
    challenge = await one.challenge(anna.visitor, ChallengeIn(game=GAME), "")
    await until(lambda: challenge.id in shown(at_ben))
    seat = await other.accept(challenge.id, ben.visitor, "")
    assert seat is not None
    (paired,) = await until(lambda: at_anna.of("paired"))
    assert paired["table"] == seat.table
    assert paired["secret"] not in (None, seat.secret)
    await until(lambda: not shown(at_anna) and not shown(at_ben))
    assert one.body["challenges"] == other.body["challenges"] == []


@in_two_lobbies
async def test_of_many_who_join_anywhere_one_wins(one: Lobby, other: Lobby) -> None:
    """The last place is decided by the row, also if no notification has come yet."""
    anna, at_anna = await enter(one, guest("Anna"))
    tables = []
    for number in range(3):
        challenge = await one.challenge(anna.visitor, ChallengeIn(game=GAME), "")
        answers = await asyncio.gather(
            *(
                lobby.accept(challenge.id, guest(f"{number} {at} {place}"), "")
                for place, lobby in enumerate((one, other))
                for at in range(3)
            ),
            return_exceptions=True,
        )
        won = [answer for answer in answers if isinstance(answer, SeatAt)]
        lost = [answer.code for answer in answers if isinstance(answer, ApiError)]
        assert len(won) == 1, answers
        assert len(lost) == 5
        assert set(lost) <= {"challenge_gone", "not_found"}
        tables.append(won[0].table)
    await until(lambda: len(at_anna.of("paired")) == 3)
    assert [paired["table"] for paired in at_anna.of("paired")] == tables


@in_two_lobbies
async def test_a_direct_challenge_is_declined_elsewhere(one: Lobby, other: Lobby) -> None:
    anna, ben = await account(one, "Anna"), await account(one, "Ben")
    _, at_anna = await enter(one, anna)
    _, at_ben = await enter(other, ben)
    challenge = await one.challenge(anna, ChallengeIn(game=GAME, to="Ben"), "")
    (incoming,) = await until(lambda: at_ben.of("challenge"))
    assert incoming["challenge"]["id"] == challenge.id
    await other.cancel(challenge.id, ben)
    (gone,) = await until(lambda: at_anna.of("challenge_gone"))
    assert gone["id"] == challenge.id
    assert "declined" in gone["reason"]


def test_what_a_visitor_who_is_gone_has_proposed_is_withdrawn(
    postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000.0
    monkeypatch.setattr(shared_challenges, "POLL_SECONDS", 1_000.0)
    monkeypatch.setattr(SharedChallenges, "_now", property(lambda _: now))

    @in_two_lobbies
    async def run(one: Lobby, other: Lobby) -> None:
        async def look(*lobbies: Lobby) -> None:
            nonlocal now
            now += shared_challenges.AWAY_SECONDS + 1
            for lobby in lobbies:
                assert lobby._shared is not None
                await lobby._shared.challenges._withdraw()

        anna, _ = await enter(one, guest("Anna"))
        challenge = await one.challenge(anna.visitor, ChallengeIn(game=GAME), "")
        again, _ = await enter(other, guest("Anna"))
        one.leave(anna)  # reconnected elsewhere: it stays
        await until(lambda: other.body["challenges"])
        await look(other, one)
        assert [found["id"] for found in one.body["challenges"]] == [challenge.id]
        other.leave(again)
        await look(one)
        await until(lambda: not one.body["challenges"] and not other.body["challenges"])

    run(postgres_server)


@in_two_lobbies
async def test_players_of_two_processes_are_paired(one: Lobby, other: Lobby) -> None:
    anna, at_anna = await enter(one, guest("Anna"))
    ben, at_ben = await enter(other, guest("Ben"))
    await one.pairing.seek(anna, seek())
    await until(lambda: other.counts["seeking"] == {GAME: 1})
    await other.pairing.seek(ben, seek())
    (first,) = await until(lambda: at_anna.of("paired"))
    (second,) = await until(lambda: at_ben.of("paired"))
    assert first["table"] == second["table"]
    assert {first["seat"], second["seat"]} == {0, 1}
    await until(lambda: one.counts["seeking"] == other.counts["seeking"] == {})
    assert len(at_anna.of("paired") + at_ben.of("paired")) == 2


@in_two_lobbies
async def test_many_seeks_lead_to_as_many_games(one: Lobby, other: Lobby) -> None:
    entered = [
        (lobby, *await enter(lobby, guest(f"{number} {place}")))
        for number in range(4)
        for place, lobby in enumerate((one, other))
    ]
    await asyncio.gather(*(lobby.pairing.seek(member, seek()) for lobby, member, _ in entered))
    await until(lambda: all(box.of("paired") for _, _, box in entered))
    found = [box.of("paired") for _, _, box in entered]
    tables = [messages[0]["table"] for messages in found]
    assert all(len(messages) == 1 for messages in found)
    assert sorted(map(tables.count, tables)) == [2] * 8


@in_two_lobbies
async def test_pairing_does_not_wait_for_ratings(one: Lobby, other: Lobby) -> None:
    (anna, at_anna), (ben, _) = [await enter(one, guest(name)) for name in ("Anna", "Ben")]
    with other.registry.store.engine.begin() as rating:
        exclusive(rating, LockKey.RATINGS)
        async with asyncio.timeout(10):
            await one.pairing.seek(anna, seek())
            await one.pairing.seek(ben, seek())
            await until(lambda: at_anna.of("paired"))


def test_a_seek_whose_game_was_never_created_is_stored_again(
    postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_pairing, "MISSING_SECONDS", 0.1)
    monkeypatch.setattr(shared_pairing, "TICK_SECONDS", 0.1)

    @in_two_lobbies
    async def run(one: Lobby, other: Lobby) -> None:
        anna, at_anna = await enter(one, guest("Anna"))
        await one.pairing.seek(anna, seek())
        rows = shared_rows.seeks  # as after a kill between pairing and game
        await one.registry.store.write(lambda connection: connection.execute(rows.delete()))
        ben, _ = await enter(other, guest("Ben"))
        await other.pairing.seek(ben, seek())
        await until(lambda: at_anna.of("paired"))

    run(postgres_server)


@in_two_lobbies
async def test_who_reloads_the_page_is_told_by_the_next_process(one: Lobby, other: Lobby) -> None:
    anna, _ = await enter(one, guest("Anna"))
    challenge = await one.challenge(anna.visitor, ChallengeIn(game=GAME), "")
    one.leave(anna)
    seat = await one.accept(challenge.id, guest("Ben"), "")
    assert seat is not None
    _, inbox = await enter(other, guest("Anna"))
    (paired,) = await until(lambda: inbox.of("paired"))
    assert paired["table"] == seat.table
    _, later = await enter(one, guest("Anna"))
    assert not later.of("paired")


def test_the_secret_of_a_seat_is_deleted_unless_it_is_taken_soon(
    postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "POLL_SECONDS", 0.05)

    @in_two_lobbies
    async def run(one: Lobby, other: Lobby) -> None:
        store, visitors = one.registry.store, [guest("Anna"), guest("Ben")]
        for visitor in visitors:
            one.notify_paired(visitor, SeatAt("aaaaaaaaaa", 0, "secret"), None)
        kept = shared_rows.waiting_for
        while set(await store.read(kept)) != {visitor.key for visitor in visitors}:
            await asyncio.sleep(0.01)
        _, inbox = await enter(other, visitors[0])
        (paired,) = await until(lambda: inbox.of("paired"))
        assert paired["secret"] == "secret"
        assert set(await store.read(kept)) == {visitors[1].key}
        monkeypatch.setattr(shared_rows, "KEPT_SECONDS", 0.0)
        while await store.read(kept):
            await asyncio.sleep(0.01)

    run(postgres_server)


@in_two_lobbies
async def test_accounts_hear_of_their_games_by_any_process(one: Lobby, other: Lobby) -> None:
    anna, ben = await account(one, "Anna"), await account(one, "Ben")
    _, inbox = await enter(other, anna)
    challenge = await one.challenge(ben, ChallengeIn(game=GAME, seat=0), "")  # moves first
    seat = await one.accept(challenge.id, anna, "")
    assert seat is not None
    await until(lambda: inbox.of("game_begins"))
    room = await one.registry.room(seat.table)
    await room.update(lambda session: commands.join(session, [0, 1]))
    while room.session.player == 0:  # some moves are several decisions
        ply, move = room.session.ply, room.session.position.legal[0]
        await room.submit(commands.Play(seat=0, ply=ply, move=move))
    assert (await until(lambda: inbox.of("your_turn")))[0]["table"] == seat.table
    await room.submit(commands.Resign(seat=1))
    (over,) = await until(lambda: inbox.of("game_over"))
    assert over["result_text"]


@in_two_lobbies
async def test_lists_have_what_is_in_other_processes(one: Lobby, other: Lobby) -> None:
    await enter(other, guest("Anna"))
    bot = Member(await account(one, "Robot"), Inbox(), "", accepts=[GAME])
    object.__setattr__(bot.visitor.account, "kind", "bot")
    await one.enter(bot)
    challenge = await one.challenge(guest("Ben"), ChallengeIn(game=GAME), "")
    seat = await one.accept(challenge.id, guest("Cleo"), "")
    assert seat is not None
    room = await one.registry.room(seat.table)
    await room.update(lambda session: commands.join(session, [0, 1]))
    move = room.session.position.legal[0]
    await room.submit(commands.Play(seat=room.session.position.player, ply=0, move=move))
    await until(lambda: [found["name"] for found in other.bots_online] == ["Robot"])
    assert other.counts["players"] == 2
    while not (games := await other.live.recent()):  # as they were a moment ago
        await asyncio.sleep(0.01)
    assert [game.fields["id"] for game in games] == [seat.table]
