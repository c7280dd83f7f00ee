"""Orochi's scene, click paths, descriptions and animations."""

from functools import lru_cache
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.position import Position
from teahouse.core.result import result_sentence
from teahouse.core.scene import (
    Animation,
    Area,
    Choice,
    Group,
    Label,
    Piece,
    Scene,
    Spot,
    Tense,
    in_tense,
)
from teahouse.games.orochi import rules

GLYPHS = ".wb"
COLOURS = ("white", "black")
STONES = tuple(Piece("stone", player) for player in (rules.WHITE, rules.BLACK))
CHOICES = tuple(
    Choice(colour, f"{colour} stone", (stone,))
    for colour, stone in zip(COLOURS, STONES, strict=True)
)
OUTLINE_GROUPS = 3  # empty cells; with no more than these, groups are outlined


def scene(position: Position) -> Scene:
    """Return the scene of a position."""
    side = position.game.options["side"]
    rows = 2 * side - 1
    state = position.state_view
    spots = tuple(
        _spot(side, number, cell & rules.PIECE_MASK, _over_connected(cell))
        for number, cell in enumerate(state.cells[: len(hexgrid.names(side))])
    )
    letters = tuple(Label(0, rows - 1 - row, chr(ord("a") + row)) for row in range(rows))
    return Scene(
        spots,
        prompt(position),
        letters,
        colours=COLOURS,
        choices=CHOICES,
        captions=hexgrid.coordinates(side),
        areas=(Area(hexgrid.corners(side, 1.1)),),
        groups=outlined_groups(position),
        notation_hint=notation_hint(position),
        reason=reason(position),
    )


@lru_cache(maxsize=4096)  # equal spots recur in most positions
def _spot(side: int, number: int, piece: int, over_connected: bool) -> Spot:
    name, (column, row) = hexgrid.names(side)[number], hexgrid.points(side)[number]
    contents = "empty"
    if piece:
        contents = f"{COLOURS[piece - 1]} stone{', over-connected' * over_connected}"
    return Spot(
        name,
        3 + column,
        2 * side - 2 - row,
        GLYPHS[piece],
        *hexgrid.centres(side)[number],
        shape="hex",
        label=f"{name}: {contents}",
        pieces=(STONES[piece - 1],) if piece else (),
        marks=("due",) if over_connected else (),
    )


def _over_connected(cell: int) -> bool:
    return (
        cell & rules.WHITE_OVER_MASK == rules.WHITE_OVER
        or cell & rules.BLACK_OVER_MASK == rules.BLACK_OVER
    )


def outlined_groups(position: Position) -> tuple[Group, ...]:
    """Return, near the end, the largest group of each colour adjacent to an empty cell (C8)."""
    state = position.state_view
    if state.empty > OUTLINE_GROUPS:
        return ()
    side = position.game.options["side"]
    neighbours, names = hexgrid.neighbours(side), hexgrid.names(side)
    pieces = [cell & rules.PIECE_MASK for cell in state.cells[:-1]]
    groups = []
    for player in (rules.WHITE, rules.BLACK):
        found: list[set[int]] = [set()]
        for empty in (cell for cell, piece in enumerate(pieces) if not piece):
            for first in neighbours[empty]:
                if first < len(pieces) and pieces[first] == player + 1:
                    found.append(_connected(first, pieces, neighbours))
        largest = max(found, key=len)
        if largest:
            spots = tuple(names[cell] for cell in sorted(largest))
            groups.append(Group(spots, player, str(len(largest))))
    return tuple(groups)


def _connected(first: int, pieces: list[int], neighbours: Any) -> set[int]:
    """Return the cells of a piece's group."""
    group, rest = {first}, [first]
    while rest:
        for cell in neighbours[rest.pop()]:
            if cell < len(pieces) and pieces[cell] == pieces[first] and cell not in group:
                group.add(cell)
                rest.append(cell)
    return group


def click_paths(position: Position, move: str) -> tuple[tuple[str, ...], ...]:
    """Return a colour and a cell in either order, or the stone to flip."""
    kind, cell = move[0], move[1:]
    if kind == "x":
        return ((cell,),)
    colour = COLOURS["wb".index(kind)]
    return ((colour, cell), (cell, colour))


def describe(position: Position, move: str, tense: Tense) -> str:
    """Return a move in words."""
    kind, cell = move[0], move[1:]
    if kind == "x":
        text = f"flip/flipped {cell} to {COLOURS[1 - _colour(position, cell)]}"
    else:
        text = f"place/placed a {COLOURS['wb'.index(kind)]} stone on {cell}"
    return in_tense(text, position.game.players[position.state_view.player], tense)


def animations(position: Position, move: str) -> tuple[Animation, ...]:
    """Return the movement of a placed stone from its supply, or the turn of a flipped one."""
    kind, cell = move[0], move[1:]
    if kind == "x":
        return (Animation(STONES[_colour(position, cell)], (cell,), "turn"),)
    player = "wb".index(kind)
    return (Animation(STONES[player], (COLOURS[player], cell), "jump"),)


def _colour(position: Position, name: str) -> int:
    cell = hexgrid.names(position.game.options["side"]).index(name)
    return (position.state_view.cells[cell] & rules.PIECE_MASK) - 1


def prompt(position: Position) -> str:
    """Return what the player has to do, or the result."""
    if position.over:
        return result_sentence(position.game, position.winners, reason(position))
    count = position.state_view.over_connected
    if count == 1:
        return "Flip the marked stone (it touches four or more of its colour)."
    if count:
        return f"Flip one of the {count} marked stones (each touches four or more of its colour)."
    return "Place a white or a black stone on an empty cell."


def notation_hint(position: Position) -> str:
    """Return how to type the moves that are legal now."""
    if position.over:
        return ""
    if position.state_view.over_connected:
        return "Type x and its cell, such as xd4."
    return "Type w or b and a cell, such as wd4."


def reason(position: Position) -> str:
    """Return why the game ended (C8, C9)."""
    if not position.over:
        return ""
    sizes = [0, 0]
    for group in outlined_groups(position):
        sizes[group.player] = len(group.spots)
    white, black = sizes
    if white == black:
        last = position.game.players[position.player]
        return (
            f"the largest groups at the last empty cell are equal, and {last} placed the last stone"
        )
    larger, smaller = max(sizes), min(sizes)
    colour, other = COLOURS if white > black else reversed(COLOURS)
    return (
        f"the largest {colour} group at the last empty cell has"
        f" {larger} stone{'' if larger == 1 else 's'}, the largest {other} one {smaller}"
    )
