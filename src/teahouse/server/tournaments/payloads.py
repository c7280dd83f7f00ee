"""JSON bodies of tournaments, as objects. Everybody gets the same; nothing in them is secret."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Protocol

from teahouse.core.catalog import load_untrusted
from teahouse.core.errors import OptionError
from teahouse.core.options import option_texts
from teahouse.server.tournaments import director
from teahouse.server.tournaments.events import Cancelled
from teahouse.server.tournaments.standings import TIE_BREAKS, Standing, standings
from teahouse.server.tournaments.state import Game, Round, Tournament

LAST_GAMES = 20
"""Games of an arena that are over and still shown."""
WINNERS = 3
CANCELLED: dict[str, str] = {
    "creator": "Its creator cancelled the tournament.",
    "too_few": "The tournament was cancelled: too few players had joined.",
    "operator": "An operator cancelled the tournament.",
}


class Listener(Protocol):
    """A client that follows a tournament."""

    def send(self, message: str) -> None:
        """Queue a message."""


def summary(tournament: Tournament) -> dict[str, Any]:
    """Return what lists show of a tournament."""
    rules = tournament.rules
    took_part = standings(tournament) if tournament.over else []
    best = took_part[:WINNERS] if tournament.status == "finished" else []
    return {
        **_fixed(tournament),
        "round": len(tournament.rounds),
        "round_count": tournament.round_count,
        "players": len(took_part) if tournament.over else len(tournament.active),
        "started": tournament.started,
        "ended": tournament.ended,
        "ends": tournament.ends,
        "bot_level": rules.bot_level,
        "winners": [{**_player(tournament, line.player), "rank": line.rank} for line in best],
    }


def _fixed(tournament: Tournament) -> dict[str, Any]:
    """Return what never changes."""
    rules = tournament.rules
    return {
        "name": rules.name,
        "game": rules.game,
        "title": _title(rules.game, rules.options),
        "options": rules.options,
        "time_control": asdict(rules.time_control),
        "format": rules.format,
        "rounds": rules.rounds,
        "minutes": rules.minutes,
        "streaks": rules.streaks,
        "starts_at": rules.starts_at,
        "starts_with": rules.starts_with,
        "max_players": rules.max_players,
        "rated": rules.rated,
        "private": rules.private,
        "password": rules.password,
        "bots": rules.bot_level and {"level": rules.bot_level, "players": rules.bots_to},
        "creator": tournament.opened.creator_name,
        "created": tournament.created,
    }


def _title(game: str, options: dict[str, Any]) -> str:
    try:
        return load_untrusted(game, option_texts(options)).title
    except OptionError:  # the game is not installed any more
        return game


def _player(tournament: Tournament, number: int) -> dict[str, Any]:
    player = tournament.players[number]
    return {
        "player": number,
        "name": player.name,
        "kind": player.kind,
        "account": player.account,
        "level": player.level,
        "rating": None if player.rating is None else round(player.rating),
    }


def body(tournament: Tournament) -> dict[str, Any]:
    """Return all that a page shows, except earlier rounds and the time."""
    lines = standings(tournament)
    step = director.due(tournament)
    starting = step is not None and step[0] == "start"
    pairing = step is not None and step[0] == "pair" and tournament.rules.format != "arena"
    return {
        "seq": tournament.seq,
        "tournament": {
            "id": tournament.id,
            "creator_account": tournament.opened.creator or None,
            **_fixed(tournament),
        },
        "state": {
            "status": tournament.status,
            "message": _message(tournament.cancelled),
            "starts": step[1] if step and starting else None,
            "next_round": step[1] if step and pairing else None,
            "started": tournament.started,
            "ends": tournament.ends,
            "ended": tournament.ended,
            "round": len(tournament.rounds),
            "round_count": tournament.round_count,
            "open": director.may_join(tournament) is None,
            "closed_because": director.may_join(tournament),
        },
        "tie_breaks": [asdict(one) for one in TIE_BREAKS[tournament.rules.format]],
        "standings": [_line(tournament, line) for line in lines],
        "games": current_games(tournament),
        "byes": list(tournament.rounds[-1].byes) if tournament.rounds else [],
        "walkovers": list(tournament.rounds[-1].walkovers) if tournament.rounds else [],
    }


def _message(cancelled: Cancelled | None) -> str | None:
    return None if cancelled is None else CANCELLED[cancelled.reason]


def _line(tournament: Tournament, line: Standing) -> dict[str, Any]:
    withdrawn = tournament.players[line.player].withdrawn
    return {
        "rank": line.rank,
        **_player(tournament, line.player),
        "score": line.score,
        "ties": list(line.ties.values()),
        "games": len(line.games),
        "wins": line.wins,
        "draws": line.draws,
        "streak": line.streak,
        "playing": line.playing,
        "withdrawn": withdrawn and withdrawn.reason,
    }


def current_games(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the games of the current round; in an arena those being played, and the latest."""
    if tournament.rules.format != "arena":
        return round_body(tournament.rounds[-1])["games"] if tournament.rounds else []
    over = [game for game in tournament.games if game.result is not None]
    return [_game(game) for game in [*tournament.unfinished_games(), *over[: -LAST_GAMES - 1 : -1]]]


def round_body(played: Round) -> dict[str, Any]:
    """Return a round with the results of its games."""
    return {
        "round": played.number,
        "games": [_game(game) for game in played.games],
        "byes": list(played.byes),
        "walkovers": list(played.walkovers),
    }


def _game(game: Game) -> dict[str, Any]:
    return {
        "table": game.table,
        "round": game.round,
        "seats": list(game.seats),
        "points": game.points,
        "absent": [] if game.result is None else list(game.result.absent),
    }


def player_games(tournament: Tournament, number: int) -> list[dict[str, Any]]:
    """Return the games of a player, the latest first."""
    played = [game for game in tournament.games if number in game.seats]
    return [_game(game) for game in reversed(played)]
