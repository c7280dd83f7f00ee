"""Positions to try things on, and a game invented for it."""

import random
from importlib import import_module
from pathlib import Path

import teahouse as th
from teahouse.core.game import Game
from teahouse.core.pyrecord import pack


def followers(position: th.Position) -> list[th.Position]:
    """The positions after each legal move: as `play` gives them, but quicker."""
    game = position.game
    moves = [0] * game.layout.max_moves
    found = []
    for move in moves[: game.rules.legal(game.board, position.unpack(), moves)]:
        state = position.unpack()
        game.rules.play(game.board, state, move)
        found.append(th.Position(game, pack(state, game.layout.state), position.ply + 1))
    return found


def late_positions(game: Game, seed: int, decisions: int) -> list[th.Position]:
    """The last positions of a random game in which there was something to decide."""
    chance = random.Random(seed)
    positions = [game.start(seed)]
    while not positions[-1].over:
        after = followers(positions[-1])
        positions.append(after[chance.randrange(len(after))])
    return positions[-1 - decisions : -1]


def maze(table: str, seed: int) -> th.Position:
    """The start of a game invented for tests; it is no game of the house."""
    folders = import_module("teahouse.games").__path__
    folders.append(str(Path(__file__).parent / "invented"))
    try:
        return Game("maze", {"table": table, "seed": seed}).start()
    finally:
        folders.pop()
