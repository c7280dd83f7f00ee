"""Jobs of a worker process: all work on records and texts from outside that grows with them.

A response is a line of JSON, which holds an error of the request if there was one, and a body.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from teahouse.server import messages as ms
from teahouse.server.errors import ApiError
from teahouse.server.event_json import checkpoint_adapter, from_log_row
from teahouse.server.explanations import ExplainIn, PreviewIn, explanation, previewed
from teahouse.server.explore import explore, parse_record, requested_ply, requested_record
from teahouse.server.ipc import position_fields
from teahouse.server.rules_page import rules_html
from teahouse.server.thumbnails import thumbnail
from teahouse.server.wire import from_json, to_json
from teahouse.session import checkpoint
from teahouse.session.state import GameSession

Request = dict[str, Any]
PAGE_FIELDS = ("game", "title", "players", "names", "snapshot")


def run_job(request: Request) -> str:
    """Return the response to a request."""
    try:
        body = JOBS[request["job"]](request)
    except ApiError as error:
        return f"{to_json({'error': error.body})}\n"
    return f"{to_json({})}\n{body}"


def _explore(request: Request) -> str:
    body = ms.ExploreIn.model_validate(request["body"])
    return to_json(explore(requested_record(body), body.ply))


def _explain(request: Request) -> str:
    return to_json(explanation(ExplainIn.model_validate(request["body"])))


def _preview(request: Request) -> str:
    return to_json(previewed(PreviewIn.model_validate(request["body"])))


def _position(request: Request) -> str:
    """Return the position that a request describes, with its ply in the record."""
    body = ms.ExploreIn.model_validate(request["body"])
    record = requested_record(body)
    ply = requested_ply(record, body.ply)
    return to_json({"record_ply": ply, **position_fields(record.positions[ply])})


def _record(request: Request) -> str:
    return parse_record(request["text"]).text()


def _record_page(request: Request) -> str:
    explored = explore(parse_record(request["text"]), None)
    return to_json({name: explored[name] for name in PAGE_FIELDS})


def _replay(request: Request) -> str:
    session = GameSession.replay([from_log_row(row) for row in request["log"]])
    saved = checkpoint_adapter.dump_python(checkpoint.save(session), mode="json")
    moves = [
        {**asdict(move), "state": base64.b64encode(move.state).decode()}
        for move in checkpoint.saved_moves(session)
    ]
    return to_json({"checkpoint": saved, "moves": moves, "chat": list(session.chat)})


JOBS: dict[str, Callable[[Request], str]] = {
    "explain": _explain,
    "explore": _explore,
    "position": _position,
    "preview": _preview,
    "record": _record,
    "record_page": _record_page,
    "replay": _replay,
    "rules": lambda request: rules_html(request["game"]),
    "thumbnail": lambda request: thumbnail(request["game"]),
}


def read_response(response: bytes) -> bytes:
    """Return the body of a response; raise the `ApiError` that it holds."""
    head, _, body = response.partition(b"\n")
    error = from_json(head).get("error")
    if error is not None:
        raise ApiError(error["code"], error["message"], error.get("allowed"))
    return body
