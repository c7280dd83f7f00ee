"""Toot's moves for interfaces: click paths, descriptions and animations."""

import re
from functools import lru_cache
from typing import Any

from teahouse.core.position import Position
from teahouse.core.scene import Animation, Piece, Tense, in_tense
from teahouse.games.toot import movegen, notation

BUTTONS = {".": "stop", "-": "pass"}
CELL = re.compile(notation.CELL)


def cell_point(name: str) -> tuple[float, float]:
    """Return the coordinates of a cell; the first two tiles meet at the origin."""
    return float(ord(name[0]) - ord("k")), 11.5 - int(name[1:])


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def click_paths(position: Position, move: str) -> tuple[tuple[str, ...], ...]:
    """Return the cells of a move, or a button for a move without cells."""
    if move == "*":
        return ((notation.NAMES[position.state_view.active],),)
    paths = _click_paths(move)
    if "^" in move and position.state_view.phase == movegen.FURTHER:
        return (paths[0][1:], *paths)  # the piece may be left out
    return paths


@lru_cache(maxsize=16384)
def _click_paths(move: str) -> tuple[tuple[str, ...], ...]:
    if move in BUTTONS:
        return ((BUTTONS[move],),)
    cells = tuple(CELL.findall(move))
    return (("sacrifice", *cells),) if "!" in move else (cells,)


def describe(position: Position, move: str, tense: Tense) -> str:
    """Return a move in words."""
    state = position.state_view
    player = position.game.players[state.player]
    if move == "*":
        text = f"enter/entered a piece on {notation.NAMES[state.active]}"
        return in_tense(text, player, tense)
    captured = len(_jumped(state, *CELL.findall(move))) if "^" in move else 0
    return _describe(move, captured, player, tense)


@lru_cache(maxsize=16384)
def _describe(move: str, captured: int, player: str, tense: Tense) -> str:
    return in_tense(_text(move, captured), player, tense)


def _text(move: str, captured: int) -> str:
    """Return a move as a text for `in_tense`; a jump captures so many pieces."""
    cells = CELL.findall(move)
    if move in BUTTONS:
        return "pass/passed" if move == "-" else "stop/stopped jumping"
    if move[0] == "+":
        return f"place/placed a tile on {cells[0]}"
    if "-" in move:
        return f"step/stepped from {cells[0]} to {cells[1]}"
    if "^" in move:
        captures = f" and capture/captured {count(captured, 'piece')}" if captured else ""
        return f"jump/jumped from {cells[0]} to {cells[1]}{captures}"
    tile, cell = cells[-2:]
    moves = f"move/moved the tile from {tile} to {cell} and return/returned"
    if "!" in move:
        return f"sacrifice/sacrificed the piece on {cells[0]}, {moves} the piece on it"
    return f"{moves} a captured piece on it"


def _jumped(state: Any, origin: str, target: str) -> list[tuple[str, bool]]:
    """Return the cells of the pieces a jump captures, and whether each is on its second life."""
    glyphs = notation.cell_glyphs(state)
    (x, y), (end_x, end_y) = cell_point(origin), cell_point(target)
    steps = int(max(abs(end_x - x), abs(end_y - y)))
    right, down = (end_x - x) / steps, (end_y - y) / steps
    passed = [_name(x + right * step, y + down * step) for step in range(1, steps)]
    return [(name, glyphs[name].endswith("=")) for name in passed if glyphs[name].isupper()]


def _name(x: float, y: float) -> str:
    return f"{chr(ord('k') + round(x))}{round(11.5 - y)}"


def animations(position: Position, move: str) -> tuple[Animation, ...]:
    """Return the movements of tiles and pieces."""
    state = position.state_view
    player = state.player
    seat, rival = position.game.players[player], position.game.players[1 - player]
    cells = CELL.findall(move)
    standing, lying = Piece("cylinder", player), Piece("cylinder", player, turned=True)
    if move in BUTTONS:
        return ()
    if move == "*":
        return (Animation(standing, (f"{seat}'s pieces", notation.NAMES[state.active]), "jump"),)
    if move[0] == "+":
        return (Animation(Piece("tile", player), (f"{seat}'s tiles", cells[0])),)
    if "-" in move or "^" in move:
        glyphs = notation.cell_glyphs(state)
        piece = lying if glyphs[cells[0]].endswith("=") else standing
        if "-" in move:
            return (Animation(piece, (cells[0], cells[1])),)
        captured = [
            Animation(
                Piece("cylinder", 1 - player, turned=second),
                (cell, f"{rival}'s {'lost' if second else 'captured'}"),
                "jump",
                delay=1,
            )
            for cell, second in _jumped(state, *cells)
        ]
        return (Animation(piece, (cells[0], cells[1]), "jump"), *captured)
    tile, cell = cells[-2:]
    origin = cells[0] if "!" in move else f"{seat}'s captured"
    return (
        Animation(Piece("tile", player), (tile, cell)),
        Animation(lying, (origin, cell), "jump", 1),
    )
