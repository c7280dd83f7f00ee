"""Positions as pages get them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from teahouse.core.position import Position
from teahouse.core.record import DRAW, UNFINISHED
from teahouse.core.scene import Travel
from teahouse.draw.svg import small


@dataclass(frozen=True, slots=True)
class Told:
    """A move that was played, in words."""

    move: str
    player: int
    says: str
    steps: tuple[str, ...]
    travels: tuple[Travel, ...]

    def listed(self) -> dict[str, Any]:
        """As in a list of moves."""
        return {"move": self.move, "player": self.player, "says": self.says}

    def shown(self) -> dict[str, Any]:
        """As the last move of a view."""
        travels = [asdict(travel) for travel in self.travels]
        return {**self.listed(), "steps": self.steps, "travels": travels}


def told(position: Position, move: str) -> Told:
    """A legal move of a position, in words."""
    return Told(
        move,
        position.player,
        position.says(move),
        position.steps(move),
        position.travels(move),
    )


def view(position: Position, ply: int, last: Told | None) -> str:
    """A position as JSON: drawn, with every legal move in words and steps."""
    winners = list(position.winners)
    result = "+".join(position.game.players[seat] for seat in winners) or DRAW
    return json.dumps(
        {
            "game": position.game.name,
            "options": position.game.options,
            "ply": ply,
            "position": str(position),
            "player": None if position.over else position.player,
            "prompt": position.scene.prompt,
            "colours": position.scene.colours,
            "hands": [
                {**asdict(hand), "svg": small(position, hand.piece)}
                for hand in position.scene.hands
            ],
            "choices": [
                {**asdict(choice), "svg": "".join(small(position, one) for one in choice.pieces)}
                for choice in position.scene.choices
            ],
            "svg": position.svg(page=True, tray=False),
            "text": position.text(),
            "legal": [
                {"move": move, "ways": position.ways(move), "says": position.says(move)}
                for move in position.legal
            ],
            "last": last and last.shown(),
            "over": position.over,
            "winners": winners,
            "result": result if position.over else UNFINISHED,
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )
