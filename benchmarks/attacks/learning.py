"""Attacks on what teaches: analysis, reviews, pictures, studies, explanations, fair play."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from typing import Any

import teahouse as th
from attacks import attack
from attacks.target import TEXT, Target, frame, read_frame

CONNECTIONS = 30
SEATS = [{"kind": "remote"}, {"kind": "remote"}]
POSITIONS = {name: str(th.load(name).start()) for name in th.games()}


def _record(name: str, seed: int) -> th.Record:
    """Return a game of random moves, of which each seed gives another."""
    rng = random.Random(seed)
    record = th.Record.new(th.load(name), seed)
    while not record.position.over and len(record.moves) < 200:
        record.play(rng.choice(record.position.legal))
    return record


async def _store(target: Target, record: th.Record) -> str | None:
    status, body = await target.request("POST", "/api/records", {"text": record.text()})
    return json.loads(body)["id"] if status == 201 else None


@attack()
async def analysis_sockets(target: Target) -> None:
    """30 analysis boards whose positions change with every answer."""
    numbers = itertools.count()

    async def work() -> None:
        number = next(numbers)
        game = list(POSITIONS)[number % len(POSITIONS)]
        reader, writer = await target.open_socket_at("/api/analysis")
        try:
            for again in range(20):
                ask = {"type": "analyse", "id": again, "game": game, "start": POSITIONS[game]}
                writer.write(frame(TEXT, json.dumps(ask).encode()))
                answer = json.loads((await read_frame(reader))[1])
                target.outcomes[answer["type"]] += 1
        finally:
            writer.close()

    await asyncio.gather(*(target.repeat(work) for _ in range(CONNECTIONS)))


@attack()
async def review_flood(target: Target) -> None:
    """Long games are uploaded, and reviews of all of them requested."""
    seeds = itertools.count()

    async def work() -> None:
        seed = next(seeds)
        stored = await _store(target, _record(th.games()[seed % len(th.games())], seed))
        if stored is not None:
            await target.request("POST", "/api/reviews", {"record": stored})

    await asyncio.gather(*(target.repeat(work) for _ in range(4)))


@attack()
async def picture_flood(target: Target) -> None:
    """Pictures of games and of always other records are requested on 30 connections."""
    seeds = itertools.count()

    async def work() -> None:
        stored = await _store(target, _record(th.games()[0], next(seeds)))
        for path in (f"/pictures/records/{stored}.png", "/pictures/teahouse.png"):
            await target.request("GET", path)

    await asyncio.gather(*(target.repeat(work) for _ in range(CONNECTIONS)))


@attack()
async def study_flood(target: Target) -> None:
    """Studies with a thousand moves are stored without end."""
    record = _record(th.games()[0], 1)
    nodes = [{"parent": ply - 1, "move": move} for ply, move in enumerate(record.moves)]
    comment = {"parent": -1, "move": record.moves[0], "comment": "x" * 50}
    nodes += [comment] * (1_000 - len(nodes))
    study = {"game": record.game.name, "start": str(record.positions[0]), "nodes": nodes}

    async def work() -> None:
        await target.request("POST", "/api/studies", study)

    await asyncio.gather(*(target.repeat(work) for _ in range(CONNECTIONS)))


@attack()
async def explanation_flood(target: Target) -> None:
    """Explanations, previews, openings and puzzles are requested on 30 connections."""
    numbers = itertools.count()

    async def work() -> None:
        number = next(numbers)
        game = list(POSITIONS)[number % len(POSITIONS)]
        setup: dict[str, Any] = {"game": game, "position": POSITIONS[game]}
        move = th.load(game).start().legal[0]
        for path, body in (
            ("/api/explain", {**setup, "name": "a1"}),
            ("/api/preview", {**setup, "move": move}),
            ("/api/openings", setup),
            (f"/api/puzzles/{game}/{1 + number % 150}", {"moves": [move]}),
        ):
            await target.request("POST", path, body)

    await asyncio.gather(*(target.repeat(work) for _ in range(CONNECTIONS)))


@attack()
async def questions_about_live_games(target: Target) -> None:
    """Many games of people begin in other positions each, and hints are asked for others."""
    seeds = itertools.count()

    async def work() -> None:
        record = _record(th.games()[-1], next(seeds))
        start = str(record.positions[len(record.moves) // 2])
        created = await target.create_table(SEATS, record.game.name, start=start)
        if created is not None:
            _, writer = await target.join(created[0], *created[1])
            said = {"type": "chat", "id": 1, "seat": 0, "text": "Hello"}
            writer.write(frame(TEXT, json.dumps(said).encode()))
        asked = {"game": record.game.name, "start": start.replace(" 0", " 1")}
        await target.request("POST", "/api/hint", asked)

    await asyncio.gather(*(target.repeat(work) for _ in range(8)))
