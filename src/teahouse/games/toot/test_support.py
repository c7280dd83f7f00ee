"""Positions drawn as text boards, for tests."""

import re
from typing import Any

import teahouse as th
from teahouse.games.toot import LAST_CAPTURE

BLUE, RED = 0, 1

QUIET = """
    j  k  l  m
12  B  b  r  R
11  B     R
10  b     r
"""


def table(
    drawing: str,
    player: str = "b",
    *,
    due: str = "-",
    captured: tuple[int, int] = (0, 0),
    sacrificed: str = "-",
    quiet: int = 0,
    passes: int = 0,
    captor: str = "",
    **options: Any,
) -> th.Position:
    """Return the position of a drawn table.

    By default the number of tiles is the larger number drawn, so that this player has none in hand,
    there are five pieces, and the last capture does not count unless `captor` says whose it was. A
    player with tiles in hand holds as many of the missing pieces as possible, and the rest is
    captured; otherwise pieces neither drawn nor captured are lost.
    """
    lines = [line for line in drawing.splitlines() if line.strip()]
    columns = {place.start(): place[0] for place in re.finditer("[a-u]", lines[0])}
    rows = []
    for line in lines[1:]:
        cells = {place.start(): place[0] for place in re.finditer("[BR]=|[br]|[BR]", line)}
        assert cells.keys() <= columns.keys(), line
        rows.append([cells.get(at, ".") for at in columns])
    glyphs = [glyph for row in rows for glyph in row]
    drawn = re.sub(r"\.+", lambda run: str(len(run[0])), "/".join("".join(row) for row in rows))
    tiles = [sum(glyph[0].lower() == letter for glyph in glyphs) for letter in "br"]
    options = {"tiles": max(tiles), **options}
    options.setdefault("pieces", min(5, options["tiles"] - 1))
    options.setdefault("most_pieces", LAST_CAPTURE if captor else False)
    hands, captures = [], []
    for seat, letter in enumerate("br"):
        missing = options["pieces"] - sum(glyph[0] == letter.upper() for glyph in glyphs)
        tiles_in_hand = options["tiles"] - tiles[seat]
        entering = due[:1] == "+" and len(due) > 1 and player == letter
        hands.append(min(missing - captured[seat], tiles_in_hand + entering))
        captures.append(missing - hands[-1] if tiles_in_hand else captured[seat])
    corner = f"{next(iter(columns.values()))}{lines[1].split()[0]}"
    text = (
        f"{corner}:{drawn} {player} {due}"
        f" {hands[0]},{hands[1]} {captures[0]},{captures[1]} {sacrificed} {quiet} {passes}"
        f"{f' {captor}' if captor else ''} 30"
    )
    return th.load("toot", **options).position(text)


def on_table(position: th.Position) -> dict[str, str]:
    return {spot.name: spot.glyph for spot in position.scene.spots if spot.glyph != "."}


def free_cells(position: th.Position) -> set[str]:
    return {spot.name for spot in position.scene.spots if spot.glyph == "."}


def moves(position: th.Position, sign: str) -> set[str]:
    """Return the legal moves whose text contains a sign."""
    return {move for move in position.legal if sign in move}


def state_of(position: th.Position) -> Any:
    return position.unpack()


def field(position: th.Position, name: str) -> list[int]:
    return list(getattr(position.unpack(), name))
