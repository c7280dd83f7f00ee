"""The schedule of a match: pairings, seatings and openings.

A round is one start position and one short random opening, played by each pair of players once with
every seating in which both take part: a game pair with sides swapped between two sides, six games
among three.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import advance, bounded, game_seed, generator


@dataclass(frozen=True)
class Pairing:
    """A game to be played. Its seeds depend on the match's seed and its number alone."""

    number: int
    round: int
    pair: tuple[int, int]
    """The indices of the two players."""
    seating: tuple[int, ...]
    """The index of the player of each side; all seats of a team have the same one."""
    opening_seed: int
    """For the setup and the opening: the same for all games of the round."""
    seed: int
    """For the players' moves."""


def pairs(players: int, gauntlet: bool) -> list[tuple[int, int]]:
    """Return the pairs of a round robin, or of a gauntlet: the first against each other player."""
    if gauntlet:
        return [(0, other) for other in range(1, players)]
    return list(combinations(range(players), 2))


def seatings(game: Game, pair: tuple[int, int]) -> list[tuple[int, ...]]:
    """Return every assignment of two players to the sides in which both take part."""
    return [seating for seating in product(pair, repeat=len(game.teams)) if len(set(seating)) == 2]


def schedule(game: Game, players: int, gauntlet: bool, rounds: int, seed: int) -> Iterator[Pairing]:
    """Yield every game of a match round by round, so that an unfinished match is balanced too."""
    number = 0
    for current in range(rounds):
        for pair in pairs(players, gauntlet):
            for seating in seatings(game, pair):
                yield Pairing(
                    number,
                    current,
                    pair,
                    seating,
                    opening_seed=game_seed(seed, 2 * current),
                    seed=game_seed(seed, 2 * number + 1),
                )
                number += 1


def opening(start: Position, plies: int, seed: int) -> list[str]:
    """Return `plies` random moves, or fewer if the next one would end the game."""
    position = start
    random = generator(seed)
    moves: list[str] = []
    for _ in range(plies):
        random = advance(random)
        move = position.legal[bounded(random, len(position.legal))]
        position = position.play(move)
        if position.over:
            break
        moves.append(move)
    return moves
