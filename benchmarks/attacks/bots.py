"""Attacks on the workers that search: many bots, many boards, many hints."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence
from typing import Any

import teahouse as th
from attacks import attack
from attacks.target import TEXT, Target, frame, read_frame

TABLES = 18
STRONGEST = {"kind": "bot", "level": 8}
BOARDS: Sequence[tuple[str, dict[str, Any]]] = [
    *(("orochi", {"side": side}) for side in (2, 3, 5, 6, 7, 8)),
    *(("fillit", {"mode": mode}) for mode in ("2mini", "3", "3mini", "teams")),
]


async def _watch(
    target: Target, seats: Sequence[dict[str, Any]], game: str, **options: Any
) -> None:
    """Create a table and watch it; where a seat is a person's, play the first legal move."""
    created = await target.create_table(seats, game, **options)
    if created is None:
        await asyncio.sleep(1.0)
        return
    reader, writer = await target.join(created[0], *created[1])
    people = {seat for seat, one in enumerate(seats) if one["kind"] != "bot"}
    position = th.load(game, **options).start(0)
    try:
        while not position.over:
            if position.player in people:
                ply, move = position.ply, position.legal[0]
                play = {"type": "play", "id": 1, "seat": position.player, "ply": ply, "move": move}
                writer.write(frame(TEXT, json.dumps(play).encode()))
            for move in await _moves(reader, position.ply):
                position = position.play(move)
                target.outcomes["moves"] += 1
    finally:
        writer.close()


async def _moves(reader: asyncio.StreamReader, ply: int) -> list[str]:
    """Return the moves of the next message that has some, from a ply on."""
    while True:
        message = json.loads((await read_frame(reader))[1])
        if message["type"] == "table":
            moves = [one["move"] for one in message["moves"]][ply:]
        else:
            moves = [one["move"] for one in message.get("events", []) if one["type"] == "moved"]
        if moves:
            return moves


async def _watch_many(target: Target, tables: int, seats: Sequence[dict[str, Any]]) -> None:
    async def work() -> None:
        await _watch(target, seats, "orochi")

    await asyncio.gather(*(target.repeat(work) for _ in range(tables)))


@attack()
async def bots_of_level_8(target: Target) -> None:
    """18 tables with bots of level 8 on all seats, each watched."""
    await _watch_many(target, TABLES, [STRONGEST, STRONGEST])


@attack()
async def games_against_level_8(target: Target) -> None:
    """18 tables at which the attacker answers a bot of level 8 at once."""
    await _watch_many(target, TABLES, [{"kind": "local"}, STRONGEST])


@attack()
async def unwatched_bots(target: Target) -> None:
    """Tables with bots on all seats, created and left alone."""

    async def work() -> None:
        await target.create_table([STRONGEST, STRONGEST])

    await target.repeat(work)


@attack()
async def board_sizes(target: Target) -> None:
    """Ten tables with boards of different sizes, whose searches are not compiled."""
    boards = iter(BOARDS)

    async def work() -> None:
        game, options = next(boards)
        players = th.load(game, **options).players
        seats: list[dict[str, Any]] = [{"kind": "local"}]
        seats += [{"kind": "bot", "level": 3} for _ in players[1:]]
        await _watch(target, seats, game, **options)

    await asyncio.gather(*(work() for _ in BOARDS), return_exceptions=True)
    await asyncio.sleep(1e9)


@attack()
async def hint_flood(target: Target) -> None:
    """Hints for positions without a table, as fast as the limits allow."""
    seeds = itertools.count()

    async def work() -> None:
        await target.request("POST", "/api/hint", {"game": "orochi", "seed": next(seeds)})

    await asyncio.gather(*(target.repeat(work) for _ in range(TABLES)))
