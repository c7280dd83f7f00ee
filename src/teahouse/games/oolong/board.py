"""Oolong's board for drawing and clicking."""

import math
from typing import Any

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.scene import Area, Choice, Hand, Label, Piece, Scene, Spot, Travel, Writing
from teahouse.games.oolong import rules
from teahouse.games.oolong.notation import NAMES, PLAYERS, seats_text

# Tables in the room, and seats at a table, as they lie on a map.
MAP = (("NW", "N", "NE"), ("W", "C", "E"), ("SW", "S", "SE"))
GLYPHS = {".": "O", "B": "B", "G": "G"}
TABLE_WIDTH, TABLE_HEIGHT = 24, 5
SEAT_WIDTH = 4

# In pictures seats lie on a circle a unit apart, and tables around the one in the middle.
SEAT_RING = 0.5 / math.sin(math.pi / 8)
SEAT = 0.46
TABLE = SEAT_RING + SEAT + 0.1
TABLE_RING = 1.02 * TABLE / math.sin(math.pi / 8)
CARD_RING = TABLE_RING / 2
CARD = 0.47
MIDDLE_CARD_RING, MIDDLE_CARD = 3.1, 0.38  # the same for a marker that came to the middle
ROOM = TABLE_RING + TABLE + 0.5
NAME_RING = TABLE_RING + TABLE + 0.27

WORDS = {
    "C": "middle",
    "N": "north",
    "NE": "north-east",
    "E": "east",
    "SE": "south-east",
    "S": "south",
    "SW": "south-west",
    "W": "west",
    "NW": "north-west",
}
WAITER = Piece("waiter")
CUPS = {".": (), "B": (Piece("cup", rules.BLACK),), "G": (Piece("cup", rules.GREEN),)}
SIGNS = ("", "move", "move", "rotate", "swap", "swap-claimed", "waiter-goes", "waiter-goes")
CARDS = {
    rules.MOVE_BLACK: "Black moves a black cup",
    rules.MOVE_GREEN: "Green moves a green cup",
    rules.ROTATE: "turn the waiter's table",
    rules.SWAP_UNCLAIMED: "swap two unclaimed tables",
    rules.SWAP_CLAIMED: "swap a claimed and an unclaimed table",
    rules.WAITER_BLACK: "Black sends the waiter",
    rules.WAITER_GREEN: "Green sends the waiter",
}

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
    game, state = position.game, position.plain()
    spots: list[Spot] = []
    labels: list[Label] = []
    for row, tables in enumerate(MAP):
        for column, name in enumerate(tables):
            _table(state, name, column * TABLE_WIDTH, row * TABLE_HEIGHT, spots, labels)
    return Scene(
        tuple(spots),
        prompt(position),
        tuple(labels),
        notes(position),
        colours=("black", "green"),
        choices=(Choice("decline", "decline"),) if game.options["specials"] else (),
        hands=hands(game, state),
        writings=tuple(Writing(*_around(name, NAME_RING), name) for name in NAMES[1:]),
        areas=(Area(((0.0, 0.0),), ROOM, "floor"),),
    )


def _around(name: str, radius: float, turn: float = 0.0) -> tuple[float, float]:
    """The point at this distance from the middle in a direction of the compass."""
    if name == "C":
        return 0.0, 0.0
    angle = math.radians(45 * (NAMES.index(name) - 1) + turn)
    return radius * math.sin(angle), -radius * math.cos(angle)


def _place(table: str, seat: str) -> tuple[float, float]:
    """Where a seat is."""
    (x, y), (right, down) = _around(table, TABLE_RING), _around(seat, SEAT_RING)
    return x + right, y + down


def _table(
    state: Any, name: str, left: int, top: int, spots: list[Spot], labels: list[Label]
) -> None:
    """Add a table with its name, marker and owner above its seats."""
    table = NAMES.index(name)
    owner = next((player for player in (0, 1) if _claims(state, player, table)), None)
    lit = _is_served(state, table)
    spots.append(
        Spot(
            name,
            left,
            top,
            name,
            *_around(name, TABLE_RING),
            TABLE,
            kind="table",
            label=_table_words(state, table, owner),
            marks=("lit",) if lit else (),
            owner=owner,
        )
    )
    if owner is not None:
        labels.append(Label(left + 10, top, ("BLACK'S", "GREEN'S")[owner]))
    if state.markers[table]:
        spots.append(_card(state, name, left + 4, top))
    for row, names in enumerate(MAP):
        for column, seat in enumerate(names):
            at, line = left + 2 + column * SEAT_WIDTH, top + 1 + row
            spots.append(_seat(state, name, seat, at, line, lit))
            if (table, NAMES.index(seat)) == (state.waiter_table, state.waiter_seat):
                labels += [Label(at - 1, line, "["), Label(at + 1, line, "]")]


def _seat(state: Any, table: str, seat: str, column: int, line: int, lit: bool) -> Spot:
    taken = seats_text(state, NAMES.index(table))[NAMES.index(seat)]
    pieces = CUPS[taken]
    words = {".": "empty", "B": "black cup", "G": "green cup"}[taken]
    marks: tuple[str, ...] = ()
    if (NAMES.index(table), NAMES.index(seat)) == (state.waiter_table, state.waiter_seat):
        pieces = (*pieces, WAITER)
        words += ", the waiter stands here"
        if taken == "." and not state.acting and not state.over:
            marks = ("barred",)  # O4
            words += " and bars the seat"
    elif lit and taken == ".":
        marks = ("lit",)
    return Spot(
        f"{table}.{seat}",
        column,
        line,
        GLYPHS[taken],
        *_place(table, seat),
        SEAT,
        kind="seat",
        label=f"{WORDS[table]} table, {WORDS[seat]} seat: {words}",
        pieces=pieces,
        marks=marks,
        within=table,
    )


def _card(state: Any, name: str, column: int, line: int) -> Spot:
    """The marker that lies beside a table."""
    marker = state.markers[NAMES.index(name)]
    kind = marker % rules.FACE_DOWN
    place = _around("NE", MIDDLE_CARD_RING, -22.5) if name == "C" else _around(name, CARD_RING)
    words = "used" if marker >= rules.FACE_DOWN else f"{CARDS[kind]}, at {rules.THRESHOLDS[kind]}"
    return Spot(
        f"{name} marker",
        column,
        line,
        marker_sign(marker),
        *place,
        MIDDLE_CARD if name == "C" else CARD,
        shape="square",
        kind="card",
        label=f"marker of the {WORDS[name]} table: {words}",
        pieces=(_marker(marker),),
        marks=("due",) if state.acting == 1 + NAMES.index(name) else (),
    )


def _marker(marker: int) -> Piece:
    kind = marker % rules.FACE_DOWN
    actor = rules.ACTORS[kind]
    return Piece(
        "card",
        None if actor == rules.TRIGGER else actor,
        sign=SIGNS[kind],
        count=rules.THRESHOLDS[kind],
        turned=marker >= rules.FACE_DOWN,
    )


def _claims(state: Any, player: int, table: int) -> bool:
    return bool(state.tokens[player][table].bit_count() >= rules.CLAIM)  # O10


def _is_served(state: Any, table: int) -> bool:
    """Whether a token may be served at a table now (O3, O5, O6)."""
    if state.over or state.acting:
        return False
    if rules._free(state):
        return bool(table == state.waiter_table)
    return bool(table != state.waiter_table and rules._empty(state, table))


def _table_words(state: Any, table: int, owner: int | None) -> str:
    cups = [state.tokens[player][table].bit_count() for player in (0, 1)]
    claimed = f", claimed by {PLAYERS[owner]}" if owner is not None else ""
    return f"{WORDS[NAMES[table]]} table: {cups[0]} black, {cups[1]} green{claimed}"


def hands(game: Game, state: Any) -> tuple[Hand, ...]:
    """The cups that each player still has to serve."""
    return tuple(
        Hand(
            f"{name}'s cups",
            player,
            f"{name}: {count} cups left, {state.claims[player]} of five tables claimed",
            Piece("cup", player, count=count),
        )
        for player, (name, count) in enumerate(zip(game.players, _left(state), strict=True))
    )


def _left(state: Any) -> list[int]:
    return [rules.TOKENS - (state.served + 1 - player) // 2 for player in range(2)]


def ways(position: Position, move: str) -> tuple[tuple[str, ...], ...]:
    """Seats for tokens, tables for swaps and the waiter, the seat that north is turned to."""
    if move == "-":
        return (("decline",),)
    if move[0] == "@":
        return ((f"{NAMES[position.plain().waiter_table]}.{NAMES[1 + int(move[1:])]}",),)
    if move[0] == "!":
        return ((move[1:],),)
    if "<>" in move:
        first, second = move.split("<>")
        return ((first, second), (second, first))
    return (tuple(move.split(">")),)


def says(position: Position, move: str) -> str:
    """A move as a sentence."""
    state = position.plain()
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


def travels(position: Position, move: str) -> tuple[Travel, ...]:
    """Cups, cards and the waiter on their ways."""
    state = position.plain()
    here = NAMES[state.waiter_table]
    stands = f"{here}.{NAMES[state.waiter_seat]}"
    if move == "-":
        return ()
    if not state.acting:
        table, seat = move.split(".")
        cup = Travel(Piece("cup", state.player), (_hand(position, state.player), move), "jump")
        return (cup, Travel(WAITER, (stands, f"{seat}.{table}"), after=1))
    used = state.markers[state.acting - 1]
    turned = Travel(_marker(used), (f"{NAMES[state.acting - 1]} marker",), "turn")
    if move[0] == "!":
        return (turned, Travel(WAITER, (stands, f"{move[1:]}.{NAMES[state.waiter_seat]}"), after=1))
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
    return (turned, Travel(Piece("cup", state.player), (origin, target), "jump", 1))


def _hand(position: Position, player: int) -> str:
    return f"{position.game.players[player]}'s cups"


def _turning(state: Any, table: str, eighths: int) -> list[Travel]:
    """What stands on the outer seats of a table goes round with it (O19)."""
    return [
        Travel(
            piece,
            tuple(f"{table}.{NAMES[1 + (seat + step) % 8]}" for step in range(eighths + 1)),
            after=1,
        )
        for seat in range(8)
        for piece in _standing(state, table, NAMES[1 + seat])
    ]


def _swapping(state: Any, table: str, other: str, stay: bool) -> list[Travel]:
    """What stands at a table goes to the other one (O20)."""
    marker = state.markers[NAMES.index(table)]
    card = Travel(_marker(marker), (f"{table} marker", f"{other} marker"), after=1)
    return [card] * bool(marker and not stay) + [
        Travel(piece, (f"{table}.{seat}", f"{other}.{seat}"), after=1)
        for seat in NAMES
        for piece in _standing(state, table, seat)
    ]


def _standing(state: Any, table: str, seat: str) -> tuple[Piece, ...]:
    """What is on a seat."""
    cups = CUPS[seats_text(state, NAMES.index(table))[NAMES.index(seat)]]
    at = (NAMES.index(table), NAMES.index(seat))
    return (*cups, WAITER) if at == (state.waiter_table, state.waiter_seat) else cups


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
    left = _left(state)
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
