"""The maze: who decides in each room, where its doors lead, and who wins where there are none."""

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

from teahouse.core.game import Layout

ROOMS = 32
DOORS = 3


def layout(options: Mapping[str, Any]) -> Layout:
    from . import TEAMS

    teams = TEAMS[options["table"]]
    chance = Random(options["seed"])
    board = np.zeros(
        1,
        [
            ("doors", np.uint8, (ROOMS, DOORS)),
            ("door_count", np.uint8, ROOMS),
            ("decider", np.uint8, ROOMS),
            ("winners", np.uint8, ROOMS),
        ],
    )
    last_rooms = ROOMS // 4
    for room in range(ROOMS):
        board["decider"][0, room] = chance.choice([player for team in teams for player in team])
        if room < ROOMS - last_rooms:
            ahead = range(room + 1, min(ROOMS, room + last_rooms))
            board["door_count"][0, room] = chance.randint(1, DOORS)
            board["doors"][0, room] = chance.sample(ahead, DOORS)
        else:
            winners = chance.choice([(), *teams])
            board["winners"][0, room] = sum(1 << player for player in winners)
    fields = ("room", "player", "over", "winners")
    return Layout(board, np.dtype([(field, np.uint8) for field in fields]), max_moves=DOORS)


def start(board: Any, state: Any, seed: int) -> None:
    enter(board, state, 0)


def legal(board: Any, state: Any, moves: Any) -> int:
    for door in range(DOORS):
        moves[door] = door
    return int(board.door_count[state.room])


def play(board: Any, state: Any, move: int) -> None:
    enter(board, state, board.doors[state.room][move])


def enter(board: Any, state: Any, room: int) -> None:
    state.room = room
    state.player = board.decider[room]
    state.over = board.door_count[room] == 0
    state.winners = board.winners[room]
