"""Oolong's scene: the tables, prompts and results."""

from functools import lru_cache
from itertools import chain
from typing import Any

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.result import result_sentence
from teahouse.core.scene import Area, Caption, Choice, Hand, Label, Piece, Scene, Score, Spot
from teahouse.games.oolong import equipment, geometry
from teahouse.games.oolong.explanations import cups_left, explain
from teahouse.games.oolong.geometry import WORDS, around
from teahouse.games.oolong.interaction import animations, click_paths, describe
from teahouse.games.oolong.notation import NAMES, PLAYERS, decision, seats_text
from teahouse.games.oolong.refusals import refuse

__all__ = ["animations", "click_paths", "describe", "explain", "prompt", "refuse", "scene"]

# Tables of the room, and seats of a table, as on a map.
MAP = (("NW", "N", "NE"), ("W", "C", "E"), ("SW", "S", "SE"))
GLYPHS = {".": "O", "B": "B", "G": "G"}
WAITER = "W"
TABLE_WIDTH, TABLE_HEIGHT = 15, 5
SEAT_WIDTH = 4
CORNERS = {
    name: (column * TABLE_WIDTH, row * TABLE_HEIGHT)
    for row, names in enumerate(MAP)
    for column, name in enumerate(names)
}
"""The column and the line of each table."""
TABLES = [(name, NAMES.index(name)) for name in CORNERS]
CHOICES = (Choice("decline", "Skip"),)
MARKER_COLUMN, OWNER_COLUMN = 3, 8
OWNERS = {None: " " * 5, equipment.BLACK: "BLACK", equipment.GREEN: "GREEN"}
"""Of one width, so that a claim does not make the board wider."""
AREAS = (Area(((0.0, 0.0),), geometry.ROOM, "floor"),)
CAPTIONS = tuple(Caption(*geometry.name_point(name), name) for name in NAMES[1:])

ACTIONS = {
    equipment.MOVE_BLACK: "move a black cup to another table? Choose the cup and a free seat",
    equipment.MOVE_GREEN: "move a green cup to another table? Choose the cup and a free seat",
    equipment.ROTATE: "rotate the {here} table? Choose where its north seat should go",
    equipment.SWAP_UNCLAIMED: "swap two unclaimed tables? Choose both",
    equipment.SWAP_CLAIMED: "swap a claimed and an unclaimed table? Choose both",
    equipment.WAITER_BLACK: "send the waiter to another table? Choose the table",
    equipment.WAITER_GREEN: "send the waiter to another table? Choose the table",
}
FORMS = {
    equipment.SERVE: "a table and a seat, such as {move}",
    equipment.MOVE_TOKEN: "the cup's table and seat, and its new ones, such as {move}",
    equipment.ROTATION: "@1 to @7 for eighths clockwise",
    equipment.SWAP: "two tables, such as {move}",
    equipment.WAITER: "! and a table, such as {move}",
}
WAITER_LEGEND = "O is an empty seat, W the waiter; WB and WG: the waiter at a served seat."
MARKER_LEGEND = (
    "ro:4 is a marker triggered by 4 cups of one colour, (ro) a used one.",
    "mb mg: move a cup. ro: rotate. su sc: swap tables. wb wg: send the waiter.",
)


def scene(position: Position) -> Scene:
    """Return the scene of a position."""
    game, state = position.game, position.state_view
    tables = [
        _table(
            name,
            state.tokens[0][table],
            state.tokens[1][table],
            state.markers[table],
            state.pending == 1 + table,
            state.waiter_seat if table == state.waiter_table else None,
            _is_served(state, table),
            not state.pending and not state.over,  # O4
        )
        for name, table in TABLES
    ]
    return Scene(
        tuple(chain.from_iterable([spots for spots, _ in tables])),
        prompt(position),
        tuple(chain.from_iterable([labels for _, labels in tables])),
        footer(position),
        colours=("black", "green"),
        choices=CHOICES if game.options["specials"] else (),
        hands=hands(game, state),
        captions=CAPTIONS,
        areas=AREAS,
        notation_hint=notation_hint(position),
        reason=reason(position),
        scores=scores(game, state),
        deciding=deciding(position),
    )


# Equal tables and spots recur in most positions: each is built once.


@lru_cache(maxsize=8192)
def _table(
    name: str,
    black: int,
    green: int,
    marker: int,
    due: bool,
    waiter_seat: int | None,
    lit: bool,
    bars: bool,
) -> tuple[list[Spot], list[Label]]:
    """Return a table's spots and labels: name, marker and owner above its seats."""
    left, top = CORNERS[name]
    cups = black.bit_count(), green.bit_count()
    owner = next((player for player in (0, 1) if cups[player] >= equipment.CLAIM), None)  # O10
    spots = [_table_spot(name, left, top, *cups, owner, lit)]
    labels = [Label(left + OWNER_COLUMN, top, OWNERS[owner])]
    if marker:
        spots.append(_card_spot(name, left + MARKER_COLUMN, top, marker, due))
    glyphs = seats_text(black, green)
    for row, names in enumerate(MAP):
        for column, seat in enumerate(names):
            at, line = left + 2 + column * SEAT_WIDTH, top + 1 + row
            number = NAMES.index(seat)
            waiter = number == waiter_seat
            spots.append(
                _seat_spot(name, seat, at, line, glyphs[number], waiter, lit, bars and waiter)
            )
            if waiter and glyphs[number] != ".":
                labels.append(Label(at - 1, line, WAITER))
    return spots, labels


@lru_cache(maxsize=2048)
def _table_spot(
    name: str, left: int, top: int, black: int, green: int, owner: int | None, lit: bool
) -> Spot:
    claimed = f", claimed by {PLAYERS[owner]}" if owner is not None else ""
    return Spot(
        name,
        left,
        top,
        name,
        *around(name, geometry.TABLE_RING),
        geometry.TABLE,
        kind="table",
        label=f"{WORDS[name]} table: {black} black, {green} green{claimed}",
        marks=("lit",) if lit else (),
        owner=owner,
    )


@lru_cache(maxsize=2048)
def _seat_spot(
    table: str,
    seat: str,
    column: int,
    line: int,
    glyph: str,
    waiter: bool,
    lit: bool,
    bars: bool,
) -> Spot:
    pieces = geometry.CUPS[glyph]
    shown = WAITER if waiter and glyph == "." else GLYPHS[glyph]
    words = {".": "empty", "B": "black cup", "G": "green cup"}[glyph]
    marks: tuple[str, ...] = ()
    if waiter:
        pieces = (*pieces, geometry.WAITER)
        words += ", with the waiter"
        if bars and glyph == ".":
            marks = ("barred",)
            words += ", may not be served"
    elif lit and glyph == ".":
        marks = ("lit",)
    return Spot(
        f"{table}.{seat}",
        column,
        line,
        shown,
        *geometry.seat_point(table, seat),
        geometry.SEAT,
        kind="seat",
        label=f"{WORDS[table]} table, {WORDS[seat]} seat: {words}",
        pieces=pieces,
        marks=marks,
        within=table,
    )


@lru_cache(maxsize=2048)
def _card_spot(name: str, column: int, line: int, marker: int, due: bool) -> Spot:
    """Return the spot of a table's marker."""
    kind = marker % equipment.FACE_DOWN
    down = marker >= equipment.FACE_DOWN
    words = "used" if down else f"{geometry.CARD_LABELS[kind]}, at {equipment.THRESHOLDS[kind]}"
    return Spot(
        f"{name} marker",
        column,
        line,
        marker_text(marker),
        *geometry.card_point(name),
        geometry.CENTRE_CARD if name == "C" else geometry.CARD,
        shape="square",
        kind="card",
        label=f"marker of the {WORDS[name]} table: {words}",
        pieces=(geometry.card(marker),),
        marks=("due",) if due else (),
    )


def _is_served(state: Any, table: int) -> bool:
    """Return whether a table can be served now (O3, O5, O6)."""
    if state.over or state.pending:
        return False
    if equipment.servable_seats(state):
        return bool(table == state.waiter_table)
    return bool(table != state.waiter_table and equipment.empty_seats(state, table))


def hands(game: Game, state: Any) -> tuple[Hand, ...]:
    """Return the cups each player has left."""
    return tuple(
        Hand(
            f"{name}'s cups",
            player,
            f"{name}: {count} cups left, {state.claims[player]} of {equipment.WIN} tables",
            Piece("cup", player, count=count),
        )
        for player, (name, count) in enumerate(zip(game.players, cups_left(state), strict=True))
    )


def scores(game: Game, state: Any) -> tuple[Score, ...]:
    """Return the tables each player has claimed."""
    return tuple(
        Score(
            player,
            f"{claims} / {equipment.WIN}",
            f"{name} has claimed {claims} of the {equipment.WIN} tables needed to win.",
        )
        for player, (name, claims) in enumerate(zip(game.players, state.claims, strict=True))
    )


def deciding(position: Position) -> tuple[str, ...]:
    """Return the winner's tables."""
    state = position.state_view
    return tuple(
        NAMES[table]
        for player in position.winners
        for table, cups in enumerate(state.tokens[player])
        if cups.bit_count() >= equipment.CLAIM
    )


def marker_text(marker: int) -> str:
    """Return a marker's text: `mb:3` with its threshold, `(mb)` face down."""
    code = equipment.CODES[marker % equipment.FACE_DOWN]
    if marker >= equipment.FACE_DOWN:
        return f"({code})"
    return f"{code}:{equipment.THRESHOLDS[marker]}" if marker else ""


def footer(position: Position) -> tuple[str, ...]:
    """Return the legend and the players' counts."""
    game, state = position.game, position.state_view
    black, green = game.players
    left = cups_left(state)
    return (
        "",
        WAITER_LEGEND,
        *(MARKER_LEGEND if game.options["specials"] else ()),
        f"Cups left: {black} {left[0]}, {green} {left[1]}. "
        f"Tables claimed: {black} {state.claims[0]}, {green} {state.claims[1]}.",
    )


def prompt(position: Position) -> str:
    """Return what the player has to do, or the result."""
    state = position.state_view
    if position.over:
        return result_sentence(position.game, position.winners, reason(position))
    here = WORDS[NAMES[state.waiter_table]]
    if state.pending:
        action = ACTIONS[state.markers[state.pending - 1]].format(here=here)
        return f"{WORDS[NAMES[state.pending - 1]].capitalize()} marker: {action}, or Skip."
    empty = equipment.empty_seats(state, state.waiter_table)
    if equipment.servable_seats(state) == 0:
        why = "has no free seat but the waiter's" if empty else "is full"
        return f"Pour at any free seat of another table (the {here} one {why})."
    barred = " (not the waiter's)" if empty >> state.waiter_seat & 1 else ""
    return f"Pour at any free seat of the glowing {here} table{barred}."


def notation_hint(position: Position) -> str:
    """Return how to type the moves that are legal now."""
    if position.over:
        return ""
    state = position.state_view
    form = FORMS[decision(state)].format(move=position.legal[0])
    if state.pending:
        return f"Type {form}, or - to skip."
    return f"Type {form}."


def reason(position: Position) -> str:
    """Return why the game ended (O11, O12)."""
    if not position.over:
        return ""
    if not position.winners:
        return "all cups have been poured, and nobody has five tables"
    (winner,) = position.winners
    names, claims = position.game.players, position.state_view.claims
    lost = ("none", "one", "two", "three", "four")[claims[1 - winner]]
    return f"{names[winner]} has claimed five tables, {names[1 - winner]} {lost}"
