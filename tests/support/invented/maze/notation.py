"""Doors and rooms by their numbers."""

from typing import Any

from . import rules


def move_text(board: Any, state: Any, move: int) -> str:
    return str(move)


def position_text(board: Any, state: Any) -> str:
    return f"room {state.room}"


def read_position(board: Any, state: Any, text: str) -> None:
    words = text.split()
    rooms = {str(room): room for room in range(rules.ROOMS)}
    if len(words) != 2 or words[0] != "room" or words[1] not in rooms:
        raise ValueError(f"expected 'room' and a number below {rules.ROOMS}")
    rules.enter(board, state, rooms[words[1]])
