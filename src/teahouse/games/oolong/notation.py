"""Oolong's moves and positions as text.

Moves have the forms C.NE (serve), NE.S>W.C (move a token), @3 (rotate), N<>SE (swap), !W (move the
waiter) and - (decline). A position is its nine tables, the markers, the waiter, and who decides:

    9/9/1B7/9/9/9/9/9/9 mb,ro,mg,ro,su,wb,sc,wg S.NE g

Tables and seats stand in the order C N NE E SE S SW W NW; seats are B, G and numbers for runs of
empty ones. Markers begin at N: - is none, xmb is face down, and one at the centre stands last. If a
marker is to be decided on, its place follows who decides: g:NE.
"""

import re
from itertools import islice, product
from typing import Any

from teahouse.core.errors import quoted
from teahouse.games.oolong import rules

NAMES = ("C", "N", "NE", "E", "SE", "S", "SW", "W", "NW")
PLAYERS = ("Black", "Green")
LETTERS = "bg"
SEATS = ".BG"

# What people may type besides the exact forms.
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
    *("from", "to", "the", "and", "with", "by", "at", "of", "on"),
)
DECLINING = ("-", "decline", "pass", "no", "none", "skip")
SIGNS = {  # each decision's own signs in exact texts; those of others are not read as spaces
    rules.SERVE: ".",
    rules.MOVE_TOKEN: ".>",
    rules.ROTATION: "@",
    rules.SWAP: "<>",
    rules.WAITER: "!",
}
NAMED = {rules.MOVE_TOKEN: 4, rules.SWAP: 2, rules.WAITER: 1}  # how many names a decision takes


def decision(state: Any) -> int:
    """The kind of move that is due."""
    if not state.acting:
        return rules.SERVE
    return {
        rules.MOVE_BLACK: rules.MOVE_TOKEN,
        rules.MOVE_GREEN: rules.MOVE_TOKEN,
        rules.ROTATE: rules.ROTATION,
        rules.SWAP_UNCLAIMED: rules.SWAP,
        rules.SWAP_CLAIMED: rules.SWAP,
        rules.WAITER_BLACK: rules.WAITER,
        rules.WAITER_GREEN: rules.WAITER,
    }[state.markers[state.acting - 1]]


def move_text(board: Any, state: Any, move: int) -> str:
    numbers = [move >> shift & rules.NUMBER_MASK for shift in (12, 8, 4, 0)]
    source, seat, first, second = (NAMES[number % rules.PLACES] for number in numbers)
    return {
        rules.SERVE: f"{first}.{second}",
        rules.MOVE_TOKEN: f"{source}.{seat}>{first}.{second}",
        rules.ROTATION: f"@{numbers[3]}",
        rules.SWAP: f"{first}<>{second}",
        rules.WAITER: f"!{second}",
        rules.DECLINE: "-",
    }[move >> rules.KIND_SHIFT]


def normalize(board: Any, state: Any, text: str) -> str:
    kind = decision(state)
    if kind != rules.SERVE and text.lower() in DECLINING:
        return "-"
    readings = _readings(text, SIGNS[kind])
    if kind == rules.ROTATION:
        words = readings[0]
        return f"@{words[0]}" if len(words) == 1 and words[0].isdigit() else text
    readings = [names for names in readings if set(names) <= set(NAMES)]
    if kind == rules.SERVE:
        return _serving(state, readings) or text
    names = next((names for names in readings if len(names) == NAMED[kind]), [])
    if kind == rules.MOVE_TOKEN and names:
        return "{}.{}>{}.{}".format(*names)
    if kind == rules.SWAP and names:
        return "<>".join(sorted(names, key=NAMES.index))
    if kind == rules.WAITER and names:
        return f"!{names[0]}"
    return text


def _serving(state: Any, readings: list[list[str]]) -> str | None:
    """A serving named by a table and a seat, or by a seat of the waiter's table alone."""
    here = NAMES[state.waiter_table]
    servings = [".".join(names) for names in readings if len(names) == 2]
    if rules._free(state):
        servings += [f"{here}.{names[0]}" for names in readings if len(names) == 1]
        servings.sort(key=lambda serving: not serving.startswith(f"{here}."))
    return servings[0] if servings else None


def _readings(text: str, signs: str) -> list[list[str]]:
    """The names in what a person typed; north east is read as two of them and then as one."""
    low = text.lower().replace("->", ">")
    for long, short in LONG_NAMES.items():
        low = re.sub(rf"\b({long})\b", short, low, flags=re.ASCII)
    low = re.sub(r"\b([ns])\s+(?=[ew]\b)", r"\1~", low, flags=re.ASCII)
    words = re.split(rf"[\s,;:/(){re.escape(signs)}]+", low, flags=re.ASCII)
    named = [word.upper() for word in words if word and word not in FILLERS]
    choices = [[word.split("~"), [word.replace("~", "")]][: 1 + word.count("~")] for word in named]
    return [[name for part in parts for name in part] for parts in islice(product(*choices), 64)]


def explain(board: Any, state: Any, text: str) -> str:
    kind = decision(state)
    tidied = normalize(board, state, text)
    if kind == rules.SERVE:
        return _explain_serving(state, tidied)
    if kind == rules.MOVE_TOKEN:
        return _explain_token_move(board, state, tidied)
    if kind == rules.ROTATION:
        return "a table is rotated by @1 to @7 eighths clockwise, or - declines"
    if kind == rules.SWAP:
        names = tidied.split("<>")
        if len(names) != 2 or not set(names) <= set(NAMES):
            return "a swap is two tables, such as N<>SE, or - declines"
        if names[0] == names[1]:
            return "a swap takes two different tables"
        claimed = [name for name in names if rules._claimed(board, state) >> NAMES.index(name) & 1]
        if state.markers[state.acting - 1] == rules.SWAP_UNCLAIMED:
            return f"{' and '.join(claimed)} {'are' if claimed[1:] else 'is'} claimed"
        return "both tables are claimed" if claimed else "neither table is claimed"
    if tidied[:1] != "!" or tidied[1:] not in NAMES:
        return "the waiter goes to a table, such as !W, or - declines"
    return "the waiter stands at that table already"


def _explain_serving(state: Any, text: str) -> str:
    here = NAMES[state.waiter_table]
    fixed = rules._free(state) != 0
    table, _, seat = text.partition(".")
    if table not in NAMES or seat not in NAMES:
        if table in NAMES and not seat and not fixed:
            return f"nothing can be served at table {here}, so name a table and a seat"
        return "a serving is a table and a seat, such as C.NE"
    if fixed and table != here:
        return f"the waiter stands at table {here}"
    taken = token(state, table, seat)
    if taken != ".":
        return f"a token of {PLAYERS[SEATS.index(taken) - 1]} is on {table}.{seat}"
    return f"the waiter stands on {table}.{seat} (O4)"


def _explain_token_move(board: Any, state: Any, text: str) -> str:
    names = re.split("[.>]", text)
    if not re.fullmatch(r"\w+\.\w+>\w+\.\w+", text) or not set(names) <= set(NAMES):
        return "a token is moved from a seat to a seat, such as NE.S>W.C, or - declines"
    source, seat, table, target = names
    for name in (source, table):
        if rules._claimed(board, state) >> NAMES.index(name) & 1:
            return f"table {name} is claimed"
    if token(state, source, seat) != SEATS[state.player + 1]:
        return f"no token of {PLAYERS[state.player]} is on {source}.{seat}"
    if source == table:
        return "a token is moved to another table"
    if token(state, table, target) != ".":
        return f"{table}.{target} is taken"
    return f"the waiter stands on {table}.{target} (O18)"


def token(state: Any, table: str, seat: str) -> str:
    """What is on a seat, as one of SEATS."""
    return _token(state, NAMES.index(table), NAMES.index(seat))


def _token(state: Any, table: int, seat: int) -> str:
    black, green = state.tokens
    return SEATS[(black[table] >> seat & 1) + 2 * (green[table] >> seat & 1)]


def seats_text(state: Any, table: int) -> str:
    """What is on the nine seats of a table, each as one of SEATS."""
    return "".join(_token(state, table, seat) for seat in range(rules.PLACES))


def position_text(board: Any, state: Any) -> str:
    tables = "/".join(
        re.sub(r"\.+", lambda run: str(len(run[0])), seats_text(state, table))
        for table in range(rules.PLACES)
    )
    codes = [_marker_text(marker) for marker in (*state.markers[1:], state.markers[rules.CENTRE])]
    if codes[-1] == "-":
        codes.pop()
    markers = ",".join(codes) if any(state.markers) else "-"
    waiter = f"{NAMES[state.waiter_table]}.{NAMES[state.waiter_seat]}"
    due = f":{NAMES[state.acting - 1]}" if state.acting else ""
    return f"{tables} {markers} {waiter} {LETTERS[state.player]}{due}"


def _marker_text(marker: int) -> str:
    if marker == 0:
        return "-"
    return ("x" if marker >= rules.FACE_DOWN else "") + rules.CODES[marker % rules.FACE_DOWN]


def read_position(board: Any, state: Any, text: str) -> None:
    parts = text.split(" ")
    if len(parts) != 4:
        raise ValueError("a position is its tables, the markers, the waiter, and who decides")
    _read_tables(board, state, parts[0])
    _read_markers(board, state, parts[1])
    table, _, seat = parts[2].partition(".")
    if table not in NAMES or seat not in NAMES:
        raise ValueError(f"the waiter stands at a table and a seat, not {quoted(parts[2], 20)}")
    state.waiter_table, state.waiter_seat = NAMES.index(table), NAMES.index(seat)
    _read_decision(board, state, parts[3])


def _read_tables(board: Any, state: Any, text: str) -> None:
    tables = text.split("/")
    if len(tables) != rules.PLACES:
        raise ValueError(f"{len(tables)} tables instead of {rules.PLACES}")
    for table, drawn in enumerate(tables):
        spread = re.sub("[1-9]", lambda run: "." * int(run[0]), drawn)
        if len(spread) != rules.PLACES or not set(spread) <= set(SEATS):
            raise ValueError(
                f"table {NAMES[table]} is nine seats of B, G and numbers for empty ones, "
                f"not {quoted(drawn, 20)}"
            )
        for player in (rules.BLACK, rules.GREEN):
            seats = sum((token == SEATS[player + 1]) << seat for seat, token in enumerate(spread))
            state.tokens[player][table] = seats
            state.claims[player] += board.size[seats] >= rules.CLAIM
    black, green = (sum(board.size[seats] for seats in state.tokens[player]) for player in (0, 1))
    if black not in (green, green + 1) or black > rules.TOKENS:
        raise ValueError(
            f"{black} black and {green} green tokens cannot come about by taking turns"
        )
    state.served = black + green


def _read_markers(board: Any, state: Any, text: str) -> None:
    if not any(board.markers):
        if text != "-":
            raise ValueError(f"the markers are - where there are none, not {quoted(text, 40)}")
        return
    every = {_marker_text(marker): marker for kind in rules.DECK for marker in (kind, kind + 8)}
    codes = text.split(",")
    unknown = [code for code in codes if code not in every and code != "-"]
    if unknown:
        raise ValueError(f"there is no marker {quoted(unknown[0], 20)}")
    if len(codes) not in (rules.PLACES - 1, rules.PLACES) or codes[-1:] * (len(codes) - 8) == ["-"]:
        raise ValueError("the markers are eight from N to NW, and perhaps one at the centre")
    markers = [every.get(code, 0) for code in codes]
    markers = [*markers[8:], *[0] * (9 - len(markers)), *markers[:8]]
    kinds = [marker % rules.FACE_DOWN for marker in markers]
    if sorted(kinds) != sorted((0, *rules.DECK)):
        raise ValueError("the markers are one each of mb, mg, su, sc, wb, wg and two ro")
    swapped = {rules.SWAP_UNCLAIMED + 8, rules.SWAP_CLAIMED + 8} & set(markers)
    if board.markers_stay or not swapped:  # they lie as they did at the start
        if kinds[rules.CENTRE]:
            raise ValueError("the centre has no marker before a swap")
        if not board.shuffled and kinds != board.markers:
            raise ValueError("the markers do not lie as the option says")
    state.markers[:] = markers


def _read_decision(board: Any, state: Any, text: str) -> None:
    """Who decides what; the game may be over instead."""
    letter, colon, place = text.partition(":")
    if letter not in ("b", "g") or (colon and place not in NAMES):
        raise ValueError(
            f"who decides is b or g, with a marker's place b:NE, not {quoted(text, 20)}"
        )
    player = LETTERS.index(letter)
    state.player = player
    if colon:
        _check_action(board, state, player, NAMES.index(place))
        state.acting = 1 + NAMES.index(place)
        return
    if player != state.served % 2:
        raise ValueError(f"with {state.served} tokens served, {LETTERS[1 - player]} is next")
    state.over = int(max(state.claims) >= rules.WIN or state.served == 2 * rules.TOKENS)


def _check_action(board: Any, state: Any, player: int, place: int) -> None:
    """A ValueError unless the marker at a place can await this player's decision."""
    marker = state.markers[place]
    if marker == 0 or marker >= rules.FACE_DOWN:
        raise ValueError(f"no marker lies face up at {NAMES[place]}")
    if max(state.claims) >= rules.WIN:
        raise ValueError("the game is won, so no marker acts (O11)")
    actor = rules.ACTORS[marker]
    bringers: tuple[int, ...] = (rules.BLACK, rules.GREEN)
    if actor == rules.TRIGGER:
        bringers = (player,)
    elif player != actor:
        raise ValueError(f"{rules.CODES[marker]} is for {PLAYERS[actor]} to decide on")
    if rules.THRESHOLDS[marker] not in [board.size[state.tokens[who][place]] for who in bringers]:
        raise ValueError(f"{rules.CODES[marker]} acts at {rules.THRESHOLDS[marker]} tokens (O13)")
    if not rules._possible(board, state, marker, player):
        raise ValueError(f"there is no way to act on {rules.CODES[marker]} here (O16)")
