"""A match: played, kept and gone on with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import perf_counter

from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.validate import check_int, check_seed
from teahouse.search.arena.entrants import player
from teahouse.search.arena.playing import ArenaError, MakePlayer, Played, Table, play_all
from teahouse.search.arena.ratings import Test
from teahouse.search.arena.results import Results
from teahouse.search.arena.schedule import Fixture, pairs, schedule, seatings
from teahouse.search.arena.store import Store

__all__ = ["ArenaError", "Progress", "play_match"]

OPENING = 2  # decisions: enough that bots which always choose the same do not repeat a game


@dataclass(frozen=True)
class Progress:
    """How far a match has come."""

    results: Results
    done: int
    games: int
    """All that will be played, if the sequential test does not end it sooner."""
    seconds_left: float | None
    """None until the first game of this run is over."""


def play_match(
    game: Game,
    entrants: Sequence[str],
    games: int,
    folder: Path | str | None = None,
    *,
    jobs: int = 1,
    seed: int = 0,
    gauntlet: bool = False,
    opening: int = OPENING,
    test: Test | None = None,
    make_player: MakePlayer = player,
    progress: Callable[[Progress], None] | None = None,
    cancel: Event | None = None,
) -> Results:
    """Let every two entrants play so many games, rounded up to whole bouts.

    With a folder each finished game is kept, and the same call goes on with what is there. What
    `make_player(game, entrant)` gives for an entrant's text plays one seat of one game.
    """
    names = tuple(entrants)
    bouts = _checked(game, names, games, jobs, opening, test, make_player)
    seed = check_seed(seed)
    fixtures = {
        fixture.number: fixture for fixture in schedule(game, len(names), gauntlet, bouts, seed)
    }
    table = Table(game, names, make_player, opening)
    if folder is None:
        return _Match(table, fixtures, test, None).run(jobs, progress, cancel)
    settings = {
        "game": game.name,
        "options": game.options,
        "entrants": list(names),
        "gauntlet": gauntlet,
        "opening": opening,
        "seed": seed,
    }
    store = Store(Path(folder), settings)
    with store.locked():
        return _Match(table, fixtures, test, store).run(jobs, progress, cancel)


def _checked(
    game: Game,
    entrants: tuple[str, ...],
    games: int,
    jobs: int,
    opening: int,
    test: Test | None,
    make_player: MakePlayer,
) -> int:
    """The number of bouts, if a match can be held like this."""
    if len(entrants) < 2:
        raise OptionError("a match needs two entrants at least")
    for entrant in entrants:
        if entrants.count(entrant) > 1:
            raise OptionError(f"{quoted(entrant)} enters twice")
        make_player(game, entrant)
    for name, number, least in (("games", games, 1), ("jobs", jobs, 1), ("opening", opening, 0)):
        check_int(name, number, least)
    if test is not None:
        if len(entrants) != 2:
            raise OptionError("the sequential test compares two entrants, no more")
        if test.low >= test.high:
            raise OptionError(
                f"the sequential test's first Elo is below its second, not {test.low} {test.high}"
            )
    return -(-games // len(seatings(game, pairs(len(entrants), True)[0])))


class _Match:
    """The games of a match, done and to do."""

    def __init__(
        self, table: Table, fixtures: dict[int, Fixture], test: Test | None, store: Store | None
    ) -> None:
        self._table = table
        self._fixtures = fixtures
        self._test = test
        self._store = store
        self._played: dict[int, Played] = store.games(fixtures) if store else {}

    def run(
        self, jobs: int, progress: Callable[[Progress], None] | None, cancel: Event | None
    ) -> Results:
        """Play what is missing."""
        results = self._results()
        ready = len(self._played)
        started = perf_counter()

        def tell() -> None:
            if progress is not None:
                new = len(self._played) - ready
                left = len(self._fixtures) - len(self._played)
                each = (perf_counter() - started) / new if new else None
                total = len(self._fixtures)
                progress(
                    Progress(
                        results, len(self._played), total, None if each is None else each * left
                    )
                )

        tell()
        missing = [
            fixture for number, fixture in self._fixtures.items() if number not in self._played
        ]
        if results.decided()[0] or not missing or (cancel is not None and cancel.is_set()):
            return results
        games = play_all(self._table, missing, jobs)
        try:
            for played in games:
                self._played[played.fixture.number] = played
                if self._store:
                    self._store.add(played)
                results = self._results()
                tell()
                if results.decided()[0] or (cancel is not None and cancel.is_set()):
                    break
        finally:
            games.close()  # type: ignore[attr-defined]
        return results

    def _results(self) -> Results:
        """What has been played, up to the bout in which the sequential test has decided."""
        table = self._table
        games = tuple(self._played[number] for number in sorted(self._played))
        results = Results(table.game, table.entrants, games, self._test)
        verdict, _, bouts = results.decided()
        if verdict:
            games = tuple(played for played in games if played.fixture.bout < bouts)
            results = Results(table.game, table.entrants, games, self._test)
        return results
