"""The director: what a tournament needs next. No I/O; the time is an argument."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Literal

from teahouse.server.tournaments import arena, round_robin, swiss
from teahouse.server.tournaments import events as ev
from teahouse.server.tournaments.seating import Entrant, Pair, Pairs
from teahouse.server.tournaments.standings import entrants, standings
from teahouse.server.tournaments.state import Tournament

MIN_PLAYERS = 2
PAUSE_SECONDS = 15.0
"""Between two rounds."""
COUNTDOWN_SECONDS = 10.0
"""From the last player needed to the start."""
WAVE_SECONDS = 4.0
"""Between two pairings of an arena, so that there is a choice of opponents."""
AGAIN_SECONDS = 30.0
"""Since the last end of a game of an arena, until free players meet their last opponents again."""
EXPIRY_SECONDS = 7 * 86_400.0
"""Until a tournament that waits for players is cancelled."""
MAX_ABSENCES = {"swiss": 2, "round_robin": 2, "arena": 1}
"""Games in a row that a player may miss before they are withdrawn."""

Step = Literal["start", "cancel", "pair", "finish"]
NewId = Callable[[], str]
NewBot = Callable[[int], ev.Joined]
"""Returns a bot of the server by its number, counted from 1."""


def due(tournament: Tournament) -> tuple[Step, float] | None:
    """Return the next scheduled step and its time; None if a game has to end first."""
    if tournament.over:
        return None
    if tournament.status == "open":
        return _due_before_start(tournament)
    if tournament.rules.format == "arena":
        return _due_in_arena(tournament)
    left = len(tournament.rounds) < tournament.round_count
    if left and tournament.simultaneous and tournament.started is not None:
        return "pair", tournament.started
    if tournament.pending:
        return None
    last = tournament.rounds[-1].ended if tournament.rounds else tournament.started
    assert last is not None, "a round without unfinished games has ended"
    needed = MIN_PLAYERS if tournament.rules.format == "swiss" else 1
    if not left or len(tournament.active) < needed:
        return "finish", max((played.ended or last for played in tournament.rounds), default=last)
    pause = bool(tournament.rounds and tournament.rounds[-1].games) and _has_people(tournament)
    return "pair", last + (PAUSE_SECONDS if pause else 0.0)


def _due_before_start(tournament: Tournament) -> tuple[Step, float]:
    rules = tournament.rules
    if rules.starts_at is not None:
        enough = len(tournament.active) >= MIN_PLAYERS or _bots_wanted(tournament) >= MIN_PLAYERS
        return ("start" if enough else "cancel"), rules.starts_at
    if len(tournament.active) >= (rules.starts_with or MIN_PLAYERS):
        return "start", (tournament.last_joined or tournament.created) + COUNTDOWN_SECONDS
    return "cancel", tournament.created + EXPIRY_SECONDS


def _due_in_arena(tournament: Tournament) -> tuple[Step, float] | None:
    ends = tournament.ends
    assert ends is not None and tournament.started is not None
    last = tournament.last_paired
    moment = tournament.started if last is None else last + WAVE_SECONDS
    if _some_free(tournament) and _arena_pairs(tournament):
        if not _arena_pairs(tournament, again=False):  # nobody else is free: somebody may be soon
            moment = max(moment, (tournament.last_decided or moment) + _patience(tournament))
        if moment < ends:
            return "pair", moment
    return None if tournament.pending else ("finish", ends)


def _patience(tournament: Tournament) -> float:
    """Return for how long free players of an arena wait for others than their last opponents."""
    return AGAIN_SECONDS if len(tournament.active) > MIN_PLAYERS else 0.0


def _some_free(tournament: Tournament) -> bool:
    """Return whether two active players have no game: a quick test before pairing."""
    playing = sum(
        tournament.players[number].withdrawn is None
        for game in tournament.unfinished_games()
        for number in game.seats
    )
    return len(tournament.active) - playing >= MIN_PLAYERS


def _has_people(tournament: Tournament) -> bool:
    return any(player.kind != "level" for player in tournament.active)


def _bots_wanted(tournament: Tournament) -> int:
    """Return the number of players that bots make up at the start: even, if that is possible."""
    rules, present = tournament.rules, len(tournament.active)
    if rules.bot_level is None:
        return present
    wanted = max(present, rules.bots_to, MIN_PLAYERS)
    return min(wanted + wanted % 2, max(rules.max_players, present))


def start(tournament: Tournament, new_bot: NewBot) -> list[ev.Event]:
    """Return the events of the start: bots that fill up, and the number of rounds."""
    rules = tournament.rules
    missing = _bots_wanted(tournament) - len(tournament.active)
    bots: list[ev.Event] = [new_bot(number + 1) for number in range(missing)]
    players = len(tournament.active) + len(bots)
    rounds = 0
    if rules.format == "round_robin":
        rounds = round_robin.round_count(players, rules.rounds)
    elif rules.format == "swiss":
        rounds = min(rules.rounds, swiss.round_limit(players))
    return [*bots, ev.Started(rounds=rounds)]


def odd_bot(tournament: Tournament, new_bot: NewBot) -> list[ev.Event]:
    """Return the bot that an odd number of people needs in a Swiss round, where bots fill up."""
    rules, active = tournament.rules, tournament.active
    alone = rules.format == "swiss" and rules.bot_level is not None and len(active) % 2
    if not alone or any(player.kind == "level" for player in active):
        return []
    return [new_bot(1)]


def swiss_entrants(tournament: Tournament) -> list[Entrant]:
    """Return the players of the next Swiss round, in the order of the standings.

    Before the first round, those without a rating are in a random order that the seed gives.
    """
    found = entrants(tournament, standings(tournament))
    if not tournament.rounds:
        order = random.Random(tournament.opened.seed)  # noqa: S311 - no secret
        drawn = {entrant.number: order.random() for entrant in found}
        ratings = [player.rating or 0.0 for player in tournament.players]
        found.sort(key=lambda entrant: (-ratings[entrant.number], drawn[entrant.number]))
    return found


def paired(pairs: Pairs, new_id: NewId) -> ev.Paired:
    """Return the event of a round that was paired by the Swiss system."""
    games, bye = pairs
    byes = () if bye is None else (bye,)
    return ev.Paired(games=_games(games, new_id), byes=byes)


def round_robin_round(tournament: Tournament, new_id: NewId) -> ev.Paired:
    """Return the next round of a round robin; the opponent of a withdrawn player wins."""
    order = _drawn_order(tournament)
    pairs, off = round_robin.pairs(len(order), len(tournament.rounds))
    gone = {player.number for player in tournament.players if player.withdrawn is not None}
    games, walkovers = [], []
    for places in pairs:
        one, other = (order[place] for place in places)
        if one not in gone and other not in gone:
            games.append((one, other))
        elif one not in gone or other not in gone:
            walkovers.append((other, one) if one in gone else (one, other))
    byes = () if off is None or order[off] in gone else (order[off],)
    return ev.Paired(games=_games(games, new_id), byes=byes, walkovers=tuple(walkovers))


def _drawn_order(tournament: Tournament) -> list[int]:
    """Return the players of the start in the order that the seed gives."""
    order = list(tournament.field)
    random.Random(tournament.opened.seed).shuffle(order)  # noqa: S311 - no secret
    return order


def arena_round(tournament: Tournament, new_id: NewId) -> ev.Paired:
    """Return the games that begin now in an arena."""
    return ev.Paired(games=_games(_arena_pairs(tournament), new_id))


def _arena_pairs(tournament: Tournament, *, again: bool = True) -> list[Pair]:
    """Return the pairs of the next wave; with `again`, last opponents if nobody else is free."""
    lines = standings(tournament)
    free = {line.player for line in lines if line.playing is None}
    waiting = [one for one in entrants(tournament, lines) if one.number in free]
    return arena.pair(waiting) or (arena.pair(waiting, again=True) if again else [])


def _games(pairs: Sequence[Pair], new_id: NewId) -> tuple[ev.PairedGame, ...]:
    return tuple(ev.PairedGame(table=new_id(), seats=seats) for seats in pairs)


def after_game(tournament: Tournament, decided: ev.Decided) -> list[ev.Event]:
    """Return the end of a game, and the withdrawal of players who did not come again."""
    place, index = tournament.pending[decided.table]
    game = tournament.rounds[place].games[index]
    events: list[ev.Event] = [decided]
    for seat in decided.absent:
        player = tournament.players[game.seats[seat]]
        missed = player.absences + 1
        if missed >= MAX_ABSENCES[tournament.rules.format] and player.withdrawn is None:
            events.append(ev.Withdrew(player=player.number, reason="absent"))
    return events


def may_join(tournament: Tournament) -> str | None:
    """Return why nobody can join or come back now; None if they can."""
    rules = tournament.rules
    if tournament.over:
        return "This tournament is over."
    if len(tournament.active) >= rules.max_players:
        return f"This tournament is full ({rules.max_players} players)."
    if tournament.status == "open":
        return None
    if rules.format == "round_robin":
        return "A round robin cannot be joined after its start."
    if rules.format == "swiss" and 2 * len(tournament.rounds) > tournament.round_count:
        return "A Swiss tournament can be joined during the first half of its rounds."
    return None
