"""Toot's table for drawing and clicking: the layout and the cells around it."""

from typing import Any

from teahouse.core.position import Position
from teahouse.core.scene import Label, Scene, Spot
from teahouse.games.toot import notation, rules

WIDTH = 3  # characters to a cell, so that all 21 columns fit


def scene(position: Position) -> Scene:
    """What is where, and who decides what."""
    state = position.plain()
    glyphs = notation.drawn(state)
    for name in _free_cells(glyphs):
        glyphs[name] = "."
    columns = [ord(name[0]) for name in glyphs]
    rows = [int(name[1:]) for name in glyphs]
    places = {
        name: (4 + WIDTH * (ord(name[0]) - min(columns)), 1 + max(rows) - int(name[1:]))
        for name in glyphs
    }
    spots = tuple(Spot(name, *places[name], glyphs[name]) for name in sorted(glyphs, key=_order))
    labels = [
        Label(4 + WIDTH * (column - min(columns)), 0, chr(column))
        for column in range(min(columns), max(columns) + 1)
    ]
    labels += [Label(0, 1 + max(rows) - row, f"{row:2}") for row in range(min(rows), max(rows) + 1)]
    if state.at != rules.OFF:  # brackets around the tile just placed or the piece that jumps on
        name = notation.NAMES[state.at]
        column, line = places[name]
        labels += [Label(column - 1, line, "("), Label(column + len(glyphs[name]), line, ")")]
    return Scene(spots, prompt(position), tuple(labels), notes(position))


def _free_cells(tiles: dict[str, str]) -> set[str]:
    """The empty cells beside tiles."""
    beside = {
        f"{chr(ord(name[0]) + right)}{int(name[1:]) + up}"
        for name in tiles
        for right, up in ((-1, 0), (1, 0), (0, -1), (0, 1))
    }
    return {name for name in beside if name in notation.CELLS and name not in tiles}


def _order(name: str) -> int:
    return notation.CELLS[name]


def notes(position: Position) -> tuple[str, ...]:
    """What each player has beside the table, and how long nothing has happened."""
    game, state = position.game, position.plain()
    lines = [
        f"{seat}: in hand {_many(state.tiles_in_hand[player], 'tile')} and"
        f" {_many(state.pieces_in_hand[player], 'piece')}, put aside {state.aside[player]},"
        f" gone {game.options['pieces'] - state.left[player]},"
        f" sacrifice {'used' if state.sacrificed[player] else 'unused'}"
        for player, seat in enumerate(game.players)
    ]
    if state.quiet and not state.over:
        lines.append(f"Turns without progress: {state.quiet} of {rules.QUIET_TURNS}")
    return ("b r tiles   B R pieces   B= R= on their second life   . free cells", *lines)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def prompt(position: Position) -> str:
    """Who decides what, or how the game ended."""
    if position.over:
        return _ending(position)
    game, state = position.game, position.plain()
    player = position.player
    seat = game.players[player]
    if state.due == rules.FURTHER:
        return f"{seat} jumps on with {notation.NAMES[state.at]} (from^to) or stops (.)."
    if state.due == rules.FIRST and state.tiles_in_hand[player]:
        return f"{seat} puts a tile on a free cell (+cell)."
    ways = ["steps (from-to)", "jumps (from^to)"] if rules._can_move(game.board, state) else []
    if state.due == rules.SECOND and state.pieces_in_hand[player]:
        name = notation.NAMES[state.at]
        if state.pieces_in_hand[player] > state.tiles_in_hand[player]:
            return f"{seat} must enter a piece on {name} (*): more pieces than tiles in hand."
        ways.insert(0, f"enters a piece on {name} (*)")
    elif state.due == rules.FIRST:
        if rules._must_pass(game.board, state):
            return f"{seat} has no move and passes (-)."
        if state.aside[player]:
            ways.append("returns (tile>cell)")
        if not state.sacrificed[player] and _stands(state, player):
            ways.append("sacrifices (piece!tile>cell)")
        ways = [way.replace("from", "a").replace("to)", "b)") for way in ways]
    return f"{seat} {', '.join(ways[:-1])}{' or ' * (len(ways) > 1)}{ways[-1]}."


def _stands(state: Any, player: int) -> bool:
    """Whether the player has a piece on its first life on the table."""
    return any(piece & 1 == 0 and piece != rules.NO_PIECE for piece in state.own[player])


def _ending(position: Position) -> str:
    game, state = position.game, position.plain()
    beaten = [seat for seat, left in zip(game.players, state.left, strict=True) if left <= 1]
    if beaten:
        left = min(state.left)
        return f"{game.players[state.player]} wins: {beaten[0]} has {left or 'no'} piece left."
    why = "both players passed" if state.passes == 2 else "60 turns without progress"
    if not position.winners:
        return f"The game is a draw: {why}."
    winner = position.winners[0]
    return (
        f"{game.players[winner]} wins by {state.left[winner]} pieces to"
        f" {state.left[1 - winner]}: {why}."
    )
