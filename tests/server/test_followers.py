"""What other processes are told of a table: what is stored, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from support.servers import Postgres, new_database

import teahouse as th
from teahouse.server.storage.store import Store
from teahouse.server.tables.log import TableLog
from teahouse.server.tables.new_table import created_event, requested_setup
from teahouse.server.tables.notifications import (
    TABLES,
    RemoteEvents,
    decode_change,
    decode_events,
    encode_change,
)
from teahouse.server.tables.rows import Change, SavedSession
from teahouse.server.tables.session_row import session_row
from teahouse.server.web.messages import NewTableIn
from teahouse.session import checkpoint
from teahouse.session import events as ev
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.state import GameSession

TABLE = "aaaaaaaaaa"


def new_session(store: Store) -> tuple[GameSession, Change]:
    """Return the session of a new table for two, and the change that stores it."""
    seats = [{"kind": "local"}, {"kind": "local"}]
    request = NewTableIn.model_validate({"game": th.games()[0], "seats": seats})
    game, start = requested_setup(request)
    created = created_event(request, game, start)
    first = LoggedEvent(1, store.now(), created)
    session = GameSession.replay([first])
    row = session_row(TABLE, [None, None], session, first.time)
    return session, Change([first], row, SavedSession.of(session), new=True)


def said(session: GameSession, store: Store, *texts: str) -> Change:
    """Return the change that appends chat messages to a session."""
    now, after = store.now(), session.copy()
    log = after.commit([ev.Chatted(seat=0, text=text) for text in texts], now)
    row = session_row(TABLE, [None, None], after, now)
    return Change(log, row, SavedSession.of(after, log))


def test_a_move_is_followed_with_its_outcome() -> None:
    """The outcome is what the follower would compute; that of another version is not used."""
    for name in th.games():
        game = th.load(name)
        position = game.start(1)
        seats = tuple(ev.HumanSeat(kind="local") for _ in game.players)
        created = ev.Created(game=name, options=game.options, seed=1, seats=seats)
        first = LoggedEvent(1, Timestamp(0.0, 0.0), created)
        session, follower = GameSession.replay([first]), GameSession.replay([first])
        for ply in range(6):
            move = position.legal[-1]
            moved = ev.Moved(seat=position.player, ply=ply, move=move)
            log = session.commit([moved], Timestamp(ply + 1.0, ply + 1.0))
            row = session_row(TABLE, [None] * len(seats), session, log[-1].time)
            remote = decode_events(
                decode_change(encode_change(Change(log, row, SavedSession.of(session, log))))[2]
            )
            assert remote.made_by == checkpoint.made_by(session.game)
            assert remote.log == log
            follower.apply(log[0], remote.outcomes[log[0].seq])
            position = position.play(move)
            assert follower.position == session.position == position
            assert follower.moves == session.moves
            assert checkpoint.save(follower) == checkpoint.save(session)


class Listener:
    """The owner of a log that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[bool, float, int]] = []

    def broadcast(
        self,
        before: GameSession,
        session: GameSession,
        log: Sequence[LoggedEvent],
        now: Timestamp,
    ) -> None:
        self.told.append((session.over and not before.over, session.updated, len(log)))

    def committed(self) -> None:
        raise AssertionError("nothing is committed here")

    async def rematch(self, *_: object) -> NoReturn:
        raise AssertionError("there is no rematch")

    def fail(self) -> None:
        raise AssertionError("the room is dropped")


async def test_a_follower_learns_when_a_game_has_ended(tmp_path: Path) -> None:
    """Ratings depend on it: it is not the time of what was said afterwards."""
    store = Store(str(tmp_path / "teahouse.db"))
    session, _ = new_session(store)
    listener = Listener()
    follower = TableLog(TABLE, [None, None], session, store, listener)
    events: list[ev.Event] = [
        ev.Chatted(seat=0, text="I give up"),
        ev.Ended(result=session.game.players[1], reason="resigned", seat=0),
        ev.Chatted(seat=1, text="thanks"),
        ev.Chatted(seat=0, text="bye"),
    ]
    stored = session.copy()
    log = [
        logged
        for number, event in enumerate(events, 1)
        for logged in stored.commit([event], Timestamp(session.updated + number, float(number)))
    ]
    await follower.follow(RemoteEvents(log))
    assert listener.told == [(True, session.updated + 2, 2), (False, session.updated + 4, 2)]
    assert follower.session.seq == stored.seq


def test_events_that_lost_the_race_are_not_published(postgres_server: Postgres) -> None:
    """A process that lost has more events than are stored: none of them may reach the others."""

    async def run() -> None:
        database = new_database(postgres_server)
        winner, loser, follower = Store(database), Store(database), Store(database)
        received: list[str] = []
        done = asyncio.Event()
        follower.notifications.subscribe(TABLES, received.append)
        follower.notifications.subscribe("done", lambda _: done.set())
        listening = asyncio.Event()
        follower.notifications.on_reconnect(listening.set)
        for store in (winner, loser, follower):
            store.start()
        async with asyncio.timeout(60):
            await listening.wait()
            session, creation = new_session(winner)
            assert await winner.append([creation])
            assert await winner.append([said(session, winner, "first")])
            assert not await loser.append([said(session, loser, "late", "later")])
            loser.publish("done", ["now"])
            await done.wait()
        items = [decode_change(item) for text in received for item in text.split(" ")]
        assert [(table, seq) for table, seq, _ in items] == [(TABLE, 1), (TABLE, 2)]
        events = [one.event for _, _, packed in items for one in decode_events(packed).log]
        assert [one.text for one in events if isinstance(one, ev.Chatted)] == ["first"]
        for store in (winner, loser, follower):
            await store.close()

    asyncio.run(run())
