"""The kernels of a search: which it needs, and whether they are compiled."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType

from teahouse.core import jit
from teahouse.core.encoding import encoded_rules
from teahouse.core.game import MAX_GAMES, Game
from teahouse.core.jit.bind import bind
from teahouse.core.jit.folder import shares_kernels
from teahouse.core.playouts import play_games
from teahouse.search.levels import LEVELS, profile, uses_network
from teahouse.search.mcts.locate import locate
from teahouse.search.mcts.parallel import simulate_parallel
from teahouse.search.mcts.params import SearchParams
from teahouse.search.mcts.reroot import reroot
from teahouse.search.mcts.search import TreeSearch
from teahouse.search.mcts.tree import simulate
from teahouse.search.proof import dfpn
from teahouse.search.proof.dfpn_search import DfpnSearch, Goal
from teahouse.search.puct.search import PUCT_KERNELS, compile_puct_kernel
from teahouse.search.threads import check_threads

MCTS_KERNELS: tuple[jit.Kernel, ...] = (simulate, simulate_parallel, locate, reroot)
SOLVER_KERNELS: tuple[jit.Kernel, ...] = (play_games, dfpn.search)
BY_NAME = {kernel.__name__: kernel for kernel in (*MCTS_KERNELS, *SOLVER_KERNELS, *PUCT_KERNELS)}


def search_kernels(
    params: SearchParams, threads: int, reuse_tree: bool, network: bool = False
) -> tuple[jit.Kernel, ...]:
    """Return the kernels that an engine with these arguments runs."""
    solver = SOLVER_KERNELS if params.solver_share else ()
    if network:
        return (*PUCT_KERNELS, *solver)
    simulation: jit.Kernel = simulate if threads == 1 else simulate_parallel
    return (simulation, *((locate, reroot) if reuse_tree else ()), *solver)


def bot_kernels(game: Game, level: int, threads: int | None = None) -> tuple[jit.Kernel, ...]:
    """Return the kernels that a bot of a level runs."""
    profiled = profile(game)
    budget = profiled.levels[level - 1]
    network = uses_network(game, level)
    if budget.simulations is not None:
        return search_kernels(profiled.params, 1, reuse_tree=False, network=network)
    return search_kernels(profiled.params, check_threads(threads), True, network)


@lru_cache(maxsize=MAX_GAMES)
def all_kernels(game: Game) -> tuple[jit.Kernel, ...]:
    """Return the kernels of all levels and of hints, those of the lowest levels first."""
    hints = search_kernels(profile(game).params, threads=1, reuse_tree=False)
    levels = (bot_kernels(game, level) for level in LEVELS)
    return tuple(dict.fromkeys(kernel for kernels in (hints, *levels) for kernel in kernels))


def is_ready(kernel: jit.Kernel, game: Game) -> bool:
    """Return whether a kernel is in memory or in the kernel cache."""
    return jit.ready(kernel, game, _rules(kernel, game))


def all_ready(kernels: Iterable[jit.Kernel], game: Game) -> bool:
    """Return whether all kernels are in memory or in the kernel cache."""
    return all(is_ready(kernel, game) for kernel in kernels)


def usable_now(kernels: Iterable[jit.Kernel], game: Game) -> bool:
    """Return whether all kernels are ready, or another process cannot compile them for this one."""
    return all_ready(kernels, game) or not shares_kernels()


def compile_kernel(kernel: jit.Kernel, game: Game) -> None:
    """Compile a kernel in this process, or load it from the kernel cache."""
    position = game.start()
    if kernel is play_games:
        position.playouts(1)
    elif kernel in PUCT_KERNELS:
        compile_puct_kernel(kernel, game)
    elif kernel is dfpn.search:
        DfpnSearch(position, Goal.win(0), memory=1 << 10, depth=1).run(0)
    else:
        threads = 2 if kernel is simulate_parallel else 1
        tree = TreeSearch(position, 0, 1 << 10, 1, profile(game).params, threads)
        if kernel in (locate, reroot):
            tree.advance(position)


def _rules(kernel: jit.Kernel, game: Game) -> ModuleType:
    return encoded_rules(game) if kernel in PUCT_KERNELS else game.rules


@lru_cache(maxsize=MAX_GAMES)
def compile_costs(game: Game) -> dict[jit.Kernel, int]:
    """Return each kernel of a game with a figure in proportion to its compile time.

    Most of it is spent on functions that no earlier kernel has reached; the rest on optimising all
    that the kernel reaches. Both grow with the size of the code.
    """
    costs: dict[jit.Kernel, int] = {}
    compiled: set[CodeType] = set()
    for kernel in all_kernels(game):
        reached: set[CodeType] = set()

        def add(function: FunctionType, reached: set[CodeType] = reached) -> FunctionType:
            reached.add(function.__code__)
            return function

        bind(kernel, _rules(kernel, game), add)
        costs[kernel] = 3 * _size(reached - compiled) + _size(reached)
        compiled |= reached
    return costs


def _size(codes: Iterable[CodeType]) -> int:
    return sum(len(code.co_code) for code in codes)
