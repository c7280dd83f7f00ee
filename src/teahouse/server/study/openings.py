"""How moves of an opening were played and scored. No I/O: `opening_routes.py` serves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

from teahouse.core.catalog import load_untrusted
from teahouse.core.errors import IllegalMove, OptionError
from teahouse.core.game import Game
from teahouse.core.options import format_options, option_texts
from teahouse.search.levels import player_text
from teahouse.search.openings import (
    PLIES,
    MoveResults,
    after_moves,
    bots_moves,
    bots_tables,
    opening_key,
    played_moves,
    sort_moves,
)
from teahouse.server.study.explanations import PositionIn
from teahouse.server.tables.setup import load_position
from teahouse.server.workers.ipc import position_fields

MAX_LEGAL_MOVES = 500
"""A position with more moves is not looked up; openings have far fewer."""
MAX_OPTIONS = 64


class OpeningsIn(PositionIn):
    """A position whose moves are looked up."""


def look_up(request: OpeningsIn) -> dict[str, Any]:
    """Return a position's key, its moves by the key of the position after them, and bots' results.

    There is no key if the position is beyond the opening.
    """
    position = load_position(request.game, request.options, request.position)
    game = position.game
    known = position.ply < PLIES and len(position.legal) <= MAX_LEGAL_MOVES and not position.over
    table = bots_tables(game.name).get(game)
    side, sides = game.side(position.player), len(game.teams)
    after = after_moves(position) if known else {}
    moves = bots_moves(position) if known else {}
    return {
        "position": position_fields(position),
        "key": opening_key(position) if known else None,
        "options_key": options_key(game),
        "side": side,
        "sides": [[game.players[player] for player in team] for team in game.teams],
        "after": after,
        "texts": {names[0]: position.describe(names[0], "imperative") for names in after.values()},
        "bots": {
            "games": table.games if table else 0,
            "players": [player_text(name) for name in table.players.split(", ")] if table else [],
            "moves": [asdict(one) for one in sort_moves(after, moves, side, sides)],
        },
    }


def options_key(game: Game) -> str:
    """Return a short text for the options of a game: themselves, or a hash if they are long."""
    text = format_options(game.options)
    return text if len(text) <= MAX_OPTIONS else blake2b(text.encode(), digest_size=16).hexdigest()


def response(found: Mapping[str, Any], played: Mapping[str, MoveResults]) -> dict[str, Any]:
    """Return what a client is answered: the moves of bots and of the games on this server."""
    own = sort_moves(found["after"], played, found["side"], len(found["sides"]))
    sources = {
        "bots": found["bots"],
        "server": {
            "games": sum(move.games for move in own),
            "moves": [asdict(move) for move in own],
        },
    }
    for source in sources.values():
        for move in source["moves"]:
            move["description"] = found["texts"][move["move"]]
    return {
        "known": found["key"] is not None,
        "plies": PLIES,
        "side": found["side"],
        "sides": found["sides"],
        **sources,
    }


def finished_game(
    name: str, options: Mapping[str, Any], seed: int | None, moves: Sequence[str], result: str
) -> dict[str, Any]:
    """Return the opening moves of a finished game, to be counted; none if it cannot be replayed."""
    try:
        game = load_untrusted(name, option_texts(options))
        positions = [game.start(seed or 0)]
        for move in moves[:PLIES]:
            positions.append(positions[-1].play(move))
    except (OptionError, IllegalMove):  # of another version of the game, or not installed any more
        return {"options_key": "", "moves": []}
    return {"options_key": options_key(game), "moves": list(played_moves(positions, result))}
