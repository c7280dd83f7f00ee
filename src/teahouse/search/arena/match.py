"""Play a match, or continue one that was interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import Any

from teahouse.core.errors import OptionError, quoted
from teahouse.core.executor import Executor, LocalExecutor
from teahouse.core.game import Game
from teahouse.core.validate import check_int, check_seed
from teahouse.search.arena.custom_players import name_players
from teahouse.search.arena.players import parse_player
from teahouse.search.arena.results import MatchResults
from teahouse.search.arena.runner import GameResult, GameRunner, PlayerFactory
from teahouse.search.arena.schedule import Pairing, pairs, schedule, seatings
from teahouse.search.arena.sprt import Sprt
from teahouse.search.arena.store import MatchStore

OPENING_PLIES = 2  # enough that deterministic bots do not repeat a game


@dataclass(frozen=True)
class MatchProgress:
    """The state of a match in progress."""

    results: MatchResults
    """The games so far."""
    done: int
    """The number of games played."""
    games: int
    """The games of the schedule; the sequential test may end the match earlier."""
    seconds_left: float | None
    """None until the first game of this run has ended."""


def play_match(
    game: Game,
    players: Sequence[str | Callable[..., Any]],
    games: int,
    folder: Path | str | None = None,
    *,
    jobs: int = 1,
    seed: int = 0,
    gauntlet: bool = False,
    opening: int = OPENING_PLIES,
    sprt: Sprt | None = None,
    make_player: PlayerFactory = parse_player,
    progress: Callable[[MatchProgress], None] | None = None,
    cancel: Event | None = None,
    executor: Executor | None = None,
) -> MatchResults:
    """Play `games` games of each pair of players, rounded up to complete rounds.

    Players are texts such as `level5`, functions `choose(position)` that return a move, and classes
    with such a method. With a folder each finished game is stored, and the same call continues the
    match there.
    `make_player(game, text)` returns the player of one seat of one game.
    `executor` runs the games; by default `jobs` processes of this machine do.
    """
    names, make_player = name_players(players, make_player)
    rounds = _check(game, names, games, jobs, opening, sprt, make_player)
    seed = check_seed(seed)
    pairings = {
        pairing.number: pairing for pairing in schedule(game, len(names), gauntlet, rounds, seed)
    }
    runner = GameRunner(game, names, make_player, opening)
    executor = executor or LocalExecutor(jobs)
    if folder is None:
        return _Match(runner, pairings, sprt, None).run(executor, progress, cancel)
    settings = {
        "game": game.name,
        "options": game.options,
        "entrants": list(names),
        "gauntlet": gauntlet,
        "opening": opening,
        "seed": seed,
    }
    store = MatchStore(Path(folder), settings)
    with store.locked():
        return _Match(runner, pairings, sprt, store).run(executor, progress, cancel)


def _check(
    game: Game,
    players: tuple[str, ...],
    games: int,
    jobs: int,
    opening: int,
    sprt: Sprt | None,
    make_player: PlayerFactory,
) -> int:
    """Return the number of rounds; raise `OptionError` if an argument is not valid."""
    if len(players) < 2:
        raise OptionError("A match needs at least two players.")
    for player in players:
        if players.count(player) > 1:
            raise OptionError(f"Player {quoted(player)} is given twice.")
        make_player(game, player)
    check_int("games", games, 1)
    check_int("jobs", jobs, 1)
    check_int("opening", opening, 0)
    if sprt is not None:
        if len(players) != 2:
            raise OptionError("The sequential test needs exactly two players.")
        if sprt.elo0 >= sprt.elo1:
            raise OptionError(
                f"The sequential test needs elo0 below elo1, got {sprt.elo0} and {sprt.elo1}."
            )
    return -(-games // len(seatings(game, pairs(len(players), True)[0])))


class _Match:
    """The games of a match, finished and missing."""

    def __init__(
        self,
        runner: GameRunner,
        pairings: dict[int, Pairing],
        sprt: Sprt | None,
        store: MatchStore | None,
    ) -> None:
        self._runner = runner
        self._pairings = pairings
        self._sprt = sprt
        self._store = store
        self._finished: dict[int, GameResult] = store.results(pairings) if store else {}

    def run(
        self,
        executor: Executor,
        progress: Callable[[MatchProgress], None] | None,
        cancel: Event | None,
    ) -> MatchResults:
        """Play the missing games."""
        results = self._results()
        done_before = len(self._finished)
        started = perf_counter()

        def report() -> None:
            if progress is None:
                return
            done, total = len(self._finished), len(self._pairings)
            left = None
            if done > done_before:
                left = (perf_counter() - started) / (done - done_before) * (total - done)
            progress(MatchProgress(results, done, total, left))

        def ended() -> bool:
            cancelled = cancel is not None and cancel.is_set()
            return cancelled or results.sprt_status().accepted is not None

        report()
        missing = [
            pairing for number, pairing in self._pairings.items() if number not in self._finished
        ]
        if not missing or ended():
            return results
        games = executor.map(self._runner, missing, cancel)
        try:
            for _, result in games:
                self._finished[result.pairing.number] = result
                if self._store:
                    self._store.add(result)
                results = self._results()
                report()
                if ended():
                    break
        finally:
            games.close()
        return results

    def _results(self) -> MatchResults:
        """Return the finished games, up to the round in which the sequential test ended."""
        runner = self._runner
        games = tuple(self._finished[number] for number in sorted(self._finished))
        results = MatchResults(runner.game, runner.players, games, self._sprt)
        status = results.sprt_status()
        if status.accepted:
            games = tuple(result for result in games if result.pairing.round < status.rounds)
            results = MatchResults(runner.game, runner.players, games, self._sprt)
        return results
