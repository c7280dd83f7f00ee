"""Openings: the first turns of a game up to symmetry, and how they score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.lab.figures import percentage_estimate
from teahouse.lab.games import PlayedGame
from teahouse.search.openings import opening_key

MAX_LINES = 2000
"""First turns that are looked at."""
MAX_OPENINGS = 40
MAX_TURNS = 3


@dataclass(frozen=True)
class Opening:
    """The first moves of a game, one of those that lead to the same position or a mirror image."""

    moves: tuple[str, ...]
    key: str
    images: int


@dataclass(frozen=True)
class OpeningScore:
    """A first turn, with its mirror images, and how the side that plays it scored."""

    moves: tuple[str, ...]
    """The first turn, one of its mirror images."""
    description: str
    """The moves in words."""
    images: int
    """First turns that lead to the same position or to its mirror images."""
    count: int
    """Games that began with it."""
    value: float
    """Score of the first side in %, a draw shared."""
    low: float
    """Lower bound of the 95 % interval."""
    high: float
    """Upper bound of the 95 % interval."""


def openings(game: Game) -> tuple[Opening, ...]:
    """Return the different first turns; of more turns, if all first ones are mirror images.

    Of more than `MAX_OPENINGS`, those with the most images are left out last.
    """
    lines: list[tuple[tuple[str, ...], Position]] = [((), game.start())]
    found: dict[str, list[tuple[str, ...]]] = {}
    for _ in range(MAX_TURNS):
        lines = _extended(lines)
        found = {}
        for moves, position in lines:
            found.setdefault(opening_key(position), []).append(moves)
        if len(found) > 1 or not lines or len(lines) >= MAX_LINES:
            break
    ranked = sorted(found.items(), key=lambda item: -len(item[1]))[:MAX_OPENINGS]
    return tuple(Opening(lines[0], key, len(lines)) for key, lines in ranked)


def _extended(
    lines: Sequence[tuple[tuple[str, ...], Position]],
) -> list[tuple[tuple[str, ...], Position]]:
    """Return every line with one more turn, as many as `MAX_LINES`."""
    found: list[tuple[tuple[str, ...], Position]] = []
    for moves, start in lines:
        turn = start.player
        waiting = [(moves, start)] if not start.over else []
        while waiting and len(found) < MAX_LINES:
            before, position = waiting.pop()
            for move in position.legal:
                after = position.play(move)
                line = (*before, move)
                if after.over or after.player != turn:
                    found.append((line, after))
                else:
                    waiting.append((line, after))
    return found


def opening_scores(
    game: Game, found: Sequence[Opening], games: Sequence[PlayedGame]
) -> tuple[OpeningScore, ...]:
    """Return how the side to move first scored after each opening, by lower bound of the score."""
    first = game.side(game.start().player)
    points: dict[str, list[float]] = {opening.key: [] for opening in found}
    plies = {len(opening.moves) for opening in found}
    for one in games:
        position = game.start(one.seed)
        for ply, move in enumerate(one.moves[: max(plies, default=0)], 1):
            position = position.play(move)
            key = opening_key(position) if ply in plies else ""
            if key in points and one.ended:
                drawn = 1 / len(game.teams)
                points[key].append(drawn if one.winner is None else float(one.winner == first))
                break
    scores = []
    for opening in found:
        values = points[opening.key]
        if values:
            share = percentage_estimate(values)
            scores.append(
                OpeningScore(
                    opening.moves,
                    _described(game.start(), opening.moves),
                    opening.images,
                    len(values),
                    share.value,
                    share.low,
                    share.high,
                )
            )
    return tuple(sorted(scores, key=lambda score: (-score.low, -score.value, score.moves)))


def _described(position: Position, moves: Sequence[str]) -> str:
    """Return moves in words."""
    words = []
    for move in moves:
        words.append(position.describe(move))
        position = position.play(move)
    return "; ".join(words)
