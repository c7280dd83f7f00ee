"""Positions for tests, and a small invented game."""

import random
from importlib import import_module
from pathlib import Path
from typing import Any

import teahouse as th
from teahouse.core.game import Game
from teahouse.core.pyrecord import pack


def request_of(position: th.Position) -> dict[str, Any]:
    """Return a position as requests to a server name it."""
    game = position.game
    return {"game": game.name, "options": game.options, "position": str(position)}


def children(position: th.Position) -> list[th.Position]:
    """Return the position after each legal move; faster than `play`."""
    game = position.game
    moves = [0] * game.layout.max_moves
    found = []
    for move in moves[: game.rules.legal(game.board, position.unpack(), moves)]:
        state = position.unpack()
        game.rules.play(game.board, state, move)
        found.append(th.Position(game, pack(state, game.layout.state), position.ply + 1))
    return found


def late_positions(game: Game, seed: int, count: int) -> list[th.Position]:
    """Return the last positions of a random game before its end, the latest last."""
    chance = random.Random(seed)
    positions = [game.start(seed)]
    while not positions[-1].over:
        after = children(positions[-1])
        positions.append(after[chance.randrange(len(after))])
    return positions[-1 - count : -1]


def maze(table: str, seed: int) -> th.Position:
    """Return the start of an invented game, a random acyclic maze for a kind of table."""
    folders = import_module("teahouse.games").__path__
    folders.append(str(Path(__file__).parent / "invented"))
    try:
        return Game("maze", {"table": table, "seed": seed}).start()
    finally:
        folders.pop()


def late_record(game: Game, seed: int, count: int) -> th.Record:
    """Return a record of the last moves of a random game."""
    chance = random.Random(seed)
    whole = th.Record.new(game, seed)
    while not whole.position.over:
        whole.play(chance.choice(whole.position.legal))
    late = th.Record(game, whole.positions[-1 - count])
    for move in whole.moves[-count:]:
        late.play(move)
    return late
