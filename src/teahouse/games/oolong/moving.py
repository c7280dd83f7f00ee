"""Oolong's moves as one points at them, says them and sees them."""

from typing import Any

from teahouse.core.position import Position
from teahouse.core.scene import Animation, Piece
from teahouse.games.oolong.notation import NAMES
from teahouse.games.oolong.room import WAITER, WORDS, card, standing


def click_paths(position: Position, move: str) -> tuple[tuple[str, ...], ...]:
    """Seats for tokens, tables for swaps and the waiter, the seat that north is turned to."""
    if move == "-":
        return (("decline",),)
    if move[0] == "@":
        return ((f"{NAMES[position.state_view.waiter_table]}.{NAMES[1 + int(move[1:])]}",),)
    if move[0] == "!":
        return ((move[1:],),)
    if "<>" in move:
        first, second = move.split("<>")
        return ((first, second), (second, first))
    return (tuple(move.split(">")),)


def describe(position: Position, move: str) -> str:
    """A move as a sentence."""
    state = position.state_view
    name = position.game.players[state.player]
    if move == "-":
        return f"{name} declines"
    if move[0] == "@":
        eighths = f"{move[1:]} {'eighth' if move == '@1' else 'eighths'}"
        return f"{name} turns the {WORDS[NAMES[state.waiter_table]]} table by {eighths} clockwise"
    if move[0] == "!":
        return f"{name} sends the waiter to the {WORDS[move[1:]]} table"
    if "<>" in move:
        first, second = (WORDS[table] for table in move.split("<>"))
        return f"{name} swaps the {first} and the {second} table"
    if ">" in move:
        origin, target = (_seat_words(seat) for seat in move.split(">"))
        return f"{name} moves a cup from {origin} to {target}"
    table, seat = move.split(".")
    waiter = "stays" if table == seat else f"goes to the {WORDS[seat]} table"
    return f"{name} serves {_seat_words(move)}; the waiter {waiter}"


def _seat_words(text: str) -> str:
    table, seat = text.split(".")
    return f"the {WORDS[seat]} seat of the {WORDS[table]} table"


def animations(position: Position, move: str) -> tuple[Animation, ...]:
    """Cups, cards and the waiter on their ways."""
    state = position.state_view
    here = NAMES[state.waiter_table]
    stands = f"{here}.{NAMES[state.waiter_seat]}"
    if move == "-":
        return ()
    if not state.acting:
        table, seat = move.split(".")
        cup = Animation(Piece("cup", state.player), (_hand(position, state.player), move), "jump")
        return (cup, Animation(WAITER, (stands, f"{seat}.{table}"), after=1))
    used = state.markers[state.acting - 1]
    turned = Animation(card(used), (f"{NAMES[state.acting - 1]} marker",), "turn")
    if move[0] == "!":
        return (
            turned,
            Animation(WAITER, (stands, f"{move[1:]}.{NAMES[state.waiter_seat]}"), after=1),
        )
    if move[0] == "@":
        return (turned, *_turning(state, here, int(move[1:])))
    if "<>" in move:
        first, second = move.split("<>")
        stay = position.game.options["markers_stay"]  # O17
        return (
            turned,
            *_swapping(state, first, second, stay),
            *_swapping(state, second, first, stay),
        )
    origin, target = move.split(">")
    return (turned, Animation(Piece("cup", state.player), (origin, target), "jump", 1))


def _hand(position: Position, player: int) -> str:
    return f"{position.game.players[player]}'s cups"


def _turning(state: Any, table: str, eighths: int) -> list[Animation]:
    """What stands on the outer seats of a table goes round with it (O19)."""
    return [
        Animation(
            piece,
            tuple(f"{table}.{NAMES[1 + (seat + step) % 8]}" for step in range(eighths + 1)),
            after=1,
        )
        for seat in range(8)
        for piece in standing(state, table, NAMES[1 + seat])
    ]


def _swapping(state: Any, table: str, other: str, stay: bool) -> list[Animation]:
    """What stands at a table goes to the other one (O20)."""
    marker = state.markers[NAMES.index(table)]
    along = Animation(card(marker), (f"{table} marker", f"{other} marker"), after=1)
    return [along] * bool(marker and not stay) + [
        Animation(piece, (f"{table}.{seat}", f"{other}.{seat}"), after=1)
        for seat in NAMES
        for piece in standing(state, table, seat)
    ]
