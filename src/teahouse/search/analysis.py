"""Analysis of a position within a budget."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from teahouse.core.errors import OptionError
from teahouse.core.game import Game
from teahouse.core.position import Position, check_position
from teahouse.core.validate import check_int, check_positive, check_seed, check_type
from teahouse.search.engine import Engine
from teahouse.search.levels import LEVELS, check_engine, profile, uses_network
from teahouse.search.mcts.params import SearchParams
from teahouse.search.mcts.search import MAX_SIMULATIONS
from teahouse.search.networks import Network, find_network, shipped_network
from teahouse.search.result import Analysis
from teahouse.search.tablebase import find_tablebase
from teahouse.search.threads import MAX_THREADS

MAX_SECONDS = 86_400
MAX_MEMORY = 1 << 16
STRONGEST = "strongest"


def analyse(
    position: Position,
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    threads: int = 1,
    seed: int = 0,
    memory: int = 256,
    progress: Callable[[Analysis], None] | None = None,
    cancel: Event | None = None,
    params: SearchParams | None = None,
    wait: bool = True,
    engine: str = "search",
    network: Network | None = None,
) -> Analysis:
    """Search for `seconds` (default 1) or `simulations`, with up to `memory` MB.

    The search ends early when the value is proven, or when `cancel` is set from any thread.
    `progress` is called with interim analyses. All threads share one tree. Without `wait`, search
    interpreted as long as another process is compiling the kernels (`search.prepare`).
    `engine` is `search`, `network` for a search with the network in the game's folder, or
    `strongest` for what the bot of the highest level uses: its network, and a tablebase if there is
    one on this machine. `network` is a custom network, from `search.networks.load_network`.
    """
    check_position(position)
    if seconds is not None and simulations is not None:
        raise OptionError("Give either seconds or simulations, not both.")
    if seconds is not None:
        seconds = check_positive("seconds", seconds, MAX_SECONDS)
    elif simulations is None:
        seconds = 1.0
    else:
        simulations = check_int("simulations", simulations, 1, MAX_SIMULATIONS)
    threads = check_int("threads", threads, 1, MAX_THREADS)
    memory = check_int("memory", memory, 1, MAX_MEMORY)
    seed = check_seed(seed)
    if params is not None:
        check_type("params", params, SearchParams, "teahouse.search.mcts.params")
    if network is not None:
        check_type("network", network, Network, "teahouse.search.networks.load_network(file)")
        if network.game != position.game:
            raise OptionError(
                f"The network {network.origin} was loaded for {network.game!r}, not for"
                f" {position.game!r}."
            )
    if position.over:
        raise ValueError("Cannot analyse the position: the game is over.")
    threads = min(threads, simulations or threads)
    profiled = profile(position.game)
    search = Engine(
        position,
        params or profiled.params,
        threads=threads,
        seed=seed,
        memory=memory,
        max_simulations=simulations or MAX_SIMULATIONS,
        wait=wait,
        network=network or _network(position.game, engine),
        puct=profiled.puct,
        tablebase=find_tablebase(position.game) if engine == STRONGEST else None,
    )
    return search.run(seconds, simulations, progress, cancel)


def _network(game: Game, engine: str) -> Network | None:
    if engine == STRONGEST:
        return strongest_network(game)
    return shipped_network(game) if check_engine(engine) == "network" else None


def strongest_network(game: Game) -> Network | None:
    """Return the network of the highest level, or None if that level searches without one."""
    return find_network(game) if uses_network(game, LEVELS[-1]) else None
