"""Studies: trees of variations with comments. No I/O: `study_routes.py` stores and serves them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from teahouse.core.errors import IllegalMove
from teahouse.core.position import Position
from teahouse.server import messages as ms
from teahouse.server.errors import ApiError
from teahouse.server.readable import clean, unreadable_because
from teahouse.server.setup import load_setup
from teahouse.server.snapshots import played_move, snapshot

MAX_NODES = 1_000
MAX_COMMENT = 2_000
MAX_TITLE = 100


def _readable_lines(text: str) -> str:
    """Return a text without surrounding whitespace, if each of its lines can be displayed."""
    lines = [clean(line) for line in text.splitlines()]
    kinds = [kind for kind in map(unreadable_because, lines) if kind]
    if kinds:
        raise PydanticCustomError("custom", f"Please write without {kinds[0]} characters.")
    return "\n".join(lines).strip()


Comment = Annotated[str, Field(max_length=MAX_COMMENT), AfterValidator(_readable_lines)]


class NodeIn(ms.StrictModel):
    """A move of a study; `parent` is the number of the move before it, -1 for the start."""

    parent: Annotated[int, Field(ge=-1, lt=MAX_NODES)]
    move: ms.MoveText
    comment: Comment = ""


class StudyIn(ms.StrictModel):
    """A tree of variations: parents come before their children, main lines first."""

    title: Annotated[str, Field(max_length=MAX_TITLE), AfterValidator(_readable_lines)] = ""
    game: ms.GameName
    options: ms.Options = Field(default_factory=dict)
    start: ms.PositionText
    comment: Comment = ""
    nodes: Annotated[list[NodeIn], Field(max_length=MAX_NODES)] = Field(default_factory=list)


class ChangedStudyIn(ms.StrictModel):
    """A study to store in place of an earlier version; `key` was returned for that."""

    key: ms.Secret
    study: StudyIn


def describe_study(study: StudyIn) -> dict[str, Any]:
    """Return a study with its moves in words and the snapshot of its start.

    Raise `ApiError` if a move is illegal.
    """
    game, start = load_setup(study.game, study.options, study.start)
    assert start is not None
    root = game.position(start)
    positions: list[Position] = []
    nodes = []
    for number, node in enumerate(study.nodes):
        if node.parent >= number:
            message = f"Move {number + 1} of the study comes before the move that it follows."
            raise ApiError("invalid", message)
        before = root if node.parent < 0 else positions[node.parent]
        try:
            positions.append(before.play(node.move))
        except IllegalMove as error:
            message = f"Move {number + 1} of the study: {error}"
            raise ApiError("illegal_move", message) from None
        played = played_move(before, before.exact(node.move))
        nodes.append({"parent": node.parent, **played, "comment": node.comment})
    return {
        "title": study.title,
        "game": game.name,
        "game_title": game.title,
        "options": game.options,
        "players": game.players,
        "teams": game.teams,
        "start": start,
        "comment": study.comment,
        "nodes": nodes,
        "snapshot": snapshot(root, 0, None),
    }
