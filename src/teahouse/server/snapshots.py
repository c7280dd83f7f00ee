"""Snapshots: all that a client needs to show one position and to enter a move."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from teahouse.core.position import Position
from teahouse.core.result import UNFINISHED, result_sentence, winners_text
from teahouse.core.scene import Choice
from teahouse.draw.inline import piece_svg
from teahouse.session.state import LastMove


def snapshot(position: Position, ply: int, last: LastMove | None) -> dict[str, Any]:
    """Return the snapshot of a position; `ply` is the table's, `last` the move that led here."""
    scene, game = position.scene, position.game
    over, winners = position.over, position.winners
    return {
        "game": game.name,
        "options": game.options,
        "ply": ply,
        "position": str(position),
        "player": None if over else position.player,
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
                "click_paths": position.click_paths(move),
                "description": position.describe(move, "imperative"),
            }
            for move in position.legal
        ],
        "last": last and _last_move(*last),
        "over": over,
        "winners": winners,
        "result": winners_text(game, winners) if over else UNFINISHED,
        "result_text": result_sentence(game, winners, scene.reason) if over else None,
    }


def played_move(position: Position, move: str) -> dict[str, Any]:
    """Return an entry of the move history."""
    return {"move": move, "player": position.player, "description": position.describe(move)}


def _choice(position: Position, choice: Choice) -> dict[str, Any]:
    paths = (path for move in position.legal for path in position.click_paths(move))
    icons = [piece_svg(position.game.name, position.scene.colours, one) for one in choice.pieces]
    return {
        **vars(choice),
        "disabled": not any(choice.name in path for path in paths),
        "svg": "".join(icons),
    }


def _last_move(position: Position, move: str) -> dict[str, Any]:
    return {
        **played_move(position, move),
        "click_path": position.click_path(move),
        "animations": [asdict(animation) for animation in position.animations(move)],
    }
