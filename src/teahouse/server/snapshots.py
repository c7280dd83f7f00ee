"""Positions as pages get them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from teahouse.core.position import Position
from teahouse.core.result import DRAW, UNFINISHED
from teahouse.core.scene import Choice
from teahouse.draw.inline import piece_svg


@dataclass(frozen=True, slots=True)
class Told:
    """A move that was played, in words."""

    move: str
    player: int
    describe: str

    def listed(self) -> dict[str, Any]:
        """As in a list of moves."""
        return {"move": self.move, "player": self.player, "says": self.describe}


def told(position: Position, move: str) -> Told:
    """A legal move of a position, in words."""
    return Told(move, position.player, position.describe(move))


def view(position: Position, ply: int, last: tuple[Position, str] | None) -> str:
    """A position as JSON: drawn, with every legal move in words and ways to make it.

    `last` is the move that led here, and the position it was played in.
    """
    scene, game = position.scene, position.game
    winners = list(position.winners)
    result = "+".join(game.players[seat] for seat in winners) or DRAW
    return json.dumps(
        {
            "game": game.name,
            "options": game.options,
            "ply": ply,
            "position": str(position),
            "player": None if position.over else position.player,
            "prompt": scene.prompt,
            "colours": scene.colours,
            "hands": [
                {**vars(hand), "svg": piece_svg(game.name, scene.colours, hand.piece)}
                for hand in scene.hands
            ],
            "choices": [_choice(position, choice) for choice in scene.choices],
            "svg": position.svg(page=True, tray=False, last=last),
            "text": position.text(),
            "legal": [
                {
                    "move": move,
                    "ways": position.click_paths(move),
                    "says": position.describe(move, "imperative"),
                }
                for move in position.legal
            ],
            "last": last and _last(*last),
            "over": position.over,
            "winners": winners,
            "result": result if position.over else UNFINISHED,
        },
        ensure_ascii=False,
        separators=(",", ":"),
        default=vars,  # of pieces and their travels
    )


def _choice(position: Position, choice: Choice) -> dict[str, Any]:
    click_paths = (way for move in position.legal for way in position.click_paths(move))
    drawn = [piece_svg(position.game.name, position.scene.colours, one) for one in choice.pieces]
    return {
        **vars(choice),
        "idle": not any(choice.name in way for way in click_paths),
        "svg": "".join(drawn),
    }


def _last(position: Position, move: str) -> dict[str, Any]:
    return {
        **told(position, move).listed(),
        "steps": position.click_path(move),
        "travels": position.animations(move),
    }
