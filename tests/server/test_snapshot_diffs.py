"""Snapshot diffs yield the whole snapshots, byte by byte."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.diffs import apply_diff
from support.servers import Client, ServerProcess

import teahouse as th
from teahouse.core.position import Position
from teahouse.draw.page_text import text_edits
from teahouse.server.tables.snapshot_diffs import SnapshotParts
from teahouse.server.tables.snapshots import snapshot
from teahouse.server.web.wire import from_json, to_json
from teahouse.server.workers.ipc import position_fields
from teahouse.server.workers.snapshot_requests import SnapshotRenderer
from teahouse.session.state import LastMove

PARTS = st.lists(st.sampled_from(["", "a", "b", "<g/>", "é", "𝄞", "long"]), max_size=30)


def as_sent(value: Any) -> Any:
    return from_json(to_json(value))


def random_game(game: th.Game, rng: random.Random) -> Iterator[tuple[Position, LastMove | None]]:
    position, last = game.start(), None
    yield position, last
    while not position.over:
        move = rng.choice(position.legal)
        position, last = position.play(move), (position, move)
        yield position, last


@pytest.mark.parametrize("name", th.games())
def test_differences_make_the_whole_snapshot(name: str) -> None:
    """From each position to the next, and from an earlier one of the game, as after a takeback."""
    rng = random.Random(7)
    shown: list[tuple[SnapshotParts, dict[str, Any]]] = []
    for position, last in random_game(th.load(name), rng):
        parts = SnapshotParts.of(position, position.ply, last)
        whole = as_sent(snapshot(position, position.ply, last))
        assert parts.whole().decode() == to_json(whole)
        for before, before_whole in [*shown[-1:], rng.choice(shown)] if shown else ():
            made = apply_diff(before_whole, from_json(parts.diff(before)))
            assert to_json(made) == to_json(whole)
        shown.append((parts, whole))


@pytest.mark.parametrize("name", th.games())
def test_differences_are_much_smaller(name: str) -> None:
    sizes, before = [0, 0], None
    for position, last in random_game(th.load(name), random.Random(3)):
        parts = SnapshotParts.of(position, position.ply, last)
        if before is not None:
            sizes[0] += len(parts.whole())
            sizes[1] += len(parts.diff(before))
        before = parts
    assert 3 * sizes[1] < sizes[0]


def test_a_worker_keeps_the_latest_snapshots() -> None:
    """Diffs can be based on any of them, by several tables on the same one."""
    game, renderer = th.load(th.games()[0]), SnapshotRenderer()
    first = game.start()
    second = first.play(first.legal[0])

    def request(number: int, base: int | None, position: Position) -> Any:
        body = {"number": number, "base": base, "table_ply": position.ply, "last": None}
        return from_json(renderer.render({**body, **position_fields(position)}, game))

    whole = request(1, None, first)
    made = apply_diff(whole, request(2, 1, second))
    assert made == as_sent(snapshot(second, second.ply, None))
    assert apply_diff(whole, request(3, 1, second)) == made
    assert request(4, 9, second) is None
    assert apply_diff(made, request(5, 2, first)) == whole


@given(PARTS, PARTS)
def test_edits(before: list[str], after: list[str]) -> None:
    diff = {"values": {}, "edits": {"svg": text_edits(before, after)}}
    assert apply_diff({"svg": "".join(before)}, diff) == {"svg": "".join(after)}


def test_clients_choose_whole_snapshots_or_differences(server: ServerProcess) -> None:
    """Everybody sees the same, also after a takeback, and who comes later or again.

    A server may always send a whole snapshot, as it does when a render worker was killed.
    """
    game = th.load("orochi", side=2)
    seats = [{"kind": "local"}, {"kind": "local"}]
    table, secrets = server.create_table(game="orochi", options={"side": 2}, seats=seats)
    player = server.join(table, *secrets, snapshots=True, diffs=True)
    watcher = server.join(table, snapshots=True)
    positions = [game.start()]
    received = []

    def next_shown(client: Client, before: dict[str, Any]) -> dict[str, Any]:
        message = client.receive("snapshot", "snapshot_diff")
        received.append(message["type"])
        whole = message.get("snapshot")
        return apply_diff(before, message["diff"]) if whole is None else whole

    with player, watcher:
        shown = player.receive("table")["snapshot"]
        watcher.receive("table")

        def check(turn: int) -> None:
            nonlocal shown
            shown = next_shown(player, shown)
            assert shown == watcher.receive("snapshot")["snapshot"], turn

        for turn in range(4):
            seat, move = positions[-1].player, positions[-1].legal[0]
            positions.append(positions[-1].play(move))
            player.send(type="play", id=turn, seat=seat, ply=turn, move=move)
            check(turn)
        player.send(type="offer", id=4, seat=0, offer="takeback", ply=3)
        check(3)
        with server.join(table, snapshots=True, diffs=True, after=1) as late:
            late_shown = late.receive("snapshot")["snapshot"]
            assert late_shown == shown
            seat, move = positions[3].player, positions[3].legal[-1]
            player.send(type="play", id=5, seat=seat, ply=3, move=move)
            check(4)
            assert next_shown(late, late_shown) == shown
    assert "snapshot_diff" in received
