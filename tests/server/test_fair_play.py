"""Between people in a live game there is no help by the computer, whichever way it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from support.registries import open_registry
from support.servers import Client, ServerProcess, running_server

import teahouse as th
from teahouse.core.canonical import canonical_key
from teahouse.core.game import game_info
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.session import commands

GAME = "orochi"
OPTIONS = {"side": 4}
REMOTE = [{"kind": "remote"}, {"kind": "remote"}]
MOVES = ["wd4", "ba1", "wb2"]
TURNED = ["wd4", "bg4", "wf4"]
"""The same game, seen from the opposite side."""


def setup(**more: Any) -> dict[str, Any]:
    return {"game": GAME, "options": OPTIONS, **more}


def position_after(moves: list[str]) -> th.Position:
    position = th.load(GAME, **OPTIONS).start()
    for move in moves:
        position = position.play(move)
    return position


def play_live_game(white: Client, black: Client) -> None:
    for ply, move in enumerate(MOVES):
        seat = position_after(MOVES[:ply]).player
        reply = (white, black)[seat].request(type="play", seat=seat, ply=ply, move=move)
        assert reply["type"] == "ack", reply


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServerProcess, str, Client]]:
    """A server with a live game between two people, and the socket of one of them."""
    folder = tmp_path_factory.mktemp("server")
    with running_server(str(folder / "teahouse.db"), hint_seconds=0.05) as server:
        table, secrets = server.create_table(**setup(seats=REMOTE))
        with server.join(table, secrets[0]) as white, server.join(table, secrets[1]) as black:
            assert white.receive("table")["state"]["help_allowed"] is False
            play_live_game(white, black)
            yield server, table, black


def assert_refused(answer: Any) -> None:
    assert answer["code"] == "fair_play", answer
    assert "between people" in answer["message"]


def test_a_hint_at_the_table(people: tuple[ServerProcess, str, Client]) -> None:
    server, table, black = people
    assert_refused(black.request(type="hint", seat=1, ply=3))
    assert_refused(black.request(type="hint", seat=1, ply=3, moves=["wd5"]))  # Try moves
    with server.join(table) as spectator:
        spectator.receive("table")
        assert_refused(spectator.request(type="hint", ply=3))


def test_the_same_position_elsewhere(people: tuple[ServerProcess, str, Client]) -> None:
    server, table, _ = people
    live = position_after(MOVES)
    _, record = server.request(f"/api/tables/{table}/record")
    for asked in (
        setup(start=str(live)),
        setup(start=str(live).replace(" 3", " 77")),  # whatever the number of moves
        setup(moves=MOVES),
        setup(moves=MOVES[:2]),
        setup(moves=TURNED),
        setup(start=str(live.play("wd5"))),
        {"record": record},
    ):
        status, answer = server.request("/api/hint", asked)
        assert status == 409
        assert_refused(answer)


def test_a_bot_that_plays_on_from_the_position(people: tuple[ServerProcess, str, Client]) -> None:
    server, _, _ = people
    seats: list[dict[str, Any]] = [{"kind": "local"}, {"kind": "bot", "level": 8}]
    body = setup(start=str(position_after(MOVES)), seats=seats)
    assert_refused(server.request("/api/tables", body)[1])
    turned = {**body, "start": str(position_after(TURNED))}
    assert_refused(server.request("/api/tables", turned)[1])
    assert server.request("/api/tables", {**body, "seats": REMOTE})[0] == 201


def test_a_review_that_begins_in_the_position(people: tuple[ServerProcess, str, Client]) -> None:
    server, _, _ = people
    for before in (MOVES, TURNED):
        live = position_after(before)
        record = th.Record(live.game, live)
        for _ in range(2):
            record.play(record.position.legal[0])
        _, stored = server.request("/api/records", {"text": record.text()})
        assert_refused(server.request("/api/reviews", {"record": stored["id"]})[1])


def test_options_that_do_not_change_a_position(
    people: tuple[ServerProcess, str, Client],
) -> None:
    """A position of a live game is recognised, whatever options are named with it."""
    server, _, _ = people
    named = 0
    for game in th.games():
        start = th.load(game).start()
        live = start.play(start.legal[0])
        seats = REMOTE[:1] * len(live.game.players)
        table, secrets = server.create_table(game=game, start=str(live), seats=seats)
        with server.join(table, secrets[0]) as player:
            assert player.request(type="chat", seat=0, text="Hello")["type"] == "ack"
            for options in ({}, *_variants(live)):
                asked = {"game": game, "options": options, "start": str(live)}
                assert_refused(server.request("/api/hint", asked)[1])
                named += len(options)
            assert player.request(type="resign", seat=0)["type"] == "ack"
    assert named


def _variants(position: th.Position) -> Iterator[dict[str, Any]]:
    """Yield one other value of each option with which the position text is valid."""
    for name, option in game_info(position.game.name).options.items():
        for value in option.examples:
            if value != position.game.all_options[name]:
                try:
                    th.load(position.game.name, **{name: value}).position(str(position))
                except (th.OptionError, th.PositionError):
                    continue
                yield {name: value}
                break


def test_other_positions_are_answered(people: tuple[ServerProcess, str, Client]) -> None:
    server, _, _ = people
    for asked in (setup(), setup(moves=["wa1"]), {"game": GAME}):
        assert server.request("/api/hint", asked)[0] == 200, asked


def test_help_returns_after_the_game(tmp_path: Path) -> None:
    database = str(tmp_path / "teahouse.db")
    with running_server(database, hint_seconds=0.05) as server:
        table, secrets = server.create_table(**setup(seats=REMOTE))
        with server.join(table, secrets[0]) as white, server.join(table, secrets[1]) as black:
            play_live_game(white, black)
    with running_server(database, hint_seconds=0.05) as server:  # before anybody opens the table
        asked = setup(start=str(position_after(MOVES)))
        assert_refused(server.request("/api/hint", asked)[1])
        with server.join(table, secrets[0]) as white:
            white.receive("table")
            assert white.request(type="resign", seat=0)["type"] == "ack"
            assert server.request(f"/api/tables/{table}")[1]["state"]["help_allowed"]
        assert server.request("/api/hint", asked)[0] == 200


def test_games_with_states_of_another_version(tmp_path: Path) -> None:
    """Before anybody opens them they are replayed, and nobody else's questions fail."""
    database, live = str(tmp_path / "teahouse.db"), position_after(MOVES)

    async def store_game() -> None:
        async with open_registry(database) as registry:
            request = ms.NewTableIn.model_validate(setup(seats=REMOTE))
            table, _ = await registry.create(request)
            room = await registry.room(table)
            for ply, move in enumerate(MOVES):
                seat = position_after(MOVES[:ply]).player
                await room.submit(commands.Play(seat=seat, ply=ply, move=move))
            crc = "substr(checkpoint, instr(checkpoint, '\",\"seq') - 8, 8)"
            changes = (
                sa.text(f"UPDATE tables SET checkpoint = replace(checkpoint, {crc}, '00000000')"),
                sa.text("UPDATE moves SET state = x'00'"),
            )
            await registry.store.write(lambda connection: [*map(connection.execute, changes)])

    async def ask() -> None:
        async with open_registry(database) as registry:
            await registry.start()
            async with asyncio.timeout(60):
                while not len(registry.fair_play):
                    await asyncio.sleep(0.01)
            with pytest.raises(ApiError, match="between people"):
                await registry.fair_play.check([live], "")
            await registry.fair_play.check([position_after(["ba1"])], "")

    asyncio.run(store_game())
    asyncio.run(ask())


@pytest.mark.parametrize("game", th.games())
def test_canonical_keys(game: str) -> None:
    """A key survives the position text, and tells positions apart that are no mirror images."""
    loaded = th.load(game)
    start = loaded.start()
    key = canonical_key(start)
    assert key == canonical_key(loaded.position(str(start)))
    after = {canonical_key(start.play(move)) for move in start.legal}
    assert key not in after
    second = start.play(start.legal[0])
    assert after.isdisjoint(canonical_key(second.play(move)) for move in second.legal)
