"""Orochi's scene, click paths, descriptions and animations."""

from functools import cache, lru_cache

from teahouse.core import hexgrid
from teahouse.core.position import Position
from teahouse.core.result import result_sentence
from teahouse.core.scene import (
    Animation,
    Choice,
    Group,
    Piece,
    Scene,
    Score,
    Spot,
    Tense,
    in_tense,
)
from teahouse.games.orochi import rules
from teahouse.games.orochi.explanations import explain, last_empty_cell, refuse
from teahouse.games.orochi.groups import COLOURS, over_connected, serpents, stones
from teahouse.games.orochi.notation import SWAP

__all__ = ["animations", "click_paths", "describe", "explain", "refuse", "scene"]

GLYPHS = ".wb"
STONES = tuple(Piece("stone", player) for player in (rules.WHITE, rules.BLACK))
CHOICES = tuple(
    Choice(colour, f"{colour} stone", (stone,))
    for colour, stone in zip(COLOURS, STONES, strict=True)
)
SWAP_CHOICE = Choice(SWAP, "Swap sides")
OUTLINE_GROUPS = 3  # empty cells; with no more than these, groups are outlined


def scene(position: Position) -> Scene:
    """Return the scene of a position."""
    side = position.game.options["side"]
    looks = zip(_spots(side), stones(position), over_connected(position), strict=True)
    return Scene(
        tuple([spots[piece + (3 if over else 0)] for spots, piece, over in looks]),
        prompt(position),
        hexgrid.row_letters(side),
        colours=COLOURS,
        choices=choices(position),
        captions=hexgrid.coordinates(side),
        areas=hexgrid.areas(side),
        groups=outlined_groups(position),
        notation_hint=notation_hint(position),
        reason=reason(position),
        scores=scores(position),
        deciding=deciding(position),
    )


def choices(position: Position) -> tuple[Choice, ...]:
    """Return the colours to place, and the swap until the second stone is placed (C10)."""
    opening = position.state_view.empty >= len(position.game.board.cell) - 1
    swap = opening and position.game.all_options["opening"] == "swap"
    return (*CHOICES, SWAP_CHOICE) if swap else CHOICES


@cache  # equal spots recur in most positions
def _spots(side: int) -> list[list[Spot]]:
    """Return how each cell may look: empty, white, black, and all that over-connected."""
    return [
        [_spot(side, number, piece, over) for over in (False, True) for piece in range(3)]
        for number in range(len(hexgrid.names(side)))
    ]


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


def outlined_groups(position: Position) -> tuple[Group, ...]:
    """Return, near the end, the largest group of each colour adjacent to an empty cell (C8)."""
    if position.state_view.empty > OUTLINE_GROUPS:
        return ()
    names = hexgrid.names(position.game.options["side"])
    return tuple(
        Group(tuple(names[cell] for cell in sorted(serpent)), player, str(len(serpent)))
        for player, serpent in enumerate(serpents(position))
        if serpent
    )


def scores(position: Position) -> tuple[Score, ...]:
    """Return the length of each player's serpent."""
    where = "at the last empty cell" if position.over else "next to an empty cell"
    return tuple(
        Score(
            player,
            str(len(serpent)),
            f"{name}'s longest serpent {where}: {_stones(len(serpent))}.",
        )
        for player, (name, serpent) in enumerate(
            zip(position.game.players, serpents(position), strict=True)
        )
    )


def deciding(position: Position) -> tuple[str, ...]:
    """Return the last empty cell with the winner's serpent, or with both if they are equal."""
    if not position.over:
        return ()
    names = hexgrid.names(position.game.options["side"])
    white, black = serpents(position)
    longest = max(len(white), len(black))
    cells = [cell for serpent in (white, black) if len(serpent) == longest for cell in serpent]
    return (last_empty_cell(position), *(names[cell] for cell in sorted(cells)))


def _stones(count: int) -> str:
    return f"{count or 'no'} stone{'' if count == 1 else 's'}"


def click_paths(position: Position, move: str) -> tuple[tuple[str, ...], ...]:
    """Return a colour and a cell in either order, the stone to flip, or a swap's stone or choice.

    The stone comes first, so that it is marked as the last move.
    """
    if move == SWAP:
        return ((_only_stone(position),), (SWAP,))
    return _click_paths(move)


@lru_cache(maxsize=1024)
def _click_paths(move: str) -> tuple[tuple[str, ...], ...]:
    kind, cell = move[0], move[1:]
    if kind == "x":
        return ((cell,),)
    colour = COLOURS["wb".index(kind)]
    return ((colour, cell), (cell, colour))


def describe(position: Position, move: str, tense: Tense) -> str:
    """Return a move in words."""
    name = position.game.players[position.state_view.player]
    if move == SWAP:
        cell = _only_stone(position)
        text = f"swap/swapped sides: {cell} is {COLOURS[1 - _colour(position, cell)]} now"
        return in_tense(text, name, tense)
    kind, cell = move[0], move[1:]
    colour = 1 - _colour(position, cell) if kind == "x" else "wb".index(kind)
    return _describe(kind == "x", cell, colour, name, tense)


@lru_cache(maxsize=4096)
def _describe(flip: bool, cell: str, colour: int, name: str, tense: Tense) -> str:
    if flip:
        return in_tense(f"flip/flipped {cell} to {COLOURS[colour]}", name, tense)
    return in_tense(f"place/placed a {COLOURS[colour]} stone on {cell}", name, tense)


def animations(position: Position, move: str) -> tuple[Animation, ...]:
    """Return the movement of a placed stone from its supply, or the turn of a flipped one."""
    kind, cell = ("x", _only_stone(position)) if move == SWAP else (move[0], move[1:])
    if kind == "x":
        return (Animation(STONES[_colour(position, cell)], (cell,), "turn"),)
    player = "wb".index(kind)
    return (Animation(STONES[player], (COLOURS[player], cell), "jump"),)


def _only_stone(position: Position) -> str:
    """Return the cell of the only stone, which a swap turns (C10)."""
    names = hexgrid.names(position.game.options["side"])
    return next(name for name, piece in zip(names, stones(position), strict=True) if piece)


def _colour(position: Position, name: str) -> int:
    return stones(position)[hexgrid.numbers(position.game.options["side"])[name]] - 1


def prompt(position: Position) -> str:
    """Return what the player has to do, or the result."""
    if position.over:
        return result_sentence(position.game, position.winners, reason(position))
    if rules.is_forced(position.state_view):
        count = len(position.legal)
        if count == 1:
            return "Flip the marked stone (it touches four or more of its colour)."
        return f"Flip one of the {count} marked stones (each touches four or more of its colour)."
    if rules.may_swap(position.game.board, position.state_view):
        return "Place a white or a black stone, or swap: then White's stone changes its colour."
    return "Place a white or a black stone on an empty cell."


def notation_hint(position: Position) -> str:
    """Return how to type the moves that are legal now."""
    if position.over:
        return ""
    if rules.is_forced(position.state_view):
        return f"Type x and its cell, such as {position.legal[0]}."
    swap = ", or swap" if SWAP in position.legal else ""
    return f"Type w or b and a cell, such as {position.legal[0]}{swap}."


def reason(position: Position) -> str:
    """Return why the game ended (C8, C9)."""
    if not position.over:
        return ""
    sizes = [len(serpent) for serpent in serpents(position)]
    white, black = sizes
    if white == black:
        last = position.game.players[position.player]
        return (
            f"both serpents at the last empty cell have {_stones(white)}, and {last} placed the"
            " last stone"
        )
    colour, other = COLOURS if white > black else COLOURS[::-1]
    longer = f"the {colour} serpent at the last empty cell has {_stones(max(sizes))}"
    if min(sizes) == 0:
        return f"{longer}, and no {other} stone touches that cell"
    return f"{longer}, the {other} one {min(sizes)}"
