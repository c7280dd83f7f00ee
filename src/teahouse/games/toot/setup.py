"""Setting up positions of Toot: tiles, pieces and who is to move.

Pieces come from the hand and go back to it; each stands on a tile of its own colour. Tiles in hand
follow from those on the table.
"""

from teahouse.core.editor import Tool
from teahouse.core.position import Position
from teahouse.core.run_lengths import run_lengths
from teahouse.core.scene import Piece
from teahouse.games.toot.notation import LETTERS, SEATS, cell_glyphs

START_OF_TURN = "-"
TILES = {"blue-tile": "b", "red-tile": "r"}
TURNS = {"blue-to-move": "b", "red-to-move": "r"}
LYING = "="


def palette(position: Position) -> tuple[Tool, ...]:
    _, player, phase, *_ = _fields(position)
    turns = (
        Tool(name, f"{seat} to move", clicks=0, active=(player, phase) == (letter, START_OF_TURN))
        for (name, letter), seat in zip(TURNS.items(), SEATS, strict=True)
    )
    return (
        Tool("blue-tile", "Blue tile", Piece("tile", 0)),
        Tool("red-tile", "Red tile", Piece("tile", 1)),
        Tool("piece", "Piece from the hand"),
        Tool("move", "Move a piece", clicks=2),
        Tool("turn", "Stand up or lay down"),
        Tool("remove", "Remove a piece or tile"),
        *turns,
    )


def edit(position: Position, tool: str, spots: tuple[str, ...]) -> str:
    _, player, phase, hands, captured, sacrificed, quiet, _, *captor = _fields(position)
    glyphs = cell_glyphs(position.state_view)
    hand = [int(count) for count in hands.split(",")]
    if tool in TURNS:
        player = TURNS[tool]
    elif tool in TILES:
        if spots[0] in glyphs:
            raise ValueError(f"there is a tile on {spots[0]} already")
        glyphs[spots[0]] = TILES[tool]
    else:
        _change(glyphs, hand, tool, spots)
    phase, passes = START_OF_TURN, "0"  # what was begun may be impossible now
    if int(quiet) == position.game.board.quiet_limit:
        quiet = "0"  # else the game would stay over, whatever is changed
    counts = (",".join(map(str, hand)), captured, sacrificed, quiet, passes, *captor)
    return " ".join([_drawn(glyphs), player, phase, *counts])


def _fields(position: Position) -> list[str]:
    """Return the fields of a position text without the number of moves."""
    return str(position).split(" ")[:-1]


def _change(glyphs: dict[str, str], hand: list[int], tool: str, spots: tuple[str, ...]) -> None:
    """Change pieces, or remove a tile; raise `ValueError` if that is impossible."""
    for spot in spots:
        if spot not in glyphs:
            raise ValueError(f"there is no tile on {spot}")
    spot, found = spots[0], glyphs[spots[0]]
    owner = LETTERS.index(found[0].lower())
    if found in LETTERS:
        if tool == "remove":
            del glyphs[spot]
        elif tool != "piece":
            raise ValueError(f"there is no piece on {spot}")
        elif not hand[owner]:
            raise ValueError(f"{SEATS[owner]} has no piece in hand")
        else:
            hand[owner] -= 1
            glyphs[spot] = found.upper()
    elif tool == "piece":
        raise ValueError(f"there is a piece on {spot} already")
    elif tool == "turn":
        glyphs[spot] = found[0] if found.endswith(LYING) else found + LYING
    elif tool == "remove":
        hand[owner] += 1
        glyphs[spot] = LETTERS[owner]
    else:
        if glyphs[spots[1]] != LETTERS[owner]:
            raise ValueError(f"a piece of {SEATS[owner]} needs a free tile of its colour")
        glyphs[spot], glyphs[spots[1]] = LETTERS[owner], found


def _drawn(glyphs: dict[str, str]) -> str:
    """Return the top left cell and the rows from there downwards."""
    if not glyphs:
        raise ValueError("at least one tile stays on the table")
    columns = [ord(name[0]) for name in glyphs]
    rows = [int(name[1:]) for name in glyphs]
    lines = []
    for row in range(max(rows), min(rows) - 1, -1):
        names = (f"{chr(column)}{row}" for column in range(min(columns), max(columns) + 1))
        line = "".join(glyphs.get(name, ".") for name in names)
        lines.append(run_lengths(line))
    return f"{chr(min(columns))}{max(rows)}:{'/'.join(lines)}"
