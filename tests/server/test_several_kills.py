"""Several servers that are killed or restarted while games are played: nothing is lost."""

from __future__ import annotations

import asyncio

import pytest
from support import servers
from support.several_kills import Game, Tally, count, kill_several
from support.several_pages import Reading
from support.several_restart import restart_several

import teahouse as th

ACKNOWLEDGE_EARLY = """
from teahouse.server.storage.store import Store
append = Store.append
def append_later(store, changes):
    accepted = store._loop.create_future()
    accepted.set_result(True)
    store._loop.call_later(1.0, append, store, changes)
    return accepted
Store.append = append_later
"""
"""A server that tells the players of a move before it is stored."""

A, B, C = (0, "a"), (1, "b"), (2, "c")


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        ([A, B, C], (0, 0, 0)),
        ([A, B], (1, 0, 0)),
        ([A, (1, "other"), C], (1, 0, 0)),
        ([A, B, B, C], (0, 1, 0)),
        ([A, (1, "other"), B, C], (0, 1, 0)),
        ([B, A, C], (0, 0, 2)),
        ([], (3, 0, 0)),
    ],
)
def test_what_is_wrong_is_counted(
    stored: list[tuple[int, str]], found: tuple[int, int, int]
) -> None:
    tally = Tally()
    game = Game("", [], th.load(th.games()[0]).start(1), False, acknowledged=[A, B, C])
    count(game, stored, tally)
    assert (tally.lost, tally.doubled, tally.misplaced) == found


def test_clocks_that_differ_are_noticed() -> None:
    first = Reading.of({"remaining_ms": [9_000, 5_000], "running": 1}, asked=10.0, received=10.2)
    moments = ((3_000, 12.0, 12.1, 0.0), (2_900, 12.0, 12.1, 0.0), (2_000, 12.0, 12.1, 0.9))
    for left, asked, received, differs in moments:
        clock = {"remaining_ms": [9_000, left], "running": 1}
        later = Reading.of(clock, asked, received)
        assert first.differs(later) == later.differs(first) == pytest.approx(differs)


@pytest.mark.long
def test_a_rolling_restart_is_not_noticed() -> None:
    seen, tally = asyncio.run(restart_several(servers=2, restarts=2, tables=2))
    assert seen.errors == []
    assert seen.restarts == 2
    assert seen.away, "nobody had to reconnect"
    assert seen.clocks, "no clocks were compared"
    assert seen.other_clocks == 0
    assert tally.acknowledged > 0
    assert (tally.lost, tally.doubled, tally.misplaced) == (0, 0, 0)
    assert tally.exceptions == []


def kill(kills: int, moves: int) -> Tally:
    """Kill processes of two servers, a worker and PostgreSQL while people and bots play."""
    return asyncio.run(
        kill_several(
            servers=2, workers=1, kills=kills, moves=moves, tables=4, seed=1, database=True
        )
    )


@pytest.mark.long
def test_killed_processes_lose_nothing() -> None:
    tally = kill(kills=8, moves=150)
    assert sum(tally.kills.values()) >= 8
    assert tally.acknowledged >= 150
    assert (tally.lost, tally.doubled, tally.misplaced) == (0, 0, 0)
    assert tally.exceptions == []


@pytest.mark.long
def test_a_server_that_acknowledges_too_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "SERVE", ACKNOWLEDGE_EARLY + servers.SERVE)
    try:
        tally = kill(kills=8, moves=100)
    except AssertionError:  # a move was rejected, since one before it is lost
        return
    assert tally.lost > 0
