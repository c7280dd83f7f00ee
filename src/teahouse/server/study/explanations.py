"""What things on a board are, why they cannot be clicked, and what a move would do."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from teahouse.core.errors import IllegalMove, OptionError
from teahouse.core.position import Position
from teahouse.draw.preview import preview_svg
from teahouse.server.tables.setup import load_position
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError

ItemName = Annotated[str, Field(min_length=1, max_length=200)]
MAX_CLICKS = 20


class PositionIn(ms.StrictModel):
    """A position of a game."""

    game: ms.GameName
    options: ms.Options = Field(default_factory=dict)
    position: ms.PositionText


class ExplainIn(PositionIn):
    """A spot, hand or choice to explain, and what was clicked before it."""

    clicked: Annotated[list[ItemName], Field(max_length=MAX_CLICKS, default_factory=list)]
    name: ItemName


class PreviewIn(PositionIn):
    """A move to show before it is played."""

    move: ms.MoveText


def explanation(request: ExplainIn) -> dict[str, Any]:
    """Return the response to a request; `why` is null if a click would be accepted."""
    position = _position(request)
    try:
        what = position.explain(request.name)
        why = position.refuse(request.name, request.clicked)
    except OptionError as error:
        raise ApiError("invalid", str(error)) from None
    return {"what": what, "why": why or None}


def previewed(request: PreviewIn) -> dict[str, Any]:
    """Return the response to a request."""
    position = _position(request)
    try:
        return {"svg": preview_svg(position, position.exact(request.move))}
    except IllegalMove as error:
        raise ApiError("illegal_move", str(error), position.legal) from None


def _position(request: PositionIn) -> Position:
    return load_position(request.game, request.options, request.position)
