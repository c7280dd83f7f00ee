"""Reasons why a click on Oolong's board is refused."""

from typing import Any

from teahouse.core.position import Position
from teahouse.games.oolong import equipment
from teahouse.games.oolong.geometry import WORDS
from teahouse.games.oolong.notation import COLOURS, NAMES, SEATS, decision, token


def refuse(position: Position, clicked: tuple[str, ...], name: str) -> str:
    """Return why a table, seat, marker, hand or choice cannot be clicked."""
    state = position.state_view
    if name.endswith((" marker", " cups")):
        return _not_clickable(state, name)
    table, _, seat = name.partition(".")
    if decision(state) == equipment.SERVE:
        return _serving(state, table, seat)
    claimed = bool(state.claimed >> NAMES.index(table) & 1)
    match decision(state):
        case equipment.MOVE_TOKEN if not clicked:
            return _cup(state, table, seat, claimed)
        case equipment.MOVE_TOKEN:
            return _new_seat(state, clicked[0], table, seat, claimed)
        case equipment.ROTATION:
            return _rotation(state, table, seat)
        case equipment.SWAP:
            return _swap(state, table, claimed, second=bool(clicked))
    return "The waiter is already at this table: send him to another one."  # O21


def _not_clickable(state: Any, name: str) -> str:
    if name.endswith(" cups"):
        return "Click where your cup should go, not the cups in your hand."
    if state.pending == 1 + NAMES.index(name.removesuffix(" marker")):
        return "You are using this marker: choose on the tables what it should do, or Skip."
    return "A marker is never clicked: it is triggered by a cup that arrives at its table."


def _serving(state: Any, table: str, seat: str) -> str:
    """Return why a seat cannot be served (O3 to O7)."""
    if table == "decline":
        return "There is nothing to skip: pour a cup."
    here = NAMES[state.waiter_table]
    if equipment.servable_seats(state) == 0:
        if table == here:
            return f"The {WORDS[here]} table has no seat for you: pour at another one."
    elif table != here:
        return f"Not this table: the waiter is at the {WORDS[here]} table, so pour there."
    if not seat:
        return "Choose a free seat of this table."
    glyph = token(state, table, seat)
    if glyph != ".":
        return f"This seat has a {COLOURS[glyph]} cup already: choose a free one."
    return "The waiter stands at this seat: nobody may pour there."


def _cup(state: Any, table: str, seat: str, claimed: bool) -> str:
    """Return why a cup cannot be moved (O18)."""
    own = COLOURS[SEATS[state.player + 1]]
    if claimed:
        return f"The {WORDS[table]} table is claimed: move a {own} cup of an unclaimed table."
    if not seat:
        return f"Choose a {own} cup, not the table."
    return f"There is no {own} cup on this seat: choose the {own} cup to move."


def _new_seat(state: Any, origin: str, table: str, seat: str, claimed: bool) -> str:
    """Return why a cup cannot be moved to a seat (O18)."""
    if claimed:
        return f"The {WORDS[table]} table is claimed: move the cup to an unclaimed one."
    if table == origin.partition(".")[0]:
        return "The cup has to go to another table."
    if not seat:
        return "Choose a free seat of this table."
    if token(state, table, seat) != ".":
        return "This seat is taken: choose a free one."
    return "The waiter stands at this seat: no cup can be moved there."


def _rotation(state: Any, table: str, seat: str) -> str:
    """Return why a seat is no target of a rotation (O19)."""
    here = WORDS[NAMES[state.waiter_table]]
    if table != NAMES[state.waiter_table]:
        return f"Only the waiter's table rotates: choose a seat of the {here} table."
    if seat == "C":
        return "The centre seat does not turn: choose one of the outer seats."
    if seat == "N":
        return "That would not turn the table: choose another seat, or Skip."
    return f"Choose the seat of the {here} table where its north seat should go."


def _swap(state: Any, table: str, claimed: bool, *, second: bool) -> str:
    """Return why a table cannot be swapped (O20)."""
    if state.markers[state.pending - 1] == equipment.SWAP_UNCLAIMED:
        return f"The {WORDS[table]} table is claimed: this marker swaps two unclaimed ones."
    what = "claimed" if claimed else "unclaimed"
    other = "unclaimed" if claimed else "claimed"
    if second:
        return f"The {WORDS[table]} table is {what} too: choose {_article(other)} one."
    return f"No {other} table can be swapped with the {WORDS[table]} one."


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"
