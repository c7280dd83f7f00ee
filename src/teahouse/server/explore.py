"""Games looked at without a table: variations, uploaded records, examples."""

from __future__ import annotations

from typing import Any

from teahouse.core.errors import IllegalMove, RecordError
from teahouse.core.record import Record
from teahouse.server import messages as ms
from teahouse.server.errors import Refused
from teahouse.server.registry import checked_setup
from teahouse.server.room import with_view
from teahouse.server.snapshots import told, view


def record_of(wanted: ms.Explore) -> Record:
    """The record that a request describes, if it can be played."""
    if (wanted.record is None) == (wanted.game is None):
        raise Refused("invalid", "either a game or a record is to be given", ["game", "record"])
    if wanted.record is not None:
        if wanted.moves or wanted.options or wanted.start is not None or wanted.seed is not None:
            raise Refused("invalid", "beside a record only ply can be given", ["record", "ply"])
        return parsed(wanted.record)
    assert wanted.game is not None
    game, start = checked_setup(wanted.game, dict(wanted.options), wanted.start)
    if start is None:
        record = Record.new(game, wanted.seed or 0)
    else:
        record = Record(game, game.position(start))
    for ply, move in enumerate(wanted.moves):
        try:
            record.play(move)
        except IllegalMove as error:
            raise Refused("illegal", f"move {ply + 1}: {error}", record.position.legal) from None
    return record


def parsed(text: str) -> Record:
    """A record from outside."""
    try:
        record = Record.parse(text)
    except RecordError as error:
        raise Refused("invalid", str(error)) from None
    if len(record.moves) > ms.MAX_MOVES:
        raise Refused("large", f"a record has at most {ms.MAX_MOVES} moves here")
    return record


def chosen_ply(record: Record, ply: int | None) -> int:
    """The ply that a request names, or the last one."""
    last = len(record.moves)
    if ply is not None and ply > last:
        raise Refused("invalid", f"ply is from 0 to {last} here, not {ply}")
    return last if ply is None else ply


def explored(record: Record, ply: int | None) -> str:
    """A record, and the view of one of its positions, as JSON."""
    shown = chosen_ply(record, ply)
    positions = record.positions
    moves = [told(position, move) for position, move in zip(positions, record.moves, strict=False)]
    body: dict[str, Any] = {
        "game": record.game.name,
        "title": record.game.title,
        "options": record.game.options,
        "seed": record.seed,
        "players": record.game.players,
        "teams": record.game.teams,
        "start": str(positions[0]),
        "names": record.names,
        "tags": record.tags,
        "comments": record.comments,
        "result": record.result,
        "moves": [move.listed() for move in moves],
        "ply": shown,
        "record": record.text(),
    }
    last = (positions[shown - 1], record.moves[shown - 1]) if shown else None
    return with_view(body, view(positions[shown], shown, last))
