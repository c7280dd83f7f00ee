"""Arena: free players are paired with others of about the same score."""

from __future__ import annotations

from collections.abc import Sequence

from teahouse.server.tournaments.seating import Entrant, Pair, seated


def pair(free: Sequence[Entrant], *, again: bool = False) -> list[Pair]:
    """Return pairs of free players, given in the order of the standings, in the order of seats.

    From the top, each meets the next one who was not their last opponent, or anybody with `again`.
    Bots of the server play people only, and only if no person is left.
    """
    waiting = sorted(free, key=lambda entrant: entrant.bot)  # stable: people first
    found: list[Pair] = []
    while waiting:
        one = waiting.pop(0)
        other = next((it for it in waiting if _may_meet(one, it, again)), None)
        if other is not None:
            waiting.remove(other)
            found.append(seated(one, other, first=len(found) % 2 == 0))
    return found


def _may_meet(one: Entrant, other: Entrant, again: bool) -> bool:
    if one.bot and other.bot:
        return False
    met = one.opponents[-1:] == (other.number,) or other.opponents[-1:] == (one.number,)
    return again or not met
