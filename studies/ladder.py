"""Ratings of many players from matches of two: one fit to all games."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from teahouse.search.arena import MatchResults
from teahouse.search.arena.ratings import Estimate
from teahouse.search.arena.runner import GameResult


@dataclass(frozen=True)
class Rated:
    """A player's rating."""

    elo: Estimate
    games: int
    score: float


def rate(matches: Sequence[MatchResults], anchor: str, min_games: int) -> dict[str, Rated]:
    """Return the ratings relative to the anchor's, of all players that games connect with it.

    Matches with fewer than `min_games` games do not count.
    """
    counted = [one for one in matches if len(one.games) >= min_games]
    connected = {anchor}
    for _ in counted:
        for one in counted:
            if connected & set(one.players):
                connected.update(one.players)
    together = join([one for one in counted if connected & set(one.players)])
    if together is None:
        return {}
    return {
        row.player: Rated(row.elo, row.games, row.score.value) for row in together.standings(anchor)
    }


def join(matches: Sequence[MatchResults]) -> MatchResults | None:
    """Return the games of several matches of one game as those of one match; None without any."""
    if not matches:
        return None
    players = list(dict.fromkeys(player for one in matches for player in one.players))
    games: list[GameResult] = []
    for one in matches:
        index = [players.index(player) for player in one.players]
        for game in one.games:
            first, second = sorted(index[player] for player in game.pairing.pair)
            pairing = replace(
                game.pairing,
                number=len(games),
                pair=(first, second),
                seating=tuple(index[player] for player in game.pairing.seating),
            )
            costs = {index[player]: spent for player, spent in game.costs.items()}
            games.append(replace(game, pairing=pairing, costs=costs))
    return MatchResults(matches[0].game, tuple(players), tuple(games))
