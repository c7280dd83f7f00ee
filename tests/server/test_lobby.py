"""The lobby in process, on a real database: races, people who leave, stored challenges."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from support.lobby import GAME, account, enter, guest, in_lobby, running_lobby, seek
from support.waiting import until

import teahouse as th
from teahouse.server.lobby import lobby as lobby_module
from teahouse.server.lobby import rows, seating
from teahouse.server.lobby.challenges import MAX_OWN, TAKEN
from teahouse.server.lobby.lobby import Lobby
from teahouse.server.lobby.messages import BotPlaceIn, ChallengeIn
from teahouse.server.lobby.quick_pairing import BOT_SECONDS
from teahouse.server.lobby.seating import SeatAt
from teahouse.server.web.errors import ApiError
from teahouse.server.web.messages import CorrespondenceIn, RealtimeIn
from teahouse.session import commands

SLOW = CorrespondenceIn(kind="correspondence", days=3)
CLOCK = RealtimeIn(kind="realtime", seconds=600)


@in_lobby
async def test_of_many_who_join_at_once_one_wins(lobby: Lobby) -> None:
    """The others hear at once that somebody was faster, and the list is already right."""
    member, inbox = await enter(lobby, guest("Anna"))
    challenge = await lobby.challenge(member.visitor, ChallengeIn(game=GAME), "")
    others = [guest(f"guest {number}") for number in range(8)]
    answers = await asyncio.gather(
        *(lobby.accept(challenge.id, one, "") for one in others), return_exceptions=True
    )
    won = [one for one in answers if isinstance(one, SeatAt)]
    lost = [one for one in answers if isinstance(one, ApiError)]
    assert len(won) == 1
    assert len(lost) == 7
    assert {one.message for one in lost} == {TAKEN}
    assert lobby.body["challenges"] == []
    (paired,) = inbox.of("paired")
    assert paired["table"] == won[0].table
    assert {paired["seat"], won[0].seat} == {0, 1}
    assert len({paired["secret"], won[0].secret, None}) == 3
    with pytest.raises(ApiError, match=TAKEN):
        await lobby.cancel(challenge.id, member.visitor)


@in_lobby
async def test_joining_and_cancelling_at_once(lobby: Lobby) -> None:
    """Either the game begins or the challenge is withdrawn, never both."""
    outcomes = set()
    for number in range(6):
        member, inbox = await enter(lobby, guest(f"Anna {number}"))
        challenge = await lobby.challenge(member.visitor, ChallengeIn(game=GAME), "")
        work: list[Coroutine[Any, Any, Any]] = [
            lobby.accept(challenge.id, guest("Ben"), ""),
            lobby.cancel(challenge.id, member.visitor),
        ]
        if number % 2:
            work.reverse()
        answers = await asyncio.gather(*work, return_exceptions=True)
        errors = [one for one in answers if isinstance(one, ApiError)]
        seats = [one for one in answers if isinstance(one, SeatAt)]
        assert len(errors) == 1, answers
        assert len(seats) == len(inbox.of("paired"))
        outcomes.add(bool(seats))
    assert outcomes == {True, False}


@in_lobby
async def test_a_challenger_who_reloads_learns_the_seat(lobby: Lobby) -> None:
    """What happens while the page is away is told when it is back, once."""
    member, _ = await enter(lobby, guest("Anna"))
    challenge = await lobby.challenge(member.visitor, ChallengeIn(game=GAME), "")
    lobby.leave(member)
    seat = await lobby.accept(challenge.id, guest("Ben"), "")
    assert seat is not None
    _, inbox = await enter(lobby, member.visitor)
    (paired,) = inbox.of("paired")
    assert paired["table"] == seat.table
    assert not (await enter(lobby, member.visitor))[1].of("paired")


@in_lobby
async def test_a_seat_is_told_to_the_page_that_follows_it(lobby: Lobby) -> None:
    """A page with news, such as that of the form, hears of the game, and so does the next page."""
    form, news = await enter(lobby, guest("Anna"), follows=False)
    challenge = await lobby.challenge(form.visitor, ChallengeIn(game=GAME), "")
    seat = await lobby.accept(challenge.id, guest("Ben"), "")
    assert seat is not None and news.of("paired")
    _, other = await enter(lobby, form.visitor, follows=False)
    _, inbox = await enter(lobby, form.visitor)
    assert not other.of("paired")
    assert [one["table"] for one in inbox.of("paired")] == [seat.table]


@in_lobby
async def test_a_challenge_that_is_refused_leaves_no_row(lobby: Lobby) -> None:
    """Of several that are opened at once, those beyond the limit are not there after a restart."""
    anna = await account(lobby, "Anna")
    wanted = ChallengeIn(game=GAME, time_control=SLOW)
    answers = await asyncio.gather(
        *(lobby.challenge(anna, wanted, "") for _ in range(MAX_OWN + 2)), return_exceptions=True
    )
    assert sum(isinstance(one, ApiError) for one in answers) == 2
    assert len(await rows.load(lobby.registry.store)) == MAX_OWN


@in_lobby
async def test_who_reloads_learns_which_challenges_they_have_joined(lobby: Lobby) -> None:
    anna, ben = guest("Anna"), guest("Ben")
    await enter(lobby, anna)
    wanted = ChallengeIn(game="fillit", options={"mode": "3"})
    challenge = await lobby.challenge(anna, wanted, "")
    assert await lobby.accept(challenge.id, ben, "") is None
    joined = {}
    for visitor in (anna, ben, guest("Cleo")):
        (welcome,) = (await enter(lobby, visitor))[1].of("welcome")
        joined[visitor.name] = welcome["joined"]
    assert joined == {"Anna": [], "Ben": [challenge.id], "Cleo": []}


def test_challenges_end_with_their_challenger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those without a connection are closed after a moment, except slow ones of accounts."""
    monkeypatch.setattr(lobby_module, "GRACE_SECONDS", 0.0)

    async def main() -> None:
        async with running_lobby(str(tmp_path / "teahouse.db")) as lobby:
            anna, ben = await account(lobby, "Anna"), guest("Ben")
            member, _ = await enter(lobby, anna)
            slow = await lobby.challenge(anna, ChallengeIn(game=GAME, time_control=SLOW), "")
            quick = await lobby.challenge(anna, ChallengeIn(game=GAME), "")
            own, _ = await enter(lobby, ben)
            await lobby.challenge(ben, ChallengeIn(game=GAME, time_control=SLOW), "")
            lobby.leave(member)
            lobby.leave(own)
            await until(lambda: len(lobby.body["challenges"]) == 1)
            assert lobby.body["challenges"][0]["id"] == slow.id
            with pytest.raises(ApiError, match="withdrawn"):
                await lobby.accept(quick.id, guest("Cleo"), "")
            unattended = await lobby.challenge(guest("Dora"), ChallengeIn(game=GAME), "")
            await until(lambda: len(lobby.body["challenges"]) == 1)
            with pytest.raises(ApiError, match="withdrawn"):
                await lobby.get(unattended.id, None)
        async with running_lobby(str(tmp_path / "teahouse.db")) as lobby:
            (stored,) = lobby.body["challenges"]
            assert stored["id"] == slow.id
            seat = await lobby.accept(slow.id, await account(lobby, "Emil"), "")
            assert seat is not None
            session = (await lobby.registry.room(seat.table)).session
            assert session.clock.running is not None, "the days run though nobody is connected"
        async with running_lobby(str(tmp_path / "teahouse.db")) as lobby:
            assert lobby.body["challenges"] == []
            _, inbox = await enter(lobby, anna)
            (welcome,) = inbox.of("welcome")
            assert [game["table"] for game in welcome["games"]] == [seat.table]

    asyncio.run(main())


@in_lobby
async def test_the_days_of_a_rematch_run_at_once(lobby: Lobby) -> None:
    """Those who have agreed to it need not open it first, as after a challenge."""
    anna, ben = await account(lobby, "Anna"), await account(lobby, "Ben")
    slow = await lobby.challenge(anna, ChallengeIn(game=GAME, time_control=SLOW), "")
    seat = await lobby.accept(slow.id, ben, "")
    assert seat is not None
    room = await lobby.registry.room(seat.table)
    await room.submit(commands.Resign(seat=0))
    await room.submit(commands.Offer(seat=0, offer="rematch"))
    await room.submit(commands.Respond(seat=1, offer="rematch", accept=True))
    assert room.session.rematch is not None
    again = (await lobby.registry.room(room.session.rematch)).session
    assert all(one.joined for one in again.seats)
    assert again.clock.running == again.player


def test_a_game_that_nobody_joins_ends_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time to come goes on by itself, though nobody opens the table."""
    monkeypatch.setitem(seating.START_SECONDS, "none", 1)
    database = str(tmp_path / "teahouse.db")

    async def begin() -> str:
        async with running_lobby(database) as lobby:
            wanted = ChallengeIn(game=GAME)
            players = [guest("Anna"), guest("Ben")]
            seats = await lobby.begin(wanted, th.load(GAME), players, "")
            return seats[players[0].key].table

    async def wait(table: str) -> str | None:
        async with running_lobby(database) as lobby:
            store = lobby.registry.store
            while True:
                summary = (await store.stored_tables([table]))[table].summary
                if summary["over"]:
                    assert summary["result"] == "*"
                    reason: str | None = summary["reason"]
                    return reason
                await asyncio.sleep(0.02)

    table = asyncio.run(begin())
    assert asyncio.run(wait(table)) == "aborted"


@in_lobby
async def test_challenges_to_an_account_are_seen_by_nobody_else(lobby: Lobby) -> None:
    anna, ben = await account(lobby, "Anna"), await account(lobby, "Ben")
    _, inbox = await enter(lobby, ben)
    _, own = await enter(lobby, anna)
    _, stranger = await enter(lobby, guest("Cleo"))
    wanted = ChallengeIn(game=GAME, to="ben", time_control=CLOCK, rated=True, seat=0)
    challenge = await lobby.challenge(anna, wanted, "")
    (told,) = inbox.of("challenge")
    assert told["challenge"]["players"][0]["name"] == "Anna"
    assert lobby.body["challenges"] == []
    with pytest.raises(ApiError, match="no such challenge"):
        await lobby.accept(challenge.id, guest("Cleo"), "")
    with pytest.raises(ApiError, match="no such challenge"):
        await lobby.get(challenge.id, guest("Cleo"))
    await lobby.cancel(challenge.id, ben)
    assert own.of("challenge_gone")[-1]["reason"] == "This challenge was declined."
    challenge = await lobby.challenge(anna, wanted, "")
    seat = await lobby.accept(challenge.id, ben, "")
    assert seat is not None
    assert (seat.seat, seat.secret) == (1, None)
    assert own.of("paired")[-1]["seat"] == 0
    assert own.of("game_begins")[-1]["rated"]
    first = (await lobby.registry.room(seat.table)).session.position.player
    assert len((own if first == 0 else inbox).of("your_turn")) == 1
    assert {one["type"] for one in stranger.messages} <= {"welcome", "lobby", "changes"}
    for name, message in (("Nobody", "no account"), ("anna", "yourself")):
        with pytest.raises(ApiError, match=message):
            await lobby.challenge(anna, ChallengeIn(game=GAME, to=name), "")


@in_lobby
async def test_challenges_of_an_account_that_leaves(lobby: Lobby) -> None:
    """Its own challenges and those to it are withdrawn, from the database too."""
    anna, ben = await account(lobby, "Anna"), await account(lobby, "Ben")
    assert anna.account is not None
    _, inbox = await enter(lobby, ben)
    slow = ChallengeIn(game=GAME, time_control=SLOW)
    own = await lobby.challenge(anna, slow, "")
    to_her = await lobby.challenge(ben, slow.model_copy(update={"to": "Anna"}), "")
    other = await lobby.challenge(ben, slow, "")
    await lobby.forget_account(anna.account.id)
    assert [one["id"] for one in lobby.body["challenges"]] == [other.id]
    assert {one.id for one in await rows.load(lobby.registry.store)} == {other.id}
    assert [one["id"] for one in inbox.of("challenge_gone")] == [to_her.id]
    with pytest.raises(ApiError, match="withdrawn"):
        await lobby.get(own.id, ben)


@in_lobby
async def test_what_a_challenge_asks_for(lobby: Lobby) -> None:
    anna, ben = await account(lobby, "Anna"), await account(lobby, "Ben")
    rated = ChallengeIn(game=GAME, time_control=CLOCK, rated=True)
    with pytest.raises(ApiError, match="account"):
        await lobby.challenge(guest("Cleo"), rated, "")
    with pytest.raises(ApiError, match="clock"):
        await lobby.challenge(anna, ChallengeIn(game=GAME, rated=True), "")
    with pytest.raises(ApiError, match="seat for somebody else"):
        bot = BotPlaceIn(seat=0, level=1)
        await lobby.challenge(anna, ChallengeIn(game=GAME, bots=[bot]), "")
    challenge = await lobby.challenge(anna, rated, "")
    with pytest.raises(ApiError, match="take part"):
        await lobby.accept(challenge.id, anna, "")
    with pytest.raises(ApiError, match="Sign in"):
        await lobby.accept(challenge.id, guest("Cleo"), "")
    seat = await lobby.accept(challenge.id, ben, "")
    assert seat is not None
    assert (await lobby.registry.room(seat.table)).session.created.rated
    strong = ChallengeIn(game=GAME, time_control=CLOCK, rating_range=(4000, 5000))
    challenge = await lobby.challenge(anna, strong, "")
    with pytest.raises(ApiError, match="rated 4000 to 5000; your rating is"):
        await lobby.accept(challenge.id, ben, "")


@in_lobby
async def test_pairing_prefers_people_and_offers_a_bot(lobby: Lobby) -> None:
    anna, inbox = await enter(lobby, guest("Anna"))
    await lobby.pairing.seek(anna, seek())
    now = lobby.now()
    lobby.now = lambda: now + BOT_SECONDS  # type: ignore[method-assign]
    (offer,) = await until(lambda: inbox.of("bot_offer"))
    assert offer == {"type": "bot_offer", "game": GAME, "level": None}
    other_pace, elsewhere = await enter(lobby, guest("Ben"))
    await lobby.pairing.seek(other_pace, seek("none"))
    cleo, hers = await enter(lobby, guest("Cleo"))
    await lobby.pairing.seek(cleo, seek())
    await until(lambda: inbox.of("paired") and hers.of("paired"))
    assert not elsewhere.of("paired")
    table = inbox.of("paired")[0]["table"]
    session = (await lobby.registry.room(table)).session
    assert session.created.listed
    assert session.created.start_within
