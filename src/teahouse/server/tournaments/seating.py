"""Who takes the first seat: what a player's earlier games make fair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Pair = tuple[int, int]
"""The numbers of two players, in the order of their seats."""
Pairs = tuple[Sequence[Pair], int | None]
"""The games of a round, and who has none."""
ABSOLUTE, STRONG, MILD, NONE = 3, 2, 1, 0


@dataclass(frozen=True, slots=True)
class Entrant:
    """What pairing needs to know about a player; its place in a list is that in the standings."""

    number: int
    score: float = 0.0
    opponents: tuple[int, ...] = ()
    """Those of earlier games, in order."""
    seats: tuple[int, ...] = ()
    """The seats, 0 or 1, of earlier games, in order."""
    byes: int = 0
    bot: bool = False
    """Whether it is a bot of the server, which takes the bye first."""


@dataclass(frozen=True, slots=True)
class Preference:
    """The seat that a player should get, and how important that is."""

    seat: int
    strength: int


def preference(entrant: Entrant) -> Preference:
    """Return the seat that balances a player's games, else the one they did not have last.

    It is absolute after two games in a row on one seat, or two more on one than on the other.
    """
    seats = entrant.seats
    if not seats:
        return Preference(0, NONE)
    surplus = seats.count(0) - seats.count(1)
    other = 1 - seats[-1]
    if len(seats) >= 2 and seats[-2] == seats[-1]:
        return Preference(other, ABSOLUTE)
    if abs(surplus) >= 2:
        return Preference(int(surplus > 0), ABSOLUTE)
    if surplus:
        return Preference(int(surplus > 0), STRONG)
    return Preference(other, MILD)


def clash(one: Entrant, other: Entrant) -> int:
    """Return how important the weaker of two preferences for the same seat is, 0 without one."""
    first, second = preference(one), preference(other)
    if first.seat != second.seat:
        return 0
    return min(first.strength, second.strength)


def seated(one: Entrant, other: Entrant, first: bool = True) -> tuple[int, int]:
    """Return the numbers of two players in the order of their seats.

    The stronger preference decides; between equal ones, the last time they had different seats;
    then `one` gets the preferred seat, without any preference the first one if `first`.
    """
    mine, theirs = preference(one), preference(other)
    if mine.strength == theirs.strength == NONE:
        seat = 0 if first else 1
    elif mine.strength != theirs.strength:
        seat = mine.seat if mine.strength > theirs.strength else 1 - theirs.seat
    elif mine.seat != theirs.seat:
        seat = mine.seat
    else:
        seat = _alternate(one.seats, other.seats, mine.seat)
    return (one.number, other.number) if seat == 0 else (other.number, one.number)


def _alternate(mine: Sequence[int], theirs: Sequence[int], otherwise: int) -> int:
    """Return the seat that swaps those of the last time they differed."""
    for ours, others in zip(reversed(mine), reversed(theirs), strict=False):
        if ours != others:
            return 1 - ours
    return otherwise
