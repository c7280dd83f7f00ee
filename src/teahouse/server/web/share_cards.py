"""Open Graph images for link previews, rendered in the job worker."""

from __future__ import annotations

import base64
from typing import Any

from teahouse.core.catalog import games, load, load_untrusted
from teahouse.core.errors import OptionError
from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.core.result import result_sentence
from teahouse.draw.card import WIDTH, CardBoard, card
from teahouse.draw.raster import png
from teahouse.search.levels import player_text
from teahouse.server.study.explore import parse_record
from teahouse.server.web.errors import ApiError
from teahouse.server.web.thumbnails import middle_position

SITE = "Teahouse"
SLOGAN = "Board games to learn, to play and to understand."


def draw_card(request: dict[str, Any]) -> str:
    """Return the PNG that a request describes, in base64; raise `ApiError` without libraries."""
    try:
        picture = png(_CARDS[request["card"]](request), WIDTH)
    except OptionError as error:
        raise ApiError("not_found", str(error)) from None
    return base64.b64encode(picture).decode()


def _site(_: dict[str, Any]) -> str:
    return card([CardBoard(middle_position(name)) for name in games()[:4]], SITE, [SLOGAN])


def _game(request: dict[str, Any]) -> str:
    game = load(request["game"])
    return card([CardBoard(middle_position(game.name))], game.title, [game.summary], SITE)


def _record(request: dict[str, Any]) -> str:
    record = parse_record(request["text"])
    lines = [" – ".join(record_names(record)), record_outcome(record)]
    return card([_last(record)], record.game.title, lines, SITE)


def _position(request: dict[str, Any]) -> str:
    game = load_untrusted(request["game"], request["options"])
    position = Position(game, base64.b64decode(request["state"]), request["ply"])
    return card([CardBoard(position)], request["title"], request["lines"], SITE)


_CARDS = {"site": _site, "game": _game, "record": _record, "position": _position}


def record_names(record: Record) -> list[str]:
    """Return the players of a record by name, else by their side."""
    return [player_text(record.names.get(side, side)) for side in record.game.players]


def record_outcome(record: Record) -> str:
    """Return the result of a record as a sentence, or how far it goes."""
    position = record.position
    if position.over:
        return result_sentence(record.game, position.winners, position.scene.reason)
    if record.result in ("*", ""):
        return f"{len(record.moves)} moves"
    return "Draw" if record.result == "draw" else f"{record.result.replace('+', ' and ')} won"


def _last(record: Record) -> CardBoard:
    positions = record.positions
    last = (positions[-2], record.moves[-1]) if record.moves else None
    return CardBoard(positions[-1], last)
