"""Standings: points and tie-breaks of all players, computed from the games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from teahouse.server.tournaments import events as ev
from teahouse.server.tournaments.seating import Entrant
from teahouse.server.tournaments.state import Game, Tournament

ARENA_WIN, ARENA_DRAW = 2.0, 1.0
STREAK = 2
"""Wins in a row after which the next points of an arena count double."""


@dataclass(frozen=True)
class TieBreak:
    """A criterion between players with the same score."""

    key: str
    name: str
    help: str


BUCHHOLZ = TieBreak(
    "buchholz",
    "Buchholz",
    "The sum of the scores of all opponents. A bye counts as an opponent with your own score.",
)
SONNEBORN_BERGER = TieBreak(
    "sonneborn_berger",
    "Sonneborn-Berger",
    "The scores of the opponents you beat, and half the scores of those you drew with.",
)
DIRECT = TieBreak(
    "direct",
    "Direct encounter",
    "Points in the games among the tied players, if all of them have met.",
)
WINS = TieBreak("wins", "Wins", "The number of games won.")
TIE_BREAKS: dict[ev.Format, tuple[TieBreak, ...]] = {
    "swiss": (BUCHHOLZ, SONNEBORN_BERGER, DIRECT, WINS),
    "round_robin": (DIRECT, SONNEBORN_BERGER, WINS),
    "arena": (WINS, DIRECT),
}


@dataclass
class Standing:
    """The line of a player in the standings."""

    player: int
    rank: int = 0
    """Equal for players whom no tie-break tells apart."""
    score: float = 0.0
    ties: dict[str, float] = field(default_factory=dict)
    games: list[Game] = field(default_factory=list)
    """The games that are over."""
    playing: str | None = None
    """The table at which the player plays now."""
    byes: int = 0
    wins: int = 0
    draws: int = 0
    streak: int = 0
    """Wins in a row, up to now."""


def standings(tournament: Tournament) -> list[Standing]:
    """Return the standings, the best first; who is equal stands in the order of joining."""
    seq, found = tournament.computed
    if seq != tournament.seq:
        found = _standings(tournament)
        tournament.computed = (tournament.seq, found)
    lines: list[Standing] = found
    return lines


def _standings(tournament: Tournament) -> list[Standing]:
    lines = [Standing(player.number) for player in tournament.players]
    rules = tournament.rules
    for game in tournament.games:  # those of a player are played one after another
        points = game.points
        for seat, number in enumerate(game.seats):
            line = lines[number]
            if points is None:
                line.playing = line.playing or game.table
            else:
                _count(line, game, points[seat], rules)
    for played in tournament.rounds if rules.format != "arena" else ():
        for number in played.byes:
            lines[number].byes += 1
            lines[number].score += float(rules.format == "swiss")
        for number, _ in played.walkovers:
            lines[number].score += 1.0
    _break_ties(lines, rules.format)
    shown = [line for line in lines if _took_part(tournament, line)]
    return sorted(shown, key=lambda line: (line.rank, line.player))


def _took_part(tournament: Tournament, line: Standing) -> bool:
    """Return whether a player is there, or was when it started or later."""
    present = tournament.players[line.player].withdrawn is None
    return present or line.player in tournament.field or bool(line.games or line.byes)


def _count(line: Standing, game: Game, points: float, rules: ev.Rules) -> None:
    line.games.append(game)
    won = points == 1.0
    if rules.format == "arena":
        worth = ARENA_WIN if won else ARENA_DRAW if points else 0.0
        line.score += 2.0 * worth if rules.streaks and line.streak >= STREAK else worth
    else:
        line.score += points
    line.wins += won
    line.draws += points == 0.5
    line.streak = line.streak + 1 if won else 0


def _break_ties(lines: Sequence[Standing], format_: ev.Format) -> None:
    """Compute the tie-breaks of a format in their order, and the ranks."""

    def key(line: Standing) -> tuple[float, ...]:
        return -line.score, *(-value for value in line.ties.values())

    for tie_break in TIE_BREAKS[format_]:
        if tie_break is DIRECT:
            ordered = sorted(lines, key=key)
            for _, tied in groupby(ordered, key):
                _direct_encounter(list(tied))
            continue
        value = _VALUES[tie_break.key]
        for line in lines:
            line.ties[tie_break.key] = value(line, lines)
    ordered = sorted(lines, key=key)
    rank = 1
    for _, tied in groupby(ordered, key):
        group = list(tied)
        for line in group:
            line.rank = rank
        rank += len(group)


def _direct_encounter(tied: Sequence[Standing]) -> None:
    """Count the points of the games among tied players; 0 for all unless everybody has met."""
    if len(tied) == 1:
        tied[0].ties[DIRECT.key] = 0.0
        return
    numbers = {line.player for line in tied}
    among = {
        line.player: [game for game in line.games if game.opponent(line.player) in numbers]
        for line in tied
    }
    met = all(
        {game.opponent(player) for game in games} == numbers - {player}
        for player, games in among.items()
    )
    for line in tied:
        points = sum(_points(line, game) for game in among[line.player]) if met else 0.0
        line.ties[DIRECT.key] = points


def _points(line: Standing, game: Game) -> float:
    assert game.points is not None
    return game.points[game.seats.index(line.player)]


def _buchholz(line: Standing, lines: Sequence[Standing]) -> float:
    opponents = sum(lines[game.opponent(line.player)].score for game in line.games)
    return opponents + line.byes * line.score


def _sonneborn_berger(line: Standing, lines: Sequence[Standing]) -> float:
    return sum(_points(line, game) * lines[game.opponent(line.player)].score for game in line.games)


_VALUES: dict[str, Callable[[Standing, Sequence[Standing]], float]] = {
    BUCHHOLZ.key: _buchholz,
    SONNEBORN_BERGER.key: _sonneborn_berger,
    WINS.key: lambda line, _: float(line.wins),
}


def entrants(tournament: Tournament, lines: Sequence[Standing]) -> list[Entrant]:
    """Return the active players in the order in which they are paired: score, rating, joining."""
    players = tournament.players
    active = [line for line in lines if players[line.player].withdrawn is None]
    active.sort(key=lambda line: (-line.score, -(players[line.player].rating or 0.0), line.player))
    return [
        Entrant(
            number=line.player,
            score=line.score,
            opponents=tuple(game.opponent(line.player) for game in line.games),
            seats=tuple(game.seats.index(line.player) for game in line.games),
            byes=line.byes,
            bot=players[line.player].kind == "level",
        )
        for line in active
    ]
