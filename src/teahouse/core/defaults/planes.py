"""Actions and planes for a game without a `planes.py`.

Actions are move numbers. Planes show the state's fields as they are, so they suit a first trial; a
game's own planes should show the board from the viewer's side.
"""

from __future__ import annotations

from functools import cache
from math import prod
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from teahouse.core.errors import OptionError
from teahouse.core.jit import rules
from teahouse.core.planes import ActionRange, ObservationSpec, Plane, Symmetry, fill, mark_actions

if TYPE_CHECKING:
    from teahouse.core.game import Game

MAX_GAME_LENGTH = 10_000
"""Declared for every game, since the true bound is not known."""


def default_spec(game: Game) -> ObservationSpec:
    """Return actions and planes for a game; raise `OptionError` if its moves are too large."""
    start = game.start()
    limit = game.layout.move_limit
    if any(start.move(text) >= limit for text in start.legal):
        raise OptionError(
            f"{game.name} has moves above Layout.move_limit ({limit}); set it, or write planes.py"
        )
    cells = max(prod(shape) for _, shape, _ in _fields(game.layout.state))
    return ObservationSpec(
        actions=(ActionRange("the move of this number", limit),),
        planes=(Plane("the viewer's number", 255), *_planes(game.layout.state)),
        shape=(1, cells),
        grid="elements of the state's fields in order; numbers fill their plane",
        cell_coordinates=tuple((0, cell) for cell in range(cells)),
        max_game_length=MAX_GAME_LENGTH,
        symmetries=lambda: (Symmetry("identity", tuple(range(cells)), tuple(range(limit))),),
    )


def _fields(state: np.dtype) -> list[tuple[str, tuple[int, ...], int]]:
    """Return the name, the shape and the size in bytes of an element of each integer field."""
    found = []
    for name in state.names or ():
        field = state[name]
        if field.base.kind in "iub":
            found.append((name, field.shape, field.base.itemsize))
    return found


def _planes(state: np.dtype) -> list[Plane]:
    """Return a plane for each byte of the fields' elements."""
    return [
        Plane(f"{name}{f', byte {byte}' if size > 1 else ''}", 255)
        for name, _, size in _fields(state)
        for byte in range(size)
    ]


@cache
def default_kernels(state: np.dtype, move_limit: int) -> ModuleType:
    """Return the kernels of `core.planes.Encoding` for states of a type and moves below a limit."""
    module = ModuleType("planes")
    namespace: dict[str, Any] = {
        "fill": fill,
        "mark_actions": mark_actions,
        "rules": rules,
        "__name__": __name__,
    }
    # Names of record fields and the limit alone vary.
    source = _observe_source(state) + MARK_LEGAL.format(limit=move_limit)
    exec(source, namespace)  # noqa: S102  # nosec B102
    names = ("observe", "mark_legal")
    vars(module).update(action=action, move=move, **{name: namespace[name] for name in names})
    return module


# A move beyond the limit has no action.
MARK_LEGAL = """
def mark_legal(board, state, draft, moves, mask):
    count = 0
    for index in range(rules.legal(board, state, moves)):
        if moves[index] < {limit}:
            mark_actions(mask, moves[index], 1, 1)
            count += 1
    return count
"""


def action(board: Any, state: Any, move: int, part: int) -> int:
    """Return the move's number."""
    return move


def move(board: Any, state: Any, draft: Any, action: int) -> int:
    """Return the move of this number."""
    return action


def _observe_source(state: np.dtype) -> str:
    """Return the source of `observe`: compiled code cannot loop over a record's fields."""
    lines = [
        "def observe(board, state, draft, viewer, offsets, planes):",
        "    fill(planes[0], viewer)",
    ]
    plane = 1
    for name, shape, size in _fields(state):
        for byte in range(size):
            indent, element, index = "    ", f"state.{name}", "0"
            for axis, length in enumerate(shape):
                lines.append(f"{indent}for i{axis} in range(len({element})):")
                indent, element = indent + "    ", f"{element}[i{axis}]"
                index = f"i{axis}" if axis == 0 else f"({index}) * {length} + i{axis}"
            value = f"int({element}) >> {8 * byte} & 255"
            lines.append(
                f"{indent}planes[{plane}][{index}] = {value}"
                if shape
                else f"{indent}fill(planes[{plane}], {value})"
            )
            plane += 1
    return "\n".join(lines) + "\n"
