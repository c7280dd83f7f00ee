"""The lobby in process, on a real database: races, people who leave, stored challenges."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import teahouse as th
from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.models import Account
from teahouse.server.bots import Bots
from teahouse.server.errors import ApiError
from teahouse.server.job_pool import JobPool
from teahouse.server.lobby import lobby as lobby_module
from teahouse.server.lobby import rows, seating
from teahouse.server.lobby.challenges import TAKEN
from teahouse.server.lobby.lobby import Lobby
from teahouse.server.lobby.members import Member
from teahouse.server.lobby.messages import BotPlaceIn, ChallengeIn, SeekIn
from teahouse.server.lobby.models import Visitor
from teahouse.server.lobby.quick_pairing import BOT_SECONDS
from teahouse.server.lobby.relations import Relations
from teahouse.server.lobby.seating import SeatAt
from teahouse.server.messages import CorrespondenceIn, RealtimeIn
from teahouse.server.ratings.service import Ratings
from teahouse.server.registry import Registry
from teahouse.server.renderer import Renderer
from teahouse.server.settings import ServerSettings
from teahouse.server.store import Store
from teahouse.server.table_quota import TableQuota

GAME = th.games()[0]
NAMES = ["Anna", "Ben", "Cleo", "Dora", "Emil"]


class Inbox:
    """A connection that keeps what it is sent."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.closed = False

    def send(self, message: str) -> None:
        self.messages.append(json.loads(message))

    def disconnect(self, code: int, reason: str) -> None:
        self.closed = True

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [one for one in self.messages if one["type"] == kind]


@asynccontextmanager
async def running_lobby(database: str) -> AsyncIterator[Lobby]:
    """Run a lobby on a database."""
    chosen = ServerSettings(database=database)
    store = Store(database)
    store.start()
    registry = Registry(chosen, store, Bots(chosen), Renderer(1), JobPool())
    await registry.start()
    lobby = Lobby(registry, TableQuota(chosen), Relations(store, Ratings(registry)))
    await lobby.start()
    try:
        yield lobby
    finally:
        await lobby.close()
        await registry.close()
        await registry.bots.close()
        await registry.renderer.close()
        await registry.jobs.close()
        await store.close()


def in_lobby(
    test: Callable[[Lobby], Coroutine[Any, Any, None]],
) -> Callable[[Path], None]:
    """Run a test in the lobby of a new database."""

    def run(tmp_path: Path) -> None:
        async def main() -> None:
            async with running_lobby(str(tmp_path / "teahouse.db")) as lobby:
                await test(lobby)

        asyncio.run(main())

    run.__doc__ = test.__doc__
    return run


async def enter(lobby: Lobby, visitor: Visitor) -> tuple[Member, Inbox]:
    inbox = Inbox()
    member = Member(visitor, inbox, "127.0.0.1", boards=False)
    await lobby.enter(member)
    return member, inbox


def guest(name: str) -> Visitor:
    return Visitor(f"guest:{name}", name)


async def account(lobby: Lobby, name: str) -> Visitor:
    """Return the visitor of a new account."""
    created = Account(name.lower().ljust(10, "x"), name, "person", None, 0.0, None, False)
    await lobby.registry.store.write(lambda one: account_rows.add(one, created, None))
    return Visitor.of(created)


def seek(pace: str = "10+5") -> SeekIn:
    return SeekIn.model_validate({"type": "seek", "id": 1, "game": GAME, "pace": pace})


async def until(condition: Callable[[], Any]) -> Any:
    """Wait for something that is about to happen."""
    while not (found := condition()):
        await asyncio.sleep(0.005)
    return found


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
                lobby.get(unattended.id, None)
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
        lobby.get(challenge.id, guest("Cleo"))
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
        lobby.get(own.id, ben)


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
    with pytest.raises(ApiError, match="account"):
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


class LobbyMachine(RuleBasedStateMachine):
    """Visitors come, seek, challenge, join and leave in any order and at once."""

    @initialize()
    def create(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.context = running_lobby(str(Path(self.folder.name) / "teahouse.db"))
        self.lobby = self.runner.run(self.context.__aenter__())
        self.members: dict[str, tuple[Member, Inbox]] = {}
        self.inboxes: dict[str, list[Inbox]] = {name: [] for name in NAMES}
        self.accepted: list[tuple[str, SeatAt]] = []
        self.seeks: Counter[str] = Counter()

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.runner.run(self.context.__aexit__(None, None, None))
            self.runner.close()
            self.folder.cleanup()

    def run_all(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        async def gather() -> list[Any]:
            answers = await asyncio.gather(*work, return_exceptions=True)
            await self.lobby.pairing.beginning.finish()
            return answers

        answers = self.runner.run(gather())
        for answer in answers:
            assert not isinstance(answer, BaseException) or isinstance(answer, ApiError), answer
        return answers

    @rule(name=st.sampled_from(NAMES))
    def come(self, name: str) -> None:
        if name not in self.members:
            self.members[name] = self.runner.run(enter(self.lobby, guest(name)))
            self.inboxes[name].append(self.members[name][1])

    @rule(name=st.sampled_from(NAMES))
    def go(self, name: str) -> None:
        if name in self.members:
            self.run_all(self._leave(self.members.pop(name)[0]))

    async def _leave(self, member: Member) -> None:
        self.lobby.leave(member)

    @rule(names=st.lists(st.sampled_from(NAMES), min_size=1, unique=True), leave=st.booleans())
    def look(self, names: list[str], leave: bool) -> None:
        """Some look for opponents at once; perhaps one of them leaves at the same moment."""
        present = [name for name in names if name in self.members]
        for name in present:
            self.seeks[name] += 1
        work = [self.lobby.pairing.seek(self.members[name][0], seek()) for name in present]
        if leave and present:
            work.append(self._leave(self.members.pop(present[-1])[0]))
        self.run_all(*work)

    @rule(name=st.sampled_from(NAMES))
    def challenge(self, name: str) -> None:
        self.run_all(self.lobby.challenge(guest(name), ChallengeIn(game=GAME), ""))

    @rule(names=st.lists(st.sampled_from(NAMES), min_size=1, unique=True), cancel=st.booleans())
    def join(self, names: list[str], cancel: bool) -> None:
        """Some join the oldest challenge at once; perhaps it is withdrawn at the same moment."""
        challenges = self.lobby.body["challenges"]
        if not challenges:
            return
        first = challenges[0]
        work: list[Coroutine[Any, Any, Any]] = [
            self.lobby.accept(first["id"], guest(name), "") for name in names
        ]
        if cancel:
            work.append(self.lobby.cancel(first["id"], guest(first["players"][0]["name"])))
        answers = self.run_all(*work)
        seats = [(name, one) for name, one in zip(names, answers, strict=False) if one is not None]
        won = [(name, one) for name, one in seats if isinstance(one, SeatAt)]
        assert len(won) <= 1
        self.accepted += won

    @invariant()
    def no_seat_is_given_twice(self) -> None:
        if not hasattr(self, "inboxes"):
            return
        paired = [
            (name, one["table"], one["seat"], one["challenge"])
            for name, inboxes in self.inboxes.items()
            for inbox in inboxes
            for one in inbox.of("paired")
        ]
        seats = [(table, seat) for _, table, seat, _ in paired]
        seats += [(one.table, one.seat) for _, one in self.accepted]
        assert len(seats) == len(set(seats))
        by_pairing = Counter(name for name, _, _, challenge in paired if challenge is None)
        assert all(by_pairing[name] <= self.seeks[name] for name in NAMES)


TestLobby = LobbyMachine.TestCase
TestLobby.settings = settings(max_examples=10, stateful_step_count=20, deadline=None)
