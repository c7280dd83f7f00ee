"""Round robin: everybody meets everybody, by the circle method."""

from __future__ import annotations

from teahouse.server.tournaments.seating import Pair


def round_count(players: int, cycles: int) -> int:
    """Return the number of rounds in which everybody meets everybody `cycles` times."""
    return cycles * (players - 1 + players % 2)


def pairs(players: int, number: int) -> tuple[list[Pair], int | None]:
    """Return the pairs of a round, counted from 0, in the order of seats, and who has no game.

    In each cycle a player has either seat equally often, or one of them once more; the next cycle
    swaps all seats. With an odd number of players everybody has one round off in each cycle.
    """
    places = players + players % 2
    cycle, turn = divmod(number, places - 1)
    circle = [(place - turn) % (places - 1) for place in range(places - 1)]
    # The last place stays; whoever meets it changes seats with every round.
    found = [(circle[0], places - 1) if turn % 2 == 0 else (places - 1, circle[0])]
    for place in range(1, places // 2):
        one, other = circle[place], circle[places - 1 - place]
        found.append((one, other) if place % 2 else (other, one))
    if cycle % 2:
        found = [(second, first) for first, second in found]
    off = None
    if players % 2:
        empty = players
        free = next(pair for pair in found if empty in pair)
        off = free[0] if free[1] == empty else free[1]
        found.remove(free)
    return found, off
