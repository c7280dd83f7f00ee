"""Sentences about a game and an analysis, as players read them."""

from __future__ import annotations

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.scene import lower_first
from teahouse.search.result import AnalysedMove, Analysis
from teahouse.session.result import result_text
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.saved_games import TERMINATION
from teahouse.terminal.seats import seat_label


def players_text(local_game: LocalGame, ratings: bool = False) -> str:
    """Return who plays each seat."""
    game = local_game.game if ratings else None
    return ", ".join(f"{name}: {_player(local_game, name, game)}" for name in local_game.seats)


def player_to_move(local_game: LocalGame) -> str:
    """Return the seat to move and who plays it."""
    name = local_game.seat_to_move
    return f"{name} ({_player(local_game, name)})"


def _player(local_game: LocalGame, seat: str, game: Game | None = None) -> str:
    return local_game.engine_name(seat) or seat_label(local_game.seats[seat], game)


def status_text(local_game: LocalGame) -> str:
    """Return what the player to move has to do, or the result with its reason."""
    session = local_game.session
    result = result_text(session)
    if result is not None:
        result = _for_winner(local_game, result)
        reason = local_game.record.tags.get(TERMINATION)
        read = session.ended is not None and session.ended.seat is None  # from a record
        return f"{reason} {result}" if read and reason else result
    position = local_game.position
    if local_game.people == [position.player]:
        return f"Your turn: {lower_first(position.scene.prompt)}"
    return position.status


def _for_winner(local_game: LocalGame, result: str) -> str:
    """Address the only person among the players if they have won."""
    session = local_game.session
    if len(local_game.people) != 1 or local_game.people[0] not in session.winners:
        return result
    names = " and ".join(session.game.players[seat] for seat in session.winners)
    if len(session.winners) > 1:
        return result.replace(f"{names} win", "Your team wins", 1)
    return result.replace(f"{names} wins", "You win", 1)


def value_text(found: AnalysedMove) -> str:
    """Return a move's expected score in per cent."""
    return f"{found.value:.1%}"


def progress_text(analysis: Analysis) -> str:
    """Return a running search in a few words."""
    return f"{analysis.best} {analysis.value:.0%}, {analysis.simulations:,} simulations"


def analysis_lines(analysis: Analysis, count: int = 8) -> str:
    """Return the best moves and their values, a line each, for a narrow column."""
    lines = [f"{analysis.simulations:,} simulations"]
    if every_move_loses(analysis):
        lines.append("Every move loses.")
    for found in analysis.moves[:count]:
        lines.append(f"{found.move:<12} {value_text(found):>6} {found.proof or ''}".rstrip())
    if analysis.line[1:]:
        lines += ["Expected continuation:", " ".join(analysis.line[1:4])]
    return "\n".join(lines)


def every_move_loses(analysis: Analysis) -> bool:
    """Return whether every move is a proven loss."""
    return all(found.proof == "loss" for found in analysis.moves)


def board_in_words(position: Position, place: str = "") -> str:
    """Return a sentence for every spot that is not empty, or for the spots that `place` names."""
    scene = position.scene
    if place:
        named = [spot for spot in scene.spots if spot.name.lower().startswith(place.lower())]
        return "\n".join(spot.label for spot in named) or f"Unknown place {place!r}."
    spots = [spot for spot in scene.spots if spot.pieces or spot.marks or spot.owner is not None]
    return "\n".join([*(spot.label for spot in spots), *(hand.label for hand in scene.hands)])
