"""Games selected for replay: a typical one, and the most dramatic one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median, pstdev

from teahouse.core.game import Game
from teahouse.core.record import Record
from teahouse.lab import story
from teahouse.lab.games import PlayedGame
from teahouse.lab.measures import side_name


@dataclass(frozen=True)
class NotedGame:
    """A game of a sample to replay."""

    kind: str
    """`typical` or `dramatic`."""
    reason: str
    """Why it was selected, as a sentence."""
    record: Record
    """The game."""
    chances: tuple[tuple[float, ...], ...]
    """Winning chance of each side in every position."""


def noted_games(game: Game, games: Sequence[PlayedGame]) -> tuple[NotedGame, ...]:
    """Return the typical and the most dramatic of the evaluated games that were won."""
    won = [one for one in games if one.chances and one.winner is not None]
    if not won:
        return ()
    return tuple(_noted(game, won))


def _noted(game: Game, won: Sequence[PlayedGame]) -> Iterator[NotedGame]:
    lengths = [float(len(one.moves)) for one in won]
    settled = [story.settled(one) or 0.0 for one in won]
    changes = [story.lead_changes(one) or 0.0 for one in won]
    dramas = [story.drama(one) or 0.0 for one in won]
    features = (lengths, settled, changes, dramas)
    distances = [
        sum(abs(values[index] - median(values)) / (pstdev(values) or 1) for values in features)
        for index in range(len(won))
    ]
    index = min(range(len(won)), key=lambda index: (distances[index], index))
    yield _game(
        game,
        won[index],
        "typical",
        f"{lengths[index]:.0f} plies (median {median(lengths):.0f}), decided after "
        f"{100 * settled[index]:.0f} % of the game (median {100 * median(settled):.0f} %).",
    )
    excitement = [
        sum(values[index] / (pstdev(values) or 1) for values in (settled, changes, dramas))
        for index in range(len(won))
    ]
    index = max(range(len(won)), key=lambda index: (excitement[index], -index))
    best = won[index]
    winner = best.winner or 0
    lowest = min(now[winner] for now in story.smoothed_chances(best))
    times = {1: "once", 2: "twice"}.get(int(changes[index]), f"{changes[index]:.0f} times")
    lead = f" The lead changed {times}." if changes[index] else ""
    yield _game(
        game,
        best,
        "dramatic",
        f"{side_name(game, winner)} won after having had winning chances of "
        f"{100 * lowest:.0f} %.{lead}",
    )


def _game(game: Game, one: PlayedGame, kind: str, reason: str) -> NotedGame:
    return NotedGame(kind, reason, one.record(game), tuple(story.smoothed_chances(one)))
