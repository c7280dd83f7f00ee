"""Attacks with texts and histories: records, positions, takebacks, chat, large views."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Iterator
from typing import Any

import teahouse as th
from attacks import attack
from attacks.target import TEXT, Target, frame, read_frame

HERE = [{"kind": "local"}, {"kind": "local"}]
OROCHI = '[Game "orochi"]\n'
CONNECTIONS = 5


class Player:
    """A socket with all seats of a table."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._last_id = 0

    async def send(self, **message: Any) -> str:
        """Send a message; return the code of its error, or an empty text."""
        self._last_id += 1
        body = json.dumps({"id": self._last_id, **message}).encode()
        self._writer.write(frame(TEXT, body))
        while True:
            opcode, payload = await asyncio.wait_for(read_frame(self._reader), 30)
            if opcode != TEXT:
                raise ConnectionResetError("closed")
            reply = json.loads(payload)
            if reply.get("id") == self._last_id:
                return str(reply.get("code", ""))


@contextlib.asynccontextmanager
async def _player(target: Target, **options: Any) -> Any:
    """Create a table and join it; yield its id and the player."""
    table = await target.create_table(HERE, **options)
    if table is None:
        raise ConnectionRefusedError("no table")
    reader, writer = await target.join(table[0], *table[1])
    try:
        yield table[0], Player(reader, writer)
    finally:
        writer.close()


async def _post(target: Target, bodies: list[tuple[str, dict[str, Any]]]) -> None:
    """Post bodies in turn on some connections."""
    rng = random.Random(1)

    async def work() -> None:
        path, body = rng.choice(bodies)
        await target.request("POST", path, body)

    await asyncio.gather(*(target.repeat(work) for _ in range(CONNECTIONS)))


def _uploads(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("/api/records", {"text": text}),
        ("/api/explore", {"record": text}),
        ("/api/hint", {"record": text}),
    ]


@attack()
async def unclosed_comments(target: Target) -> None:
    """Records with 40,000 unclosed braces are uploaded."""
    await _post(target, _uploads(OROCHI + "{" * 40_000))


@attack()
async def many_remarks(target: Target) -> None:
    """Records with 30,000 comments are uploaded."""
    await _post(target, _uploads(OROCHI + "{a}" * 30_000))


@attack()
async def backtracking_positions(target: Target) -> None:
    """Tables and explored games start from a position with thousands of digits."""
    start = f"k12:{'1' * 4_000}x b - 5,5 0,0 - 0 0 0"
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("/api/tables", {"game": "toot", "start": start, "seats": HERE}),
        ("/api/explore", {"game": "toot", "start": start}),
    ]
    await _post(target, bodies)


def _random_moves(game: th.Game, seed: int) -> Iterator[tuple[th.Position, str]]:
    rng, position = random.Random(seed), game.start()
    while not position.over:
        move = rng.choice(position.legal)
        yield position, move
        position = position.play(move)


@attack()
async def record_pages(target: Target) -> None:
    """Pages of long records are requested on 30 connections."""
    game = th.load("orochi", side=8)
    ids = []
    for seed in range(3):
        record = th.Record.new(game)
        for position, move in _random_moves(game, seed):
            record.comments[position.ply] = "x" * 300
            record.play(move)
        status, body = await target.request("POST", "/api/records", {"text": record.text()})
        if status == 201:
            ids.append(json.loads(body)["id"])
    rng = random.Random(1)

    async def work() -> None:
        await target.request("GET", f"/records/{rng.choice(ids)}")

    await asyncio.gather(*(target.repeat(work) for _ in range(30)))


@attack()
async def takebacks(target: Target) -> None:
    """Moves at ply 180 are taken back and played again without end."""
    game = th.load("orochi", side=8)

    async def work() -> None:
        async with _player(target, game="orochi", side=8) as (table, player):
            played: tuple[th.Position, str] | None = None
            for position, move in _random_moves(game, 1):
                play = {"type": "play", "seat": position.player, "ply": position.ply}
                while code := await player.send(**play, move=move):
                    target.outcomes[code] += 1
                    await asyncio.sleep(0.1)
                played = position, move
                if position.ply == 180:
                    break
            assert played is not None
            position, move = played
            while True:
                code = await player.send(type="offer", seat=position.player, offer="takeback")
                target.outcomes[code or "taken back"] += 1
                play = {"type": "play", "seat": position.player, "ply": position.ply}
                code = await player.send(**play, move=move)
                target.outcomes[code or "played"] += 1
                await target.request("GET", f"/api/tables/{table}")

    await asyncio.gather(*(target.repeat(work) for _ in range(3)))


@attack()
async def chat_lines(target: Target) -> None:
    """Chat without end at some tables, whose state is requested again and again."""

    async def work() -> None:
        async with _player(target) as (table, player):
            while True:
                code = await player.send(type="chat", seat=0, text="chat " * 90)
                target.outcomes[code or "chatted"] += 1
                await target.request("GET", f"/api/tables/{table}")

    await asyncio.gather(*(target.repeat(work) for _ in range(3)))


@attack()
async def large_views(target: Target) -> None:
    """Views of positions of Toot with thousands of legal moves are requested."""
    options = {"tiles": 20, "pieces": 10}
    game = th.load("toot", **options)
    found = [
        max(_random_moves(game, seed), key=lambda one: len(one[0].legal))[0] for seed in range(3)
    ]
    body = {"game": "toot", "options": options, "seats": HERE}
    paths = []
    for position in found:
        status, answer = await target.request(
            "POST", "/api/tables", {**body, "start": str(position)}
        )
        if status == 201:
            table = json.loads(answer)["id"]
            paths += [f"/api/tables/{table}", f"/tables/{table}", f"/api/tables/{table}/plies/0"]
    rng = random.Random(1)

    async def work() -> None:
        if rng.random() < 0.3:
            start = {"game": "toot", "options": options, "start": str(rng.choice(found))}
            await target.request("POST", "/api/explore", start)
        else:
            await target.request("GET", rng.choice(paths))

    await asyncio.gather(*(target.repeat(work) for _ in range(20)))
