"""Explanations of Oolong's tables, seats, markers, cups and choices."""

from typing import Any

from teahouse.core.position import Position
from teahouse.games.oolong import equipment
from teahouse.games.oolong.geometry import WORDS
from teahouse.games.oolong.notation import COLOURS, NAMES, PLAYERS, token

ORDINALS = {3: "third", 4: "fourth", 5: "fifth"}
MARKER_NAMES = {
    equipment.MOVE_BLACK: "Move marker",
    equipment.MOVE_GREEN: "Move marker",
    equipment.ROTATE: "Rotation marker",
    equipment.SWAP_UNCLAIMED: "Swap marker",
    equipment.SWAP_CLAIMED: "Swap marker",
    equipment.WAITER_BLACK: "Waiter marker",
    equipment.WAITER_GREEN: "Waiter marker",
}
MARKER_ACTIONS = {
    equipment.MOVE_BLACK: "move one black cup to a free seat of another table,"
    " both tables unclaimed",
    equipment.MOVE_GREEN: "move one green cup to a free seat of another table,"
    " both tables unclaimed",
    equipment.ROTATE: "rotate the table where the waiter now is, by one to seven eighths clockwise",
    equipment.SWAP_UNCLAIMED: "swap the places of two unclaimed tables",
    equipment.SWAP_CLAIMED: "swap the places of a claimed and an unclaimed table",
    equipment.WAITER_BLACK: "send the waiter to the same seat of another table",
    equipment.WAITER_GREEN: "send the waiter to the same seat of another table",
}
"""What the acting player may do (O13 to O21)."""


def explain(position: Position, name: str) -> str:
    """Return what a table, seat, marker, hand or choice is and does."""
    state = position.state_view
    if name == "decline":
        return "Leave the marker unused: it stays face up and can be triggered again."
    if name.endswith(" marker"):
        return _marker(state, name.removesuffix(" marker"))
    if name.endswith(" cups"):
        player = position.game.players.index(name.removesuffix("'s cups"))
        return _cups(position, player)
    table, _, seat = name.partition(".")
    return _seat(state, table, seat) if seat else _table(state, table)


def _marker(state: Any, table: str) -> str:
    """Return what a marker does, for whom and when (O13, O14, O15)."""
    marker = state.markers[NAMES.index(table)]
    if marker >= equipment.FACE_DOWN:
        kind = MARKER_NAMES[marker - equipment.FACE_DOWN]
        return f"{kind}, used: it stays face down for the rest of the game."
    actor = equipment.ACTORS[marker]
    who = "whoever brought it" if actor == equipment.TRIGGER else PLAYERS[actor]
    text = (
        f"{MARKER_NAMES[marker]}: when the {ORDINALS[equipment.THRESHOLDS[marker]]} cup of one"
        f" colour arrives at the {WORDS[table]} table, {who} may {MARKER_ACTIONS[marker]}."
    )
    if state.pending == 1 + NAMES.index(table):
        return f"{text} It has just been triggered: {PLAYERS[state.player]} decides now."
    return f"{text} It works once."


def _cups(position: Position, player: int) -> str:
    state, name = position.state_view, position.game.players[player]
    left = cups_left(state)[player]
    return (
        f"{name} has {left} of {equipment.TOKENS} cups left to pour, and has claimed"
        f" {state.claims[player]} of the {equipment.WIN} tables needed to win."
    )


def cups_left(state: Any) -> list[int]:
    """Return the number of cups each player has left."""
    return [equipment.TOKENS - (state.served + 1 - player) // 2 for player in range(2)]


def _table(state: Any, table: str) -> str:
    """Return who is ahead at a table, and what claims it (O10)."""
    cups = _counts(state, table)
    here = f"The {WORDS[table]} table has {cups[0]} black and {cups[1]} green cups"
    for player, count in enumerate(cups):
        if count >= equipment.CLAIM:
            return (
                f"{here}: it belongs to {PLAYERS[player]} for good."
                " Its free seats can still be served."
            )
    return f"{here}. The first player with {equipment.CLAIM} cups here claims it."


def _seat(state: Any, table: str, seat: str) -> str:
    """Return what stands on a seat, or where a cup poured there sends the waiter (O8)."""
    cup = _cup(state, table, seat)
    if (table, seat) == (NAMES[state.waiter_table], NAMES[state.waiter_seat]):
        return f"{_waiter(state)} {cup}".strip()
    if cup:
        return cup
    goes = f"sends the waiter to the {WORDS[seat]} table"
    if table == seat:
        goes = f"{'keeps' if table == NAMES[state.waiter_table] else 'brings'} the waiter here"
    free = equipment.seats_around(state, NAMES.index(seat), NAMES.index(table))
    pours = ", so your opponent pours there" if table != seat else ""
    if not free:  # O5, O6
        pours = ", where no seat is left for your opponent, who pours at any other table"
    return f"The {WORDS[seat]} seat, free. A cup poured here {goes}{pours}."


def _waiter(state: Any) -> str:
    """Return where the next cup is poured, for the seat where the waiter stands (O3 to O6)."""
    empty = equipment.empty_seats(state, state.waiter_table)
    if state.over:
        return "The waiter."
    if equipment.servable_seats(state) == 0:
        why = "only his own seat is free" if empty else "no seat is free"
        return f"The waiter: at his table {why}, so the next cup is poured at any other one."
    own = ", but not at the seat where he stands" if empty >> state.waiter_seat & 1 else ""
    return f"The waiter: the next cup is poured at his table{own}."


def _cup(state: Any, table: str, seat: str) -> str:
    """Return what the cup on a seat counts for, or an empty text without one (O10)."""
    glyph = token(state, table, seat)
    if glyph == ".":
        return ""
    cups = _counts(state, table)
    player = "BG".index(glyph)
    for owner, count in enumerate(cups):
        if count >= equipment.CLAIM:
            return f"A {COLOURS[glyph]} cup. This table belongs to {PLAYERS[owner]}."
    return (
        f"A {COLOURS[glyph]} cup: {PLAYERS[player]} has {cups[player]} of the {equipment.CLAIM}"
        " cups that claim this table."
    )


def _counts(state: Any, table: str) -> list[int]:
    """Return the number of black and green cups at a table."""
    return [state.tokens[player][NAMES.index(table)].bit_count() for player in (0, 1)]
