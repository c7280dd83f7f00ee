"""Swiss system: players with about the same score meet, nobody twice.

A round is a minimum-cost perfect matching (`networkx`), so it exists even where some rule cannot be
kept; the costs, in the order of their importance, say which rule gives way first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from teahouse.server.tournaments.seating import ABSOLUTE, Entrant, Pair, clash, seated

NEIGHBOURS = 24
"""With many players, only those so near in the standings, or to the place that the order inside of
a group gives, are considered at first."""
FEW = 64


def round_limit(players: int) -> int:
    """Return the number of rounds after which nobody has a new opponent left."""
    return players - 1 + players % 2


def pair(standings: Sequence[Entrant]) -> tuple[list[Pair], int | None]:
    """Return the pairs of the next round, in the order of seats, and who has the bye.

    `standings` has the players of the round, the best first.
    """
    matched = _match(standings, NEIGHBOURS) if len(standings) > FEW else None
    if matched is None:
        matched = _match(standings, len(standings))
        assert matched is not None, "a complete graph has a perfect matching"
    found: list[Pair] = []
    bye: int | None = None
    for high, low in sorted(matched):
        if low == len(standings):
            bye = standings[high].number
        else:
            pairing = seated(standings[high], standings[low], first=len(found) % 2 == 0)
            found.append(pairing)
    return found, bye


def _match(standings: Sequence[Entrant], reach: int) -> list[Pair] | None:
    """Return pairs of places in the standings; the place after the last is the bye.

    Only players up to `reach` places from each other, or half of it from their place in the order
    of a group, are paired; None if that would repeat a game or leave somebody out.
    """
    import networkx as nx  # takes a while, and few servers need it

    count = len(standings)
    places = count + count % 2
    costs = _Costs(standings)
    graph = nx.Graph()
    for high in range(count):
        for low in range(high + 1, count):
            if low - high <= reach or costs.fold(high, low) <= reach // 2:
                graph.add_edge(high, low, weight=-costs.game(high, low))
        if count % 2:
            graph.add_edge(high, count, weight=-costs.bye(high))
    found = [(min(pair), max(pair)) for pair in nx.max_weight_matching(graph, maxcardinality=True)]
    if reach >= count:
        return found
    repeated = any(
        low < count and standings[low].number in standings[high].opponents for high, low in found
    )
    return None if repeated or 2 * len(found) < places else found


class _Costs:
    """The costs of games and byes: integers in which each rule outweighs all later ones."""

    def __init__(self, standings: Sequence[Entrant]) -> None:
        self._standings = standings
        self._scores = [round(2 * entrant.score) for entrant in standings]
        self._lowest = min(self._scores, default=0)
        sizes = Counter(self._scores)
        self._half = {score: size // 2 for score, size in sizes.items()}
        games = max((len(entrant.opponents) for entrant in standings), default=0)
        span = max(self._scores, default=0) - self._lowest
        count = len(standings)
        largest = (games + 1, games + 1, 1, 2 * span + 1, span * span, ABSOLUTE, count * count)
        self._bases = [count * most + 1 for most in largest]

    def _combine(self, *parts: int) -> int:
        total = 0
        for part, base in zip(parts, self._bases, strict=True):
            total = total * base + part
        return total

    def game(self, high: int, low: int) -> int:
        """Return the cost of a game: played before, seats, scores, then the order in the group."""
        one, other = self._standings[high], self._standings[low]
        against = clash(one, other)
        difference = self._scores[high] - self._scores[low]
        fold = 0 if difference else self.fold(high, low)
        return self._combine(
            one.opponents.count(other.number),
            0,
            int(against == ABSOLUTE),
            0,
            difference * difference,
            against,
            fold * fold,
        )

    def fold(self, high: int, low: int) -> int:
        """Return the distance from the order in a group: its upper half meets the lower one.

        With different scores it is as large as can be.
        """
        if self._scores[high] != self._scores[low]:
            return len(self._standings)
        return abs(low - high - self._half[self._scores[high]])

    def bye(self, place: int) -> int:
        """Return the cost of a bye: had before, then not for a bot, then by the score."""
        entrant = self._standings[place]
        above = self._scores[place] - self._lowest
        person = 0 if entrant.bot else 1
        span = max(self._scores) - self._lowest
        return self._combine(0, entrant.byes, 0, person * (span + 1) + above, 0, 0, 0)
