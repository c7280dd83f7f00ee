"""Setting up positions of Orochi: stones, and who is to move."""

from teahouse.core import hexgrid
from teahouse.core.editor import Tool
from teahouse.core.position import Position
from teahouse.core.run_lengths import run_lengths
from teahouse.core.scene import Piece
from teahouse.games.orochi import rules
from teahouse.games.orochi.notation import piece_at, side_of

STONES = {"white": "w", "black": "b", "remove": "."}
TURNS = {"white-to-move": "w", "black-to-move": "b"}
FIRST_STONES = {"two": 3, "swap": 2}
"""With fewer stones the player to move follows from their number (C1), by the opening."""


def palette(position: Position) -> tuple[Tool, ...]:
    return (
        Tool("white", "White stone", Piece("stone", 0)),
        Tool("black", "Black stone", Piece("stone", 1)),
        Tool("remove", "Remove"),
        Tool("white-to-move", "White to move", clicks=0, active=position.player == rules.WHITE),
        Tool("black-to-move", "Black to move", clicks=0, active=position.player == rules.BLACK),
        Tool("clear", "Clear the board", clicks=0),
    )


def edit(position: Position, tool: str, spots: tuple[str, ...]) -> str:
    state = position.state_view
    side = side_of(position.game.board)
    cells = [piece_at(state, cell) for cell in range(len(hexgrid.names(side)))]
    if tool == "clear":
        cells = ["."] * len(cells)
    if tool in STONES:
        cells[hexgrid.names(side).index(spots[0])] = STONES[tool]
    player = TURNS.get(tool, "wb"[position.player])
    rows = ["".join(cells[cell] for cell in row) for row in reversed(hexgrid.rows(side))]
    placed = sum(len(row) - row.count(".") for row in rows)
    if placed < FIRST_STONES[position.game.all_options["opening"]] and tool not in TURNS:
        player = "b" if placed else "w"
    drawn = map(run_lengths, rows)
    return f"{'/'.join(drawn)} {player}"
