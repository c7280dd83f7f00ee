"""Texts of Orochi's coach for beginners."""

from teahouse.core import hexgrid
from teahouse.core.position import Position
from teahouse.games.orochi import rules
from teahouse.games.orochi.groups import (
    COLOURS,
    colour_at,
    group_at,
    same_neighbours,
    serpents,
    stones,
)
from teahouse.games.orochi.notation import SWAP

NEAR_END = 5
"""Empty cells from which on the last one is worth a thought."""
LONG = 4
"""Stones of a serpent that is worth a word."""


def advise(position: Position) -> str:
    """Return what the player may do and should look at."""
    own, other = COLOURS[position.player], COLOURS[1 - position.player]
    state = position.state_view
    if rules.may_swap(position.game.board, state):
        return (
            "You may answer with one stone, or swap: then White's stone changes its colour, as if"
            " you had placed it, and White is to move. Swap if it is a good first stone."
        )
    if rules.is_forced(state):
        return (
            f"Flip a marked stone; then you take another turn. A flip to {own} joins your stones,"
            f" a flip to {other} may cut them."
        )
    if state.empty <= NEAR_END:
        sizes = [len(serpent) for serpent in serpents(position)]
        return (
            f"Only {state.empty} cells are empty, and one of them stays so. At an empty cell your"
            f" largest serpent has {_stones(sizes[position.player])}, your rival's"
            f" {_stones(sizes[1 - position.player])}. Which cell should be the last?"
        )
    ripe = _ripe(position, 1 - position.player)
    if ripe:
        return (
            f"Place a stone of either colour. The {other} stone on {ripe} has three {other}"
            " neighbours: a fourth would make it yours, and give you another turn."
        )
    found = serpents(position)
    mine, theirs = len(found[position.player]), len(found[1 - position.player])
    if max(mine, theirs) >= LONG:
        plan = "Keep a way open for yours" if mine > theirs else "Join yours"
        return (
            f"Your longest serpent at an empty cell has {_stones(mine)}, your rival's"
            f" {_stones(theirs)}. {plan}, or cut the other one with a {own} stone."
        )
    return (
        f"Place a stone of either colour. Join your {own} stones into one serpent, but give none"
        " of them four neighbours of its colour."
    )


def remark(position: Position, move: str, viewer: int) -> str:
    """Return why a move mattered: a crowd, a flip, or a serpent that was joined or cut."""
    who = "You" if position.player == viewer else position.game.players[position.player]
    cell, after = move[1:], position.play(move)
    if move == SWAP:
        return f"{who} swapped sides: the first stone has changed its colour."
    if move[0] == "x":
        again = "" if after.over or rules.is_forced(after.state_view) else f" {who} moved again."
        return f"{who} flipped {cell} to {_colour(after, cell)}.{again}"
    if rules.is_forced(after.state_view) and not after.over:
        return f"{who} placed {cell}: a stone has four neighbours of its colour and must flip."
    number = hexgrid.names(position.game.options["side"]).index(cell)
    colour = colour_at(after, number)
    size = len(group_at(after, number))
    if colour is None or size < 3:
        return ""
    whose = "Your" if colour == viewer else "Your rival's"
    return f"{whose} serpent at {cell} now has {_stones(size)}."


def _ripe(position: Position, colour: int) -> str:
    """Return a stone of a colour with three neighbours of its own and an empty one, or ""."""
    side = position.game.options["side"]
    names, neighbours = hexgrid.names(side), hexgrid.neighbours(side)
    for cell, name in enumerate(names):
        if colour_at(position, cell) != colour or same_neighbours(position, cell) != 3:
            continue
        near = [one for one in neighbours[cell] if one < len(names)]
        if any(colour_at(position, one) is None for one in near):
            return name
    return ""


def _colour(position: Position, name: str) -> str:
    cell = hexgrid.names(position.game.options["side"]).index(name)
    return COLOURS[stones(position)[cell] - 1]


def _stones(count: int) -> str:
    return f"{count} stone{'' if count == 1 else 's'}"
