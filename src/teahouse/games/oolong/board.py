"""Oolong's board for drawing and clicking."""

from typing import Any

from teahouse.core.position import Position
from teahouse.core.scene import Label, Scene, Spot
from teahouse.games.oolong import rules
from teahouse.games.oolong.notation import NAMES, seats_text

# Tables in the room, and seats at a table, as they lie on a map.
MAP = (("NW", "N", "NE"), ("W", "C", "E"), ("SW", "S", "SE"))
GLYPHS = {".": "O", "B": "B", "G": "G"}
TABLE_WIDTH, TABLE_HEIGHT = 24, 5
SEAT_WIDTH = 4

ACTIONS = {
    rules.MOVE_BLACK: "move a black token (NE.S>W.C)",
    rules.MOVE_GREEN: "move a green token (NE.S>W.C)",
    rules.ROTATE: "rotate table {here} (@1 to @7)",
    rules.SWAP_UNCLAIMED: "swap two unclaimed tables (N<>S)",
    rules.SWAP_CLAIMED: "swap a claimed and an unclaimed table (N<>S)",
    rules.WAITER_BLACK: "send the waiter to another table (!W)",
    rules.WAITER_GREEN: "send the waiter to another table (!W)",
}
WAITER_LEGEND = "O is an empty seat, [ ] the waiter on a seat."
MARKER_LEGEND = (
    "ro:4 is a marker that acts on 4 tokens of a colour, (ro) one that was used.",
    "mb mg: move a token. ro: rotate. su sc: swap tables. wb wg: send the waiter.",
)


def scene(position: Position) -> Scene:
    """What is where, and who decides what."""
    state = position.plain()
    spots: list[Spot] = []
    labels: list[Label] = []
    for row, tables in enumerate(MAP):
        for column, name in enumerate(tables):
            _table(state, name, column * TABLE_WIDTH, row * TABLE_HEIGHT, spots, labels)
    return Scene(tuple(spots), prompt(position), tuple(labels), notes(position))


def _table(
    state: Any, name: str, left: int, top: int, spots: list[Spot], labels: list[Label]
) -> None:
    """Add a table with its name, marker and owner above its seats."""
    table = NAMES.index(name)
    spots.append(Spot(name, left, top, name))
    labels.append(Label(left + 4, top, marker_sign(state.markers[table])))
    for player, owner in enumerate(("BLACK'S", "GREEN'S")):
        if state.tokens[player][table].bit_count() >= rules.CLAIM:
            labels.append(Label(left + 10, top, owner))
    seats = seats_text(state, table)
    for row, names in enumerate(MAP):
        for column, seat in enumerate(names):
            at, line = left + 2 + column * SEAT_WIDTH, top + 1 + row
            glyph = GLYPHS[seats[NAMES.index(seat)]]
            spots.append(Spot(f"{name}.{seat}", at, line, glyph))
            if (table, NAMES.index(seat)) == (state.waiter_table, state.waiter_seat):
                labels += [Label(at - 1, line, "["), Label(at + 1, line, "]")]


def marker_sign(marker: int) -> str:
    """A marker as it lies beside its table: `mb:3` with its threshold, `(mb)` face down."""
    code = rules.CODES[marker % rules.FACE_DOWN]
    if marker >= rules.FACE_DOWN:
        return f"({code})"
    return f"{code}:{rules.THRESHOLDS[marker]}" if marker else ""


def notes(position: Position) -> tuple[str, ...]:
    """What the signs mean, and how the players stand."""
    game, state = position.game, position.plain()
    black, green = game.players
    left = [rules.TOKENS - (state.served + 1 - player) // 2 for player in range(2)]
    return (
        "",
        WAITER_LEGEND,
        *(MARKER_LEGEND if game.options["specials"] else ()),
        f"Tokens left: {black} {left[0]}, {green} {left[1]}. "
        f"Tables claimed: {black} {state.claims[0]}, {green} {state.claims[1]}.",
    )


def prompt(position: Position) -> str:
    """Who decides what, or how the game ended."""
    game, state = position.game, position.plain()
    if position.over:
        if position.winners:
            return f"{game.players[position.winners[0]]} wins with five tables."
        return "The game is drawn: all tokens are served."
    name = game.players[state.player]
    here = NAMES[state.waiter_table]
    if state.acting:
        marker = state.markers[state.acting - 1]
        action = ACTIONS[marker].format(here=here)
        where = f"{rules.CODES[marker]} at {NAMES[state.acting - 1]}"
        return f"{where}: {name} may {action} or decline (-)."
    empty = rules._empty(state, state.waiter_table)
    under = f"{here}.{NAMES[state.waiter_seat]}"
    if rules._free(state) == 0:
        why = f"{here} has only the waiter's" if empty else f"{here} is complete"
        return f"{name} serves an empty seat of any other table: {why}."
    barred = f", but not {under}" if empty >> state.waiter_seat & 1 else ""
    return f"{name} serves an empty seat of table {here}{barred}."
