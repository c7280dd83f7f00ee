"""Oolong's moves for interfaces: click paths, descriptions and animations."""

from functools import lru_cache
from typing import Any

from teahouse.core.position import Position
from teahouse.core.scene import Animation, Piece, Tense, in_tense
from teahouse.games.oolong.geometry import WAITER, WORDS, card, pieces_at
from teahouse.games.oolong.notation import NAMES


def click_paths(position: Position, move: str) -> tuple[tuple[str, ...], ...]:
    """Return seats for cups, tables for swaps and the waiter, north's new seat for a rotation."""
    if move[0] == "@":
        return ((f"{NAMES[position.state_view.waiter_table]}.{NAMES[1 + int(move[1:])]}",),)
    return _click_paths(move)


@lru_cache(maxsize=8192)
def _click_paths(move: str) -> tuple[tuple[str, ...], ...]:
    if move == "-":
        return (("decline",),)
    if move[0] == "!":
        return ((move[1:],),)
    if "<>" in move:
        first, second = move.split("<>")
        return ((first, second), (second, first))
    return (tuple(move.split(">")),)


def describe(position: Position, move: str, tense: Tense) -> str:
    """Return a move in words."""
    state = position.state_view
    player = position.game.players[state.player]
    if ">" in move:  # the same wherever the waiter is
        return _describe(move, "", "", player, tense)
    marker = NAMES[state.pending - 1] if state.pending else ""
    return _describe(move, NAMES[state.waiter_table], marker, player, tense)


@lru_cache(maxsize=8192)
def _describe(move: str, here: str, marker: str, player: str, tense: Tense) -> str:
    return in_tense(_text(move, here, marker), player, tense)


def _text(move: str, here: str, marker: str) -> str:
    """Return a move as a text for `in_tense`; the waiter is here, and a marker may be pending."""
    if move == "-":
        return f"skip/skipped the {WORDS[marker]} marker"
    if move[0] == "@":
        eighths = f"{move[1:]} {'eighth' if move == '@1' else 'eighths'}"
        return f"rotate/rotated the {WORDS[here]} table by {eighths} clockwise"
    if move[0] == "!":
        return f"send/sent the waiter to the {WORDS[move[1:]]} table"
    if "<>" in move:
        first, second = (WORDS[table] for table in move.split("<>"))
        return f"swap/swapped the {first} and {second} tables"
    if ">" in move:
        origin, target = (_seat_words(seat) for seat in move.split(">"))
        return f"move/moved a cup from {origin} to {target}"
    table, seat = move.split(".")
    elsewhere = "" if table == here else f" of the {WORDS[table]} table"  # O5, O6
    waiter = "stays" if seat == here else f"goes to the {WORDS[seat]} table"
    return f"pour/poured at {WORDS[seat].capitalize()}{elsewhere}; the waiter {waiter}"


def _seat_words(text: str) -> str:
    table, seat = text.split(".")
    return f"the {WORDS[seat]} seat of the {WORDS[table]} table"


def animations(position: Position, move: str) -> tuple[Animation, ...]:
    """Return the movements of cups, cards and the waiter."""
    state = position.state_view
    here = NAMES[state.waiter_table]
    waiter_spot = f"{here}.{NAMES[state.waiter_seat]}"
    if move == "-":
        return ()
    if not state.pending:
        table, seat = move.split(".")
        cup = Animation(Piece("cup", state.player), (_hand(position, state.player), move), "jump")
        return (cup, Animation(WAITER, (waiter_spot, f"{seat}.{table}"), delay=1))
    used = state.markers[state.pending - 1]
    turned = Animation(card(used), (f"{NAMES[state.pending - 1]} marker",), "turn")
    if move[0] == "!":
        return (
            turned,
            Animation(WAITER, (waiter_spot, f"{move[1:]}.{NAMES[state.waiter_seat]}"), delay=1),
        )
    if move[0] == "@":
        return (turned, *_rotation(state, here, int(move[1:])))
    if "<>" in move:
        first, second = move.split("<>")
        stay = position.game.options["markers_stay"]  # O17
        return (
            turned,
            *_relocation(state, first, second, stay),
            *_relocation(state, second, first, stay),
        )
    origin, target = move.split(">")
    return (turned, Animation(Piece("cup", state.player), (origin, target), "jump", 1))


def _hand(position: Position, player: int) -> str:
    return f"{position.game.players[player]}'s cups"


def _rotation(state: Any, table: str, eighths: int) -> list[Animation]:
    """Return the movements of all pieces on a rotated table's outer seats (O19)."""
    return [
        Animation(
            piece,
            tuple(f"{table}.{NAMES[1 + (seat + step) % 8]}" for step in range(eighths + 1)),
            delay=1,
        )
        for seat in range(8)
        for piece in pieces_at(state, table, NAMES[1 + seat])
    ]


def _relocation(state: Any, table: str, other: str, stay: bool) -> list[Animation]:
    """Return the movements of a swapped table's pieces to its new place (O17, O20)."""
    marker = state.markers[NAMES.index(table)]
    along = Animation(card(marker), (f"{table} marker", f"{other} marker"), delay=1)
    return [along] * bool(marker and not stay) + [
        Animation(piece, (f"{table}.{seat}", f"{other}.{seat}"), delay=1)
        for seat in NAMES
        for piece in pieces_at(state, table, seat)
    ]
