"""Reasons why a click on Toot's board is refused."""

from typing import Any

from teahouse.core.position import Position
from teahouse.core.scene import lower_first
from teahouse.games.toot import movegen, notation
from teahouse.games.toot.explanations import CHOICES, pieces_on_table
from teahouse.games.toot.interaction import cell_point

MOVABLE_NEIGHBOURS = 3  # of a tile that can be taken (T11)


def refuse(position: Position, clicked: tuple[str, ...], name: str) -> str:
    """Return why a cell, tile, piece, hand or choice cannot be clicked."""
    state = position.state_view
    if "'s " in name:
        return f"Click on the table: {lower_first(position.scene.prompt)}"
    if name in CHOICES:
        return _choice(position, name)
    if state.phase == movegen.FURTHER:
        where = notation.NAMES[state.active]
        return f"Only the piece on {where} may jump again: choose where it lands, or stop."
    if clicked[:1] == ("sacrifice",):
        return _sacrifice(state, len(clicked), name)
    if clicked and notation.cell_glyphs(state)[clicked[0]].isupper():
        return _landing(state, clicked[0], name)
    if clicked:
        return "Move the tile to a free cell that touches another tile."
    if state.phase == movegen.FIRST and state.tiles_in_hand[state.player]:
        return "Place a tile first: choose one of the free cells."
    if position.legal == ("-",):
        return "You have no move: pass."
    if state.phase == movegen.SECOND:
        return _after_tile(position, name)
    return _without_tiles(state, name)


def _choice(position: Position, name: str) -> str:
    """Return why a button cannot be clicked now (T7, T12, T14)."""
    state = position.state_view
    if name == "stop":
        return "You can stop only between two jumps of one piece."
    if name == "pass":
        return "You can pass only if you have no other move."
    if state.tiles_in_hand[state.player] or state.phase != movegen.FIRST:
        return "You can sacrifice a piece only in a turn without tiles in hand."
    if state.sacrificed[state.player]:
        return "You have used your sacrifice: there is one a game."
    return "You have no standing piece to sacrifice, or no tile that can be moved."


def _after_tile(position: Position, name: str) -> str:
    """Return why a spot cannot be clicked once a tile has been placed (T4 to T6, T9)."""
    state, player = position.state_view, position.player
    if state.pieces_in_hand[player] > state.tiles_in_hand[player]:
        where = notation.NAMES[state.active]
        return f"You hold more pieces than tiles: a piece has to enter on {where}."
    glyph = notation.cell_glyphs(state).get(name)
    if glyph is None:
        return "You have placed your tile already: now enter a piece, step or jump."
    if reason := _first_piece(state, glyph):
        return reason
    if state.pieces_in_hand[player]:
        return "Choose one of your pieces, or the new tile to enter one."
    return "You have no piece in hand to enter: choose one of your pieces on the table."


def _without_tiles(state: Any, name: str) -> str:
    """Return why a turn without tiles cannot begin on a spot (T10, T11)."""
    glyph = notation.cell_glyphs(state).get(name)
    if glyph is None:
        return "You have no tile in hand: choose one of your pieces, or a tile to move."
    if reason := _first_piece(state, glyph):
        return reason
    if not state.captured[state.player]:
        return "You have no captured piece to return, so this tile stays."
    if _neighbours(state, name) > MOVABLE_NEIGHBOURS:
        return "This tile touches four others: only one with at most three can be moved."
    return "This tile cannot be moved anywhere: choose another one, or a piece."


def _first_piece(state: Any, glyph: str) -> str:
    """Return why a piece or a tile of the other colour cannot move; empty for own empty tiles."""
    own = glyph[0].lower() == notation.LETTERS[state.player]
    seat = notation.SEATS[1 - state.player]
    if glyph.islower():
        return "" if own else f"This tile is {seat}'s: choose one of your own pieces."
    return (
        "This piece can neither step nor jump now."
        if own
        else f"This piece is {seat}'s: choose one of your own."
    )


def _sacrifice(state: Any, clicks: int, name: str) -> str:
    """Return why a spot does not continue a sacrifice (T12, T13)."""
    if clicks == 1:
        lying = notation.cell_glyphs(state).get(name, "").endswith("=")
        if lying and name in pieces_on_table(state, state.player):
            return "This piece is on its second life already: sacrifice a standing one."
        return "Choose a standing piece of yours to sacrifice."
    if clicks == 2:
        return "Choose an empty tile of yours that touches at most three others."
    return "Move the tile to a free cell that touches another tile."


def _landing(state: Any, piece: str, name: str) -> str:
    """Return why a piece cannot go to a spot (T5, T6)."""
    glyph = notation.cell_glyphs(state).get(name)
    colour = notation.SEATS[state.player].lower()
    if glyph is None or glyph[0].lower() != notation.LETTERS[state.player]:
        return f"Your pieces stand only on {colour} tiles."
    if glyph.isupper():
        return "This tile is taken: a piece lands on an empty one."
    if 0 not in (
        one - other for one, other in zip(cell_point(piece), cell_point(name), strict=True)
    ):
        return "A piece moves along a row or a column."
    return (
        f"The piece cannot get there: it steps to an adjacent {colour} tile, or jumps straight"
        " across tiles of the other colour to the first one behind them."
    )


def _neighbours(state: Any, name: str) -> int:
    """Return the number of tiles adjacent to a cell."""
    x, y = cell_point(name)
    tiles = [cell_point(tile) for tile in notation.cell_glyphs(state)]
    return sum(abs(x - right) + abs(y - down) == 1 for right, down in tiles)
