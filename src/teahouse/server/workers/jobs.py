"""Jobs of a worker process: all work whose cost grows with uploaded records and texts.

A response is a line of JSON, which holds an error of the request if there was one, and a body.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from teahouse.core.canonical import canonical_key, state_key
from teahouse.core.catalog import load_untrusted
from teahouse.core.options import option_texts
from teahouse.core.position import Position
from teahouse.lab.stored import find_report
from teahouse.server.study.explanations import ExplainIn, PreviewIn, explanation, previewed
from teahouse.server.study.explore import (
    explore,
    explore_request,
    is_set_up,
    parse_record,
    requested_ply,
    requested_record,
)
from teahouse.server.study.lessons import CoachIn, coaching, lesson_outline, lesson_step
from teahouse.server.study.openings import OpeningsIn, finished_game, look_up
from teahouse.server.study.position_editor import EditIn, edit
from teahouse.server.study.puzzles import answer, hinted, puzzle_to_solve, shown_solution
from teahouse.server.study.studies import StudyIn, describe_study, readable_study
from teahouse.server.tables.event_json import checkpoint_adapter, from_log_row
from teahouse.server.tournaments import swiss
from teahouse.server.tournaments.seating import Entrant
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.server.web.readable import clean, unreadable_because
from teahouse.server.web.rules_page import rules_html
from teahouse.server.web.share_cards import draw_card
from teahouse.server.web.thumbnails import small_board, thumbnail
from teahouse.server.web.wire import from_json, to_json
from teahouse.server.workers.ipc import position_fields
from teahouse.session import checkpoint
from teahouse.session.conditional import normalized_lines
from teahouse.session.errors import CommandError
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
    return to_json(explore_request(body))


def _explain(request: Request) -> str:
    return to_json(explanation(ExplainIn.model_validate(request["body"])))


def _preview(request: Request) -> str:
    return to_json(previewed(PreviewIn.model_validate(request["body"])))


def _coach(request: Request) -> str:
    return to_json(coaching(CoachIn.model_validate(request["body"])))


def _lab_report(request: Request) -> str:
    """Return the stored report of a game as HTML."""
    from teahouse.lab.page import report_fragment  # slow to import, and few servers have reports

    stored = find_report(load_untrusted(request["game"], request["options"]))
    if stored is None:
        raise ApiError("not_found", "There is no report on this game with these options.")
    try:
        return report_fragment(stored.read())
    except (OSError, ValueError) as error:
        raise ApiError("internal", f"{stored.file.name} cannot be read: {error}") from None


def _lesson_step(request: Request) -> str:
    return to_json(lesson_step(request["game"], request["number"]))


def _puzzle(request: Request) -> str:
    return to_json(puzzle_to_solve(request["game"], request["number"]))


def _puzzle_answer(request: Request) -> str:
    return to_json(answer(request["game"], request["number"], request["moves"]))


def _puzzle_hint(request: Request) -> str:
    return to_json(hinted(request["game"], request["number"], request["moves"]))


def _puzzle_solution(request: Request) -> str:
    return to_json(shown_solution(request["game"], request["number"]))


def _pair_swiss(request: Request) -> str:
    """Return the pairs of a Swiss round, and who has the bye."""
    standings = [
        Entrant(**{**one, "opponents": tuple(one["opponents"]), "seats": tuple(one["seats"])})
        for one in request["standings"]
    ]
    pairs, bye = swiss.pair(standings)
    return to_json({"pairs": pairs, "bye": bye})


def _position(request: Request) -> str:
    """Return the position that a request describes, with its ply in the record."""
    body = ms.ExploreIn.model_validate(request["body"])
    record = requested_record(body)
    ply = requested_ply(record, body.ply)
    return to_json({"record_ply": ply, **position_fields(record.positions[ply])})


def _study(request: Request) -> str:
    study = readable_study(StudyIn.model_validate_json(request["body"]))
    return to_json(describe_study(study))


def _study_to_store(request: Request) -> str:
    """Return the text of a study that may be stored."""
    study = readable_study(StudyIn.model_validate_json(request["body"]))
    describe_study(study)
    return study.model_dump_json()


def _conditional(request: Request) -> str:
    """Return lines of conditional moves in exact notation; raise `ApiError` if they are illegal."""
    game = load_untrusted(request["game"], request["options"])
    position = Position(game, base64.b64decode(request["state"]), request["ply"])
    try:
        return to_json(normalized_lines(position, request["seat"], request["lines"]))
    except CommandError as error:
        raise ApiError.from_command(error) from None


def _edit(request: Request) -> str:
    return to_json(edit(EditIn.model_validate(request["body"])))


def _position_keys(request: Request) -> str:
    """Return keys of some positions and their images, and of others keys of those a move later."""
    game = load_untrusted(request["game"], request["options"])
    mirrored, current = (
        [Position(game, base64.b64decode(state), 0) for state in request[name]]
        for name in ("mirrored", "current")
    )
    return to_json(
        {
            "images": [[canonical_key(position), _text_key(position)] for position in mirrored],
            "next": [
                [_text_key(position.play(move)) for move in position.legal] for position in current
            ],
        }
    )


def _text_key(position: Position) -> str:
    """Return a key of a position that its number of moves and most options do not change."""
    return state_key(str(Position(position.game, position.state, 0)).encode())


def _openings(request: Request) -> str:
    return to_json(look_up(OpeningsIn.model_validate(request["body"])))


def _finished_game(request: Request) -> str:
    names = ("game", "options", "seed", "moves", "result")
    return to_json(finished_game(*(request[name] for name in names)))


def _record(request: Request) -> str:
    """Return the canonical text of a record that others may read."""
    record = parse_record(request["text"])
    for whose, text in {**record.names, **record.tags}.items():
        kind = unreadable_because(clean(text))
        if kind:
            message = f"{whose} in this record has {kind} characters. Please remove them."
            raise ApiError("invalid", message)
    for player, name in record.names.items():
        if len(name) > ms.MAX_NAME:
            message = f"The name of {player} is too long (limit {ms.MAX_NAME} characters)."
            raise ApiError("invalid", message)
    return record.text()


def _record_positions(request: Request) -> str:
    """Return the states and the moves of a record."""
    record = parse_record(request["text"])
    states = [base64.b64encode(position.state).decode() for position in record.positions]
    return to_json(
        {
            "game": record.game.name,
            "options": option_texts(record.game.options),
            "ply": record.positions[0].ply,
            "states": states,
            "moves": record.moves,
            "set_up": is_set_up(record),
        }
    )


def _record_ply(request: Request) -> str:
    return to_json(explore(parse_record(request["text"]), request["ply"])["snapshot"])


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
    "study": _study,
    "study_to_store": _study_to_store,
    "coach": _coach,
    "conditional": _conditional,
    "edit": _edit,
    "explain": _explain,
    "explore": _explore,
    "finished_game": _finished_game,
    "lab_report": _lab_report,
    "lesson": lambda request: to_json(lesson_outline(request["game"])),
    "lesson_step": _lesson_step,
    "openings": _openings,
    "picture": draw_card,
    "pair_swiss": _pair_swiss,
    "position": _position,
    "position_keys": _position_keys,
    "preview": _preview,
    "puzzle": _puzzle,
    "puzzle_answer": _puzzle_answer,
    "puzzle_hint": _puzzle_hint,
    "puzzle_solution": _puzzle_solution,
    "record": _record,
    "record_page": _record_page,
    "record_ply": _record_ply,
    "record_positions": _record_positions,
    "replay": _replay,
    "rules": lambda request: rules_html(request["game"]),
    "small_board": small_board,
    "thumbnail": lambda request: thumbnail(request["game"]),
}


def read_response(response: bytes) -> bytes:
    """Return the body of a response; raise the `ApiError` that it holds."""
    head, _, body = response.partition(b"\n")
    error = from_json(head).get("error")
    if error is not None:
        raise ApiError(error["code"], error["message"], error.get("allowed"))
    return body
