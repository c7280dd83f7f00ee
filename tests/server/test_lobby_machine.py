"""A state machine: visitors of a lobby do anything at any time, and at once."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.lobby import GAME, Inbox, enter, guest, running_lobby, seek

from teahouse.server.lobby.members import Member
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.lobby.seating import SeatAt
from teahouse.server.web.errors import ApiError

NAMES = ["Anna", "Ben", "Cleo", "Dora", "Emil"]


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
