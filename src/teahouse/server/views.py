"""Positions as pages get them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from teahouse.core.position import Position
from teahouse.core.record import DRAW, UNFINISHED


@dataclass(frozen=True, slots=True)
class Told:
    """A move that was played, in words."""

    move: str
    player: int
    says: str
    steps: tuple[str, ...]

    def listed(self) -> dict[str, Any]:
        """As in a list of moves."""
        return {"move": self.move, "player": self.player, "says": self.says}

    def shown(self) -> dict[str, Any]:
        """As the last move of a view."""
        return {**self.listed(), "steps": self.steps}


def told(position: Position, move: str) -> Told:
    """A legal move of a position, in words."""
    return Told(move, position.player, _says(position, move), _steps(position, move))


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
            "svg": _svg(position, last),
            "text": position.text(),
            "legal": [
                {"move": move, "steps": _steps(position, move), "says": _says(position, move)}
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


def _says(position: Position, move: str) -> str:
    return f"{position.game.players[position.player]}: {move}"


def _steps(position: Position, move: str) -> tuple[str, ...]:
    return (move,)


def _svg(position: Position, last: Told | None) -> str:
    lines = position.text().splitlines()
    escaped = (line.replace("&", "&amp;").replace("<", "&lt;") for line in lines)
    rows = "".join(
        f'<text x="8" y="{16 * row + 16}" xml:space="preserve" font-family="monospace">{line}</text>'
        for row, line in enumerate(escaped)
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {16 * len(lines) + 16}">{rows}</svg>'
