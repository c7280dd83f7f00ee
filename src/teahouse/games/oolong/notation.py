"""Oolong's moves and positions as text.

Moves have the forms C.NE (serve), NE.S>W.C (move a token), @3 (rotate), N<>SE (swap), !W (move the
waiter) and - (decline). A position is its nine tables, the markers, the waiter, and the player to
move:

    9/9/1B7/9/9/9/9/9/9 mb,ro,mg,ro,su,wb,sc,wg S.NE g

Tables and seats are in the order C N NE E SE S SW W NW; seats are B, G and run lengths of empty
ones. Markers begin at N: - is none, xmb is face down, and one at the centre comes last. If a marker
was triggered, its place follows the player: g:NE.
"""

import re
from functools import lru_cache
from itertools import islice, product
from typing import Any

from teahouse.core.errors import quoted
from teahouse.core.run_lengths import run_lengths
from teahouse.games.oolong import equipment, rules

NAMES = ("C", "N", "NE", "E", "SE", "S", "SW", "W", "NW")
PLAYERS = ("Black", "Green")
LETTERS = "bg"
SEATS = ".BG"
COLOURS = {"B": "black", "G": "green"}

# Accepted input besides the canonical forms.
LONG_NAMES = {
    r"north-?east": "ne",
    r"south-?east": "se",
    r"south-?west": "sw",
    r"north-?west": "nw",
    "north": "n",
    "east": "e",
    "south": "s",
    "west": "w",
    "cent(er|re)|middle": "c",
}
FILLERS = (
    *("serve", "move", "rotate", "turn", "swap", "waiter", "table", "seat", "token"),
    *("servetea", "board"),  # serveTea(Board, N, W).
    *("from", "to", "the", "and", "with", "by", "at", "of", "on"),
)
DECLINE_WORDS = ("-", "decline", "pass", "no", "none", "skip")
SEPARATORS = {  # of each decision's canonical texts; only these are treated as spaces
    equipment.SERVE: ".",
    equipment.MOVE_TOKEN: ".>",
    equipment.ROTATION: "@",
    equipment.SWAP: "<>",
    equipment.WAITER: "!",
}
NAME_COUNTS = {equipment.MOVE_TOKEN: 4, equipment.SWAP: 2, equipment.WAITER: 1}


def decision(state: Any) -> int:
    """Return the kind of the next move."""
    if not state.pending:
        return equipment.SERVE
    return {
        equipment.MOVE_BLACK: equipment.MOVE_TOKEN,
        equipment.MOVE_GREEN: equipment.MOVE_TOKEN,
        equipment.ROTATE: equipment.ROTATION,
        equipment.SWAP_UNCLAIMED: equipment.SWAP,
        equipment.SWAP_CLAIMED: equipment.SWAP,
        equipment.WAITER_BLACK: equipment.WAITER,
        equipment.WAITER_GREEN: equipment.WAITER,
    }[state.markers[state.pending - 1]]


def move_text(board: Any, state: Any, move: int) -> str:
    return _move_text(move)


@lru_cache(maxsize=8192)
def _move_text(move: int) -> str:
    numbers = [move >> shift & equipment.NUMBER_MASK for shift in (12, 8, 4, 0)]
    source, seat, first, second = (NAMES[number % equipment.PLACES] for number in numbers)
    return {
        equipment.SERVE: f"{first}.{second}",
        equipment.MOVE_TOKEN: f"{source}.{seat}>{first}.{second}",
        equipment.ROTATION: f"@{numbers[3]}",
        equipment.SWAP: f"{first}<>{second}",
        equipment.WAITER: f"!{second}",
        equipment.DECLINE: "-",
    }[move >> equipment.KIND_SHIFT]


def normalize(board: Any, state: Any, text: str) -> str:
    kind = decision(state)
    if kind != equipment.SERVE and text.lower() in DECLINE_WORDS:
        return "-"
    parses = _parses(text, SEPARATORS[kind])
    if kind == equipment.ROTATION:
        words = parses[0]
        return f"@{words[0]}" if len(words) == 1 and words[0].isdigit() else text
    parses = [names for names in parses if set(names) <= set(NAMES)]
    if kind == equipment.SERVE:
        return _serving(state, parses) or text
    names = next((names for names in parses if len(names) == NAME_COUNTS[kind]), [])
    if kind == equipment.MOVE_TOKEN and names:
        return "{}.{}>{}.{}".format(*names)
    if kind == equipment.SWAP and names:
        return "<>".join(sorted(names, key=NAMES.index))
    if kind == equipment.WAITER and names:
        return f"!{names[0]}"
    return text


def _serving(state: Any, parses: list[list[str]]) -> str | None:
    """Return a serving given by a table and a seat, or by just a seat of the waiter's table."""
    here = NAMES[state.waiter_table]
    servings = [".".join(names) for names in parses if len(names) == 2]
    if equipment.servable_seats(state):
        servings += [f"{here}.{names[0]}" for names in parses if len(names) == 1]
        servings.sort(key=lambda serving: not serving.startswith(f"{here}."))
    return servings[0] if servings else None


def _parses(text: str, separators: str) -> list[list[str]]:
    """Return the possible lists of names in an input: "north east" is two names or one."""
    low = text.lower().replace("->", ">")
    for long, short in LONG_NAMES.items():
        low = re.sub(rf"\b({long})\b", short, low, flags=re.ASCII)
    low = re.sub(r"\b([ns])\s+(?=[ew]\b)", r"\1~", low, flags=re.ASCII)
    words = re.split(rf"[\s,;:/(){re.escape(separators)}]+", low, flags=re.ASCII)
    named = [word.upper() for word in words if word and word not in FILLERS]
    choices = [[word.split("~"), [word.replace("~", "")]][: 1 + word.count("~")] for word in named]
    return [[name for part in parts for name in part] for parts in islice(product(*choices), 64)]


def explain(board: Any, state: Any, text: str) -> str:
    kind = decision(state)
    normalized = normalize(board, state, text)
    if kind == equipment.SERVE:
        return _explain_serving(state, normalized)
    if kind == equipment.MOVE_TOKEN:
        return _explain_token_move(state, normalized)
    if kind == equipment.ROTATION:
        return "a rotation is @1 to @7 (eighths clockwise), or - to decline"
    if kind == equipment.SWAP:
        names = normalized.split("<>")
        if len(names) != 2 or not set(names) <= set(NAMES):
            return "a swap is two tables, such as N<>SE, or - to decline"
        if names[0] == names[1]:
            return "a swap needs two different tables"
        claimed = [name for name in names if state.claimed >> NAMES.index(name) & 1]
        if state.markers[state.pending - 1] == equipment.SWAP_UNCLAIMED:
            return f"{' and '.join(claimed)} {'are' if claimed[1:] else 'is'} claimed"
        return "both tables are claimed" if claimed else "neither table is claimed"
    if normalized[:1] != "!" or normalized[1:] not in NAMES:
        return "the waiter is sent to a table, such as !W, or - to decline"
    return "the waiter is already at that table"


def _explain_serving(state: Any, text: str) -> str:
    here = NAMES[state.waiter_table]
    fixed = equipment.servable_seats(state) != 0
    table, _, seat = text.partition(".")
    if table not in NAMES or seat not in NAMES:
        if table in NAMES and not seat and not fixed:
            return f"no seat of table {here} can be served; give a table and a seat"
        return "a serving is a table and a seat, such as C.NE"
    if fixed and table != here:
        return f"the waiter is at table {here}"
    glyph = token(state, table, seat)
    if glyph != ".":
        return f"{table}.{seat} is occupied by a {COLOURS[glyph]} cup"
    return f"the waiter is on {table}.{seat} (O4)"


def _explain_token_move(state: Any, text: str) -> str:
    names = re.split("[.>]", text)
    if not re.fullmatch(r"\w+\.\w+>\w+\.\w+", text) or not set(names) <= set(NAMES):
        return "a cup moves from one seat to another, such as NE.S>W.C, or - to decline"
    source, seat, table, target = names
    for name in (source, table):
        if state.claimed >> NAMES.index(name) & 1:
            return f"table {name} is claimed"
    if token(state, source, seat) != SEATS[state.player + 1]:
        return f"{PLAYERS[state.player]} has no cup on {source}.{seat}"
    if source == table:
        return "a cup must move to another table"
    if token(state, table, target) != ".":
        return f"{table}.{target} is occupied"
    return f"the waiter is on {table}.{target} (O18)"


def token(state: Any, table: str, seat: str) -> str:
    """Return the glyph of a seat, one of SEATS."""
    return _token(state, NAMES.index(table), NAMES.index(seat))


def _token(state: Any, table: int, seat: int) -> str:
    black, green = state.tokens
    return SEATS[(black[table] >> seat & 1) + 2 * (green[table] >> seat & 1)]


@lru_cache(maxsize=4096)
def seats_text(black: int, green: int) -> str:
    """Return the glyphs of a table's nine seats, each one of SEATS, by the seats of its cups."""
    return "".join(
        SEATS[(black >> seat & 1) + 2 * (green >> seat & 1)] for seat in range(equipment.PLACES)
    )


def position_text(board: Any, state: Any) -> str:
    tables = "/".join(map(run_lengths, map(seats_text, *state.tokens)))
    codes = [
        _marker_text(marker) for marker in (*state.markers[1:], state.markers[equipment.CENTRE])
    ]
    if codes[-1] == "-":
        codes.pop()
    markers = ",".join(codes) if any(state.markers) else "-"
    waiter = f"{NAMES[state.waiter_table]}.{NAMES[state.waiter_seat]}"
    pending = f":{NAMES[state.pending - 1]}" if state.pending else ""
    return f"{tables} {markers} {waiter} {LETTERS[state.player]}{pending}"


def _marker_text(marker: int) -> str:
    if marker == 0:
        return "-"
    return ("x" if marker >= equipment.FACE_DOWN else "") + equipment.CODES[
        marker % equipment.FACE_DOWN
    ]


def read_position(board: Any, state: Any, text: str) -> None:
    parts = text.split(" ")
    if len(parts) != 4:
        raise ValueError(
            "a position is its tables, the markers, the waiter, and the player to move"
        )
    _read_tables(board, state, parts[0])
    _read_markers(board, state, parts[1])
    table, _, seat = parts[2].partition(".")
    if table not in NAMES or seat not in NAMES:
        raise ValueError(f"the waiter must be at a table and a seat, not {quoted(parts[2], 20)}")
    state.waiter_table, state.waiter_seat = NAMES.index(table), NAMES.index(seat)
    _read_decision(board, state, parts[3])


def _read_tables(board: Any, state: Any, text: str) -> None:
    tables = text.split("/")
    if len(tables) != equipment.PLACES:
        raise ValueError(f"expected {equipment.PLACES} tables, got {len(tables)}")
    for table, drawn in enumerate(tables):
        expanded = re.sub("[1-9]", lambda run: "." * int(run[0]), drawn)
        if len(expanded) != equipment.PLACES or not set(expanded) <= set(SEATS):
            raise ValueError(
                f"table {NAMES[table]} must have nine seats: B, G and numbers of empty ones, "
                f"not {quoted(drawn, 20)}"
            )
        for player in (equipment.BLACK, equipment.GREEN):
            seats = sum((token == SEATS[player + 1]) << seat for seat, token in enumerate(expanded))
            state.tokens[player][table] = seats
            claims = board.size[seats] >= equipment.CLAIM
            state.claimed |= claims << table
            state.claims[player] += claims
    black, green = (sum(board.size[seats] for seats in state.tokens[player]) for player in (0, 1))
    if black not in (green, green + 1) or black > equipment.TOKENS:
        raise ValueError(
            f"{black} black and {green} green tokens are impossible with alternating turns"
        )
    state.served = black + green


def _read_markers(board: Any, state: Any, text: str) -> None:
    if not any(board.markers):
        if text != "-":
            raise ValueError(f"the markers must be - without specials, not {quoted(text, 40)}")
        return
    markers_by_text = {
        _marker_text(marker): marker for kind in equipment.DECK for marker in (kind, kind + 8)
    }
    codes = text.split(",")
    unknown = [code for code in codes if code not in markers_by_text and code != "-"]
    if unknown:
        raise ValueError(f"unknown marker {quoted(unknown[0], 20)}")
    if len(codes) not in (equipment.PLACES - 1, equipment.PLACES) or codes[-1:] * (
        len(codes) - 8
    ) == ["-"]:
        raise ValueError("expected eight markers from N to NW, optionally one at the centre")
    markers = [markers_by_text.get(code, 0) for code in codes]
    markers = [*markers[8:], *[0] * (9 - len(markers)), *markers[:8]]
    kinds = [marker % equipment.FACE_DOWN for marker in markers]
    if kinds.count(0) != 1 or any(kinds.count(kind) > board.copies[kind] for kind in kinds if kind):
        one, two = ("one", "two") if board.stock == 1 else (board.stock, 2 * board.stock)
        most = "" if board.stock == 1 else "eight, at most "
        raise ValueError(
            f"the markers must be {most}{one} each of mb, mg, su, sc, wb, wg and {two} ro"
        )
    if not board.shuffled and sorted(kinds) != sorted(board.markers):
        raise ValueError("the markers differ from the option `markers`")
    swapped = {equipment.SWAP_UNCLAIMED + 8, equipment.SWAP_CLAIMED + 8} & set(markers)
    if board.markers_stay or not swapped:  # still at their starting places
        if kinds[equipment.CENTRE]:
            raise ValueError("the centre has no marker before a swap (O1)")
        if not board.shuffled and kinds != board.markers:
            raise ValueError("the markers differ from the option `markers`")
    state.markers[:] = markers


def _read_decision(board: Any, state: Any, text: str) -> None:
    """Set the player to move and the triggered marker, or that the game is over."""
    letter, colon, place = text.partition(":")
    if letter not in ("b", "g") or (colon and place not in NAMES):
        raise ValueError(
            f"the player to move must be b or g, or b:NE with a marker, not {quoted(text, 20)}"
        )
    player = LETTERS.index(letter)
    state.player = player
    if colon:
        _check_action(board, state, player, NAMES.index(place))
        state.pending = 1 + NAMES.index(place)
        return
    if player != state.served % 2:
        raise ValueError(
            f"with {state.served} tokens served the player to move is {LETTERS[1 - player]}"
        )
    state.over = int(max(state.claims) >= equipment.WIN or state.served == 2 * equipment.TOKENS)


def _check_action(board: Any, state: Any, player: int, place: int) -> None:
    """Raise ValueError unless this player may have to decide on the marker at a place."""
    marker = state.markers[place]
    if marker == 0 or marker >= equipment.FACE_DOWN:
        raise ValueError(f"no face-up marker at {NAMES[place]}")
    if max(state.claims) >= equipment.WIN:
        raise ValueError("no marker acts in a won game (O11)")
    actor = equipment.ACTORS[marker]
    triggers: tuple[int, ...] = (equipment.BLACK, equipment.GREEN)
    if actor == equipment.TRIGGER:
        triggers = (player,)
    elif player != actor:
        raise ValueError(f"{equipment.CODES[marker]} is decided by {PLAYERS[actor]}")
    if equipment.THRESHOLDS[marker] not in [
        board.size[state.tokens[who][place]] for who in triggers
    ]:
        raise ValueError(
            f"{equipment.CODES[marker]} triggers at {equipment.THRESHOLDS[marker]} tokens (O13)"
        )
    if not rules.is_possible(board, state, marker, player):
        raise ValueError(f"{equipment.CODES[marker]} has no legal action here (O16)")
