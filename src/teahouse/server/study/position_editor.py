"""Setting up a position on the analysis board with the palette of its game."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from teahouse.core.editor import edited, palette
from teahouse.core.errors import PositionError
from teahouse.draw.inline import piece_svg
from teahouse.server.tables.setup import load_setup
from teahouse.server.tables.snapshots import snapshot
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError

SpotName = Annotated[str, Field(min_length=1, max_length=40)]


class EditIn(ms.StrictModel):
    """A position, and the tool to change it with; without one, the palette alone is wanted."""

    game: ms.GameName
    options: ms.Options = Field(default_factory=dict)
    position: ms.PositionText
    tool: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    spots: Annotated[list[SpotName], Field(max_length=4)] = Field(default_factory=list)


def edit(request: EditIn) -> dict[str, Any]:
    """Return the position that a request asks for, with its snapshot and palette.

    Raise `ApiError` if it would not be legal.
    """
    game, text = load_setup(request.game, request.options, request.position)
    assert text is not None
    position = game.position(text)
    if request.tool is not None:
        try:
            position = edited(position, request.tool, tuple(request.spots))
        except PositionError as error:
            raise ApiError("illegal_position", str(error)) from None
    colours = position.scene.colours
    tools = [
        {**asdict(tool), "svg": tool.piece and piece_svg(game.name, colours, tool.piece)}
        for tool in palette(position)
    ]
    return {"snapshot": snapshot(position, 0, None), "palette": tools}
