"""Self-play: games of one player against itself, stored like those of a match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

from teahouse.core.executor import Executor, LocalExecutor
from teahouse.core.game import Game
from teahouse.core.random import game_seed
from teahouse.core.validate import check_int, check_seed
from teahouse.search.arena.custom_players import name_players
from teahouse.search.arena.match import OPENING_PLIES
from teahouse.search.arena.players import parse_player
from teahouse.search.arena.results import MatchResults
from teahouse.search.arena.runner import GameResult, GameRunner, PlayerFactory
from teahouse.search.arena.schedule import Pairing
from teahouse.search.arena.store import MatchStore


def play_against_itself(
    game: Game,
    player: str | Callable[..., Any],
    games: int,
    folder: Path | str,
    *,
    seed: int = 0,
    opening: int = OPENING_PLIES,
    make_player: PlayerFactory = parse_player,
    progress: Callable[[MatchResults, int], None] | None = None,
    cancel: Event | None = None,
    executor: Executor | None = None,
) -> MatchResults:
    """Play games, each from an opening of its own, until the folder has `games` of them.

    Each finished game is stored, and the same call with more games goes on. `progress` is called
    with the games so far and the number wanted. `executor` runs the games, by default this process.
    """
    check_int("games", games, 1)
    check_int("opening", opening, 0)
    seed = check_seed(seed)
    (name,), make_player = name_players([player], make_player)
    make_player(game, name)  # raises if it is not valid
    settings = {
        "game": game.name,
        "options": game.options,
        "entrants": [name],
        "opening": opening,
        "seed": seed,
    }
    pairings = {pairing.number: pairing for pairing in _schedule(game, games, seed)}
    store = MatchStore(Path(folder), settings)
    with store.locked():
        finished = store.results(pairings)

        def results() -> MatchResults:
            in_order = tuple(finished[number] for number in sorted(finished))
            return MatchResults(game, (name,), in_order)

        def add(result: GameResult) -> None:
            store.add(result)
            finished[result.pairing.number] = result

        if progress:
            progress(results(), games)
        runner = GameRunner(game, (name,), make_player, opening)
        missing = [pairing for number, pairing in pairings.items() if number not in finished]
        with closing((executor or LocalExecutor()).map(runner, missing, cancel)) as played:
            for _, result in played:
                add(result)
                if progress:
                    progress(results(), games)
        return results()


def _schedule(game: Game, games: int, seed: int) -> Iterator[Pairing]:
    """Yield games whose seeds depend on the seed and their number alone."""
    for number in range(games):
        yield Pairing(
            number,
            round=number,
            pair=(0, 0),
            seating=(0,) * len(game.teams),
            opening_seed=game_seed(seed, 2 * number),
            seed=game_seed(seed, 2 * number + 1),
        )
