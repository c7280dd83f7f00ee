"""Who plays whom, where each sits, and how the game begins.

A bout is one start and one short random opening, played once with every seating of two entrants in
which both take part: twice between two sides, with sides exchanged; six times among three.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import advance, bounded, game_seed, generator


@dataclass(frozen=True)
class Fixture:
    """A game to be played. Its seeds follow from the match's seed and its number alone."""

    number: int
    bout: int
    pair: tuple[int, int]
    """The two entrants, by their numbers."""
    sides: tuple[int, ...]
    """The entrant that plays each side; all seats of a team have the same one."""
    start_seed: int
    """For the setup and the opening: the same in the whole bout, whoever plays."""
    seed: int
    """For the players' choices."""


def pairs(entrants: int, gauntlet: bool) -> list[tuple[int, int]]:
    """Everybody against everybody, or the first against each of the others."""
    if gauntlet:
        return [(0, other) for other in range(1, entrants)]
    return list(combinations(range(entrants), 2))


def seatings(game: Game, pair: tuple[int, int]) -> list[tuple[int, ...]]:
    """Every way to share the sides out between two entrants so that both have one."""
    return [sides for sides in product(pair, repeat=len(game.teams)) if len(set(sides)) == 2]


def schedule(game: Game, entrants: int, gauntlet: bool, bouts: int, seed: int) -> Iterator[Fixture]:
    """Every game of a match, bout after bout, so that an unfinished match is balanced too."""
    number = 0
    for bout in range(bouts):
        for pair in pairs(entrants, gauntlet):
            for sides in seatings(game, pair):
                yield Fixture(
                    number,
                    bout,
                    pair,
                    sides,
                    start_seed=game_seed(seed, 2 * bout),
                    seed=game_seed(seed, 2 * number + 1),
                )
                number += 1


def opening(start: Position, decisions: int, seed: int) -> list[str]:
    """So many random moves, or fewer if the next one would end the game."""
    position = start
    random = generator(seed)
    moves: list[str] = []
    for _ in range(decisions):
        random = advance(random)
        move = position.legal[bounded(random, len(position.legal))]
        position = position.play(move)
        if position.over:
            break
        moves.append(move)
    return moves
