"""Snapshots: all that a client needs to show one position and to enter a move."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from teahouse.core.position import Position
from teahouse.core.result import UNFINISHED, reason_sentence, result_sentence, winners_text
from teahouse.core.scene import Choice
from teahouse.draw.inline import piece_svg
from teahouse.draw.page import page_text
from teahouse.session.state import LastMove

MAX_LISTED = 300
"""Legal moves that are listed one by one; more of them are sent as a tree of clicks."""

ClickTree = dict[str, "ClickTree | str"]
"""For every name that can be clicked next, the names after it, or the move that it completes."""


def snapshot(position: Position, ply: int, last: LastMove | None) -> dict[str, Any]:
    """Return the snapshot of a position; `ply` is the table's, `last` the move that led here."""
    fields = snapshot_fields(position, ply, last)
    return {**fields, "svg": str(fields["svg"])}


def snapshot_fields(position: Position, ply: int, last: LastMove | None) -> dict[str, Any]:
    """Return a snapshot whose `svg` is a `PageText`, of which the next one shares most."""
    scene, game = position.scene, position.game
    over, winners = position.over, position.winners
    listed = len(position.legal) <= MAX_LISTED
    paths = position.legal_click_paths()
    clicked = {name for ways in paths.values() for path in ways for name in path}
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
        "choices": [_choice(position, choice, clicked) for choice in scene.choices],
        "scores": [vars(score) for score in scene.scores],
        "deciding": scene.deciding,
        "svg": page_text(position, last),
        "text": position.text(),
        "legal": [
            {"move": move, "click_paths": ways, "description": description}
            for (move, ways), description in zip(
                paths.items(), position.legal_descriptions("imperative"), strict=True
            )
        ]
        if listed
        else [],
        "click_tree": None if listed else click_tree(position),
        "last": last and _last_move(*last),
        "over": over,
        "winners": winners,
        "result": winners_text(game, winners) if over else UNFINISHED,
        "result_text": result_sentence(game, winners, scene.reason) if over else None,
        "result_reason": reason_sentence(scene.reason) if over else None,
    }


def played_move(position: Position, move: str) -> dict[str, Any]:
    """Return an entry of the move history."""
    return {"move": move, "player": position.player, "description": position.describe(move)}


def click_tree(position: Position) -> ClickTree:
    """Return the legal moves by their click paths, of which none is a prefix of another one."""
    root: ClickTree = {}
    for move in position.legal:
        for path in position.click_paths(move):
            node = root
            for name in path[:-1]:
                child = node.setdefault(name, {})
                assert isinstance(child, dict), "no click path is a prefix of another one"
                node = child
            node[path[-1]] = move
    return root


def _choice(position: Position, choice: Choice, clicked: Set[str]) -> dict[str, Any]:
    icons = [piece_svg(position.game.name, position.scene.colours, one) for one in choice.pieces]
    return {
        **vars(choice),
        "disabled": choice.name not in clicked,
        "svg": "".join(icons),
    }


def _last_move(position: Position, move: str) -> dict[str, Any]:
    return {
        **played_move(position, move),
        "click_path": position.click_path(move),
        "animations": [vars(animation) for animation in position.animations(move)],
    }
