"""Texts of Toot's coach for beginners."""

from collections.abc import Iterable

from teahouse.core.position import Position
from teahouse.games.toot.notation import SEATS


def advise(position: Position) -> str:
    """Return what the player may do: a capture, or a tile that makes one possible."""
    rival = SEATS[1 - position.player]
    if position.legal[0].startswith("+"):
        landing = _landing(position)
        if landing:
            return (
                f"A tile on {landing} would be a landing place: then you can jump over {rival} and"
                " capture."
            )
        return (
            f"Place a tile. Beware of lines in which {rival} could jump over you onto an empty tile"
            " behind."
        )
    if position.legal == ("-",):
        return "You have no move, so you pass. If both players pass in turn, the game ends."
    if position.legal == ("*",):
        return "Let a piece enter on the new tile: nothing else is possible now."
    captures = _captures(position, position.legal)
    if captures:
        origin, target = captures[0].split("^")
        return f"You can capture: jump from {origin} to {target}."
    if "." in position.legal:
        return "You may jump once more with the same piece, or stop."
    walks = any("-" in move or "^" in move for move in position.legal)
    if any(">" in move and "!" not in move for move in position.legal):
        return (
            f"{'Step, jump, or bring' if walks else 'Bring'} a captured piece back: it lies down on"
            " a tile that you move. At the end of the street nobody can land behind it."
        )
    if "*" in position.legal:
        return (
            "Let a piece enter on the new tile, or step or jump with one that is in danger. More"
            " pieces are more lives."
        )
    if not walks:
        return (
            "No piece of yours can step or jump, so you sacrifice one: it lies down on a tile that"
            " you move, for its second and last life."
        )
    return f"Step or jump. Stay away from places between a piece of {rival} and its empty tile."


def remark(position: Position, move: str, viewer: int) -> str:
    """Return why a move mattered: a capture, an entry, a return, or a loss for good."""
    player, after = position.player, position.play(move)
    who = "You" if player == viewer else SEATS[player]
    whom = SEATS[1 - player] if player == viewer else "you"
    lost = _left(position, 1 - player) - _left(after, 1 - player)
    if _captures(position, [move]):
        left = _left(after, 1 - player)
        whose = f"{whom} has" if player == viewer else "you have"
        if lost:
            return f"{who} captured for good: {whose} {left} left. With one left the game is lost."
        return f"{who} jumped over {whom} and captured. A piece that was captured once may return."
    if ">" in move:
        return f"{who} brought a piece back for its second and last life."
    if move == "*" and player != viewer:
        return f"{who} let a piece enter."
    return ""


def _landing(position: Position) -> str:
    """Return a cell where a tile makes a capture possible at once, or ""."""
    for move in position.legal:
        after = position.play(move)
        if not after.over and after.player == position.player and _captures(after, after.legal):
            return move[1:]
    return ""


def _captures(position: Position, moves: Iterable[str]) -> list[str]:
    """Return the jumps among moves that capture."""
    rival = 1 - position.player
    return [
        move
        for move in moves
        if "^" in move and _standing(position.play(move), rival) < _standing(position, rival)
    ]


def _standing(position: Position, player: int) -> int:
    """Return the number of a player's pieces on the table."""
    state = position.state_view
    aside: int = state.pieces_in_hand[player] + state.captured[player]
    return _left(position, player) - aside


def _left(position: Position, player: int) -> int:
    """Return the number of pieces that a player has left (T16)."""
    left: int = position.state_view.remaining[player]
    return left
