"""Games without a table: variations, uploaded records, examples in the rules."""

from __future__ import annotations

from typing import Any

from teahouse.core.errors import IllegalMove, RecordError
from teahouse.core.game import game_info
from teahouse.core.options import TextOption
from teahouse.core.record import Record
from teahouse.search.levels import player_text
from teahouse.server.tables.setup import load_setup
from teahouse.server.tables.snapshots import played_move, snapshot
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError


def requested_record(request: ms.ExploreIn) -> Record:
    """Return the record that a request describes, if its moves are legal."""
    if (request.record is None) == (request.game is None):
        raise ApiError("invalid", "Give either a game or a record.", ["game", "record"])
    if request.record is not None:
        if (
            request.moves
            or request.options
            or request.start is not None
            or request.seed is not None
        ):
            raise ApiError("invalid", "With a record only ply may be given.", ["record", "ply"])
        return parse_record(request.record)
    assert request.game is not None
    game, start = load_setup(request.game, request.options, request.start)
    if start is None:
        record = Record.new(game, request.seed or 0)
    else:
        record = Record(game, game.position(start))
    for ply, move in enumerate(request.moves):
        try:
            record.play(move)
        except IllegalMove as error:
            legal = record.position.legal
            raise ApiError("illegal_move", f"Move {ply + 1}: {error}", legal) from None
    return record


def parse_record(text: str) -> Record:
    """Return an uploaded record, or raise `ApiError`."""
    record, error = parse_prefix(text)
    if error is not None:
        raise ApiError("invalid", str(error))
    return record


def parse_prefix(text: str) -> tuple[Record, RecordError | None]:
    """Return the good part of an uploaded record, and what is wrong after it.

    Raise `ApiError` if there is no good part.
    """
    try:
        return Record.parse_prefix(text, max_moves=ms.MAX_MOVES)
    except RecordError as error:
        raise ApiError("invalid", str(error)) from None


def is_set_up(record: Record) -> bool:
    """Return whether a record begins elsewhere than its game, or where a drawing has it begin."""
    game = record.game
    drawn = any(
        isinstance(kind, TextOption)
        and kind.drawing
        and game.all_options[name] not in kind.examples
        for name, kind in game_info(game.name).options.items()
    )
    return drawn or record.positions[0].state != game.start(record.seed or 0).state


def explore_request(request: ms.ExploreIn) -> dict[str, Any]:
    """Return the record that a request describes and the snapshot of one of its positions.

    With `partial`, a record whose moves break off is shown as far as they are legal.
    """
    if request.record is None or not request.partial:
        return explore(requested_record(request), request.ply)
    record, error = parse_prefix(request.record)
    explored = explore(record, request.ply)
    if error is not None:
        explored["broken"] = {
            "line": error.line,
            "ply": len(record.moves) + 1,
            "reason": error.reason,
        }
    return explored


def requested_ply(record: Record, ply: int | None) -> int:
    """Return the requested ply, by default the last one."""
    last = len(record.moves)
    if ply is not None and ply > last:
        raise ApiError("invalid", f"ply must be from 0 to {last}, not {ply}.")
    return last if ply is None else ply


def explore(record: Record, requested: int | None) -> dict[str, Any]:
    """Return a record and the snapshot of one of its positions."""
    ply = requested_ply(record, requested)
    positions = record.positions
    last = (positions[ply - 1], record.moves[ply - 1]) if ply else None
    return {
        "game": record.game.name,
        "title": record.game.title,
        "options": record.game.options,
        "seed": record.seed,
        "players": record.game.players,
        "teams": record.game.teams,
        "start": str(positions[0]),
        "names": {seat: player_text(name) for seat, name in record.names.items()},
        "tags": record.tags,
        "comments": {str(number): text for number, text in record.comments.items()},
        "result": record.result,
        "moves": [
            played_move(position, move)
            for position, move in zip(positions, record.moves, strict=False)
        ],
        "ply": ply,
        "broken": None,
        "record": record.text(),
        "snapshot": snapshot(positions[ply], ply, last),
    }
