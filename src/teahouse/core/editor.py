"""Setting up positions: an optional part of a game's contract, `setup.py` in its folder.

Every change leads from one legal position to another, as the game's own `read_position` decides. A
game without the module has no palette; its positions are set up by moves and by position texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, cast

from teahouse.core.errors import PositionError
from teahouse.core.packages import optional_module
from teahouse.core.position import Position
from teahouse.core.scene import Piece

MODULE = "setup"


@dataclass(frozen=True)
class Tool:
    """An entry of the palette."""

    name: str
    label: str
    """What it does, such as "White stone" or "Remove"."""
    piece: Piece | None = None
    """The piece that it places, to be drawn."""
    clicks: int = 1
    """The number of spots to click, 0 for a button that acts at once."""
    active: bool | None = None
    """Whether the position is already as this button makes it; None for a button that acts."""


class Editor(Protocol):
    """A game's `setup.py`."""

    def palette(self, position: Position) -> tuple[Tool, ...]:
        """Return the tools for a position; their names do not depend on the pieces."""

    def edit(self, position: Position, tool: str, spots: tuple[str, ...]) -> str:
        """Return the text of the position after a change, without the number of moves.

        Raise `ValueError` with a clause that says why it is impossible. What is left is up to
        `read_position`.
        """


def editor(game: str) -> Editor | None:
    """Return a game's `setup.py`, or None if it has none."""
    return cast("Editor | None", optional_module(game, MODULE))


def palette(position: Position) -> tuple[Tool, ...]:
    """Return the tools that change a position; none if the game does not offer that."""
    found = editor(position.game.name)
    return found.palette(position) if found else ()


def edited(position: Position, tool: str, spots: tuple[str, ...]) -> Position:
    """Return the position after a change; raise `PositionError` if it would not be legal."""
    found = editor(position.game.name)
    tools = {one.name: one for one in palette(position)}
    if found is None or tool not in tools:
        raise PositionError(f"Unknown tool; tools: {', '.join(tools) or 'none'}.")
    if len(spots) != tools[tool].clicks:
        raise PositionError(f"{tools[tool].label} needs {tools[tool].clicks} spots.")
    known = {spot.name for spot in position.scene.spots}
    if not known.issuperset(spots):
        raise PositionError("There is no such spot on this board.")
    try:
        text = found.edit(position, tool, spots)
        return position.game.position(f"{text} {position.ply}")
    except PositionError as error:
        raise PositionError(_reason(error)) from None
    except ValueError as error:
        raise PositionError(_sentence(str(error))) from None


def _reason(error: PositionError) -> str:
    """Return why a position is impossible, without its text."""
    cause = error.__context__
    return _sentence(str(cause)) if isinstance(cause, ValueError) else str(error)


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."
