"""Studies: trees of variations with comments. No I/O: `study_routes.py` stores and serves them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from teahouse.core.errors import IllegalMove
from teahouse.core.position import Position
from teahouse.server.tables.setup import load_setup
from teahouse.server.tables.snapshots import played_move, snapshot
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.server.web.readable import clean, unreadable_because

MAX_NODES = 1_000
MAX_COMMENT = 2_000
MAX_TITLE = 100


Comment = Annotated[str, Field(max_length=MAX_COMMENT)]


class NodeIn(ms.StrictModel):
    """A move of a study; `parent` is the number of the move before it, -1 for the start."""

    parent: Annotated[int, Field(ge=-1, lt=MAX_NODES)]
    move: ms.MoveText
    comment: Comment = ""


class StudyIn(ms.StrictModel):
    """A tree of variations: parents come before their children, main lines first."""

    title: Annotated[str, Field(max_length=MAX_TITLE)] = ""
    game: ms.GameName
    options: ms.Options = Field(default_factory=dict)
    start: ms.PositionText
    comment: Comment = ""
    nodes: Annotated[list[NodeIn], Field(max_length=MAX_NODES)] = Field(default_factory=list)


class ChangedStudyIn(ms.StrictModel):
    """A study to store in place of an earlier version; `key` was returned for that."""

    key: ms.Secret
    study: StudyIn


def readable_study(study: StudyIn) -> StudyIn:
    """Return a study whose texts have no surrounding whitespace.

    Raise `ApiError` if one of them cannot be displayed. That takes time that grows with the texts.
    """
    nodes = [
        node.model_copy(update={"comment": _readable_lines(node.comment)}) for node in study.nodes
    ]
    texts = {"title": _readable_lines(study.title), "comment": _readable_lines(study.comment)}
    return study.model_copy(update={**texts, "nodes": nodes})


def _readable_lines(text: str) -> str:
    lines = [clean(line) for line in text.splitlines()]
    for kind in filter(None, map(unreadable_because, lines)):
        raise ApiError("invalid", f"Please write without {kind} characters.")
    return "\n".join(lines).strip()


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
