"""Setting up positions of Fillit: chips, pawns and stones, and who is to move."""

from teahouse.core import hexgrid
from teahouse.core.editor import Tool
from teahouse.core.position import Position
from teahouse.core.run_lengths import run_lengths
from teahouse.core.scene import Piece
from teahouse.games.fillit import rules
from teahouse.games.fillit.layouts import EMPTY, WALL
from teahouse.games.fillit.notation import OVER, PENDING, cell_glyphs, chip_glyphs, mode_of

MOVE, REMOVE = "move", "remove"
CHIP, TURN = "chip-", "turn-"


def palette(position: Position) -> tuple[Tool, ...]:
    state, mode = position.state_view, mode_of(position.game.board, position.state_view)
    chips = (
        Tool(
            f"{CHIP}{side}",
            f"Chip of {' and '.join(mode.players[seat] for seat in seats)}",
            Piece("chip", seats[0]),
        )
        for side, seats in enumerate(mode.sides)
    )
    fresh = state.pending == rules.BOTH
    turns = (
        Tool(f"{TURN}{seat}", f"{player} to move", clicks=0, active=state.player == seat and fresh)
        for seat, player in enumerate(mode.players)
    )
    return (
        Tool(MOVE, "Move a pawn or stone", clicks=2),
        *chips,
        Tool(REMOVE, "Remove a chip"),
        *turns,
    )


def edit(position: Position, tool: str, spots: tuple[str, ...]) -> str:
    board, state = position.game.board, position.state_view
    mode = mode_of(board, state)
    names = hexgrid.names(mode.board)
    glyphs = list(cell_glyphs(board, state))
    chips = chip_glyphs(mode)
    movable = {*mode.pawn_letters, *mode.stone_letters}
    cells = [names.index(spot) for spot in spots]
    player, pending = mode.pawn_letters[state.player], PENDING[state.pending]
    if tool == MOVE:
        source, target = cells
        if glyphs[source] not in movable:
            raise ValueError(f"there is no pawn and no stone on {spots[0]}")
        if glyphs[target] == WALL or glyphs[target] in movable:
            raise ValueError(f"the cell {spots[1]} is occupied")
        glyphs[target], glyphs[source] = glyphs[source], EMPTY
    elif tool.startswith(TURN):
        player, pending = mode.pawn_letters[int(tool.removeprefix(TURN))], PENDING[rules.BOTH]
    else:
        (cell,) = cells
        if glyphs[cell] == WALL or glyphs[cell] in movable:
            raise ValueError(f"the cell {spots[0]} is occupied; move the piece there first")
        glyphs[cell] = EMPTY if tool == REMOVE else chips[int(tool.removeprefix(CHIP))]
    if any(
        glyphs.count(chips[side]) + len(seats) == board.chips
        for side, seats in enumerate(mode.sides)
    ):
        pending = OVER
    elif state.over and not tool.startswith(TURN):
        pending = PENDING[rules.BOTH]
    rows = ("".join(glyphs[row.start : row.stop]) for row in reversed(hexgrid.rows(mode.board)))
    drawn = map(run_lengths, rows)
    turns = state.turns % rules.MAX_TURNS  # else a game drawn by F10 would stay over
    return f"{'/'.join(drawn)} {player} {pending} {turns}"
