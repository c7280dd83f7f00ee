"""The kernels of a search: which it needs, and whether they are compiled."""

from __future__ import annotations

from functools import cache
from types import FunctionType

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.jit.bind import bind
from teahouse.core.jit.folder import shares_kernels
from teahouse.core.playouts import play_games
from teahouse.search.levels import LEVELS, profile
from teahouse.search.mcts.locate import locate
from teahouse.search.mcts.parallel import simulate_parallel
from teahouse.search.mcts.params import SearchParams
from teahouse.search.mcts.reroot import reroot
from teahouse.search.mcts.search import TreeSearch
from teahouse.search.mcts.tree import simulate
from teahouse.search.proof import dfpn
from teahouse.search.proof.dfpn_search import DfpnSearch, Goal
from teahouse.search.threads import check_threads

BY_NAME: dict[str, jit.Kernel] = {
    kernel.__name__: kernel
    for kernel in (simulate, simulate_parallel, locate, reroot, play_games, dfpn.search)
}


def search_kernels(params: SearchParams, threads: int, reuse_tree: bool) -> tuple[jit.Kernel, ...]:
    """Return the kernels that an engine with these arguments runs."""
    kernels: list[jit.Kernel] = [simulate if threads == 1 else simulate_parallel]
    if reuse_tree:
        kernels += [locate, reroot]
    if params.solver_share:
        kernels += [play_games, dfpn.search]
    return tuple(kernels)


def bot_kernels(game: Game, level: int, threads: int | None = None) -> tuple[jit.Kernel, ...]:
    """Return the kernels that a bot of a level runs."""
    profiled = profile(game)
    if profiled.levels[level - 1].simulations is not None:
        return search_kernels(profiled.params, threads=1, reuse_tree=False)
    return search_kernels(profiled.params, check_threads(threads), reuse_tree=True)


def all_ready(kernels: tuple[jit.Kernel, ...], game: Game) -> bool:
    """Return whether all kernels are in memory or in the kernel cache."""
    return all(jit.ready(kernel, game) for kernel in kernels)


def usable_now(kernels: tuple[jit.Kernel, ...], game: Game) -> bool:
    """Return whether all kernels are ready, or another process cannot compile them for this one."""
    return all_ready(kernels, game) or not shares_kernels()


def all_kernels(game: Game) -> tuple[jit.Kernel, ...]:
    """Return the kernels of all levels and of hints, those of the lowest levels first."""
    hints = search_kernels(profile(game).params, threads=1, reuse_tree=False)
    levels = (bot_kernels(game, level) for level in LEVELS)
    return tuple(dict.fromkeys(kernel for kernels in (hints, *levels) for kernel in kernels))


def compile_kernel(kernel: jit.Kernel, game: Game) -> None:
    """Compile a kernel in this process, or load it from the kernel cache."""
    position = game.start()
    params = profile(game).params
    if kernel is play_games:
        position.playouts(1)
    elif kernel is dfpn.search:
        DfpnSearch(position, Goal.win(0), memory=1 << 10, depth=1).run(0)
    else:
        threads = 2 if kernel is simulate_parallel else 1
        tree = TreeSearch(position, 0, 1 << 10, 1, params, threads)
        if kernel in (locate, reroot):
            tree.advance(position)


@cache
def kernel_cost(kernel: jit.Kernel, game: Game) -> int:
    """Return the size of all code that the kernel reaches: its compile time is about as large."""
    size = 0

    def add(function: FunctionType) -> FunctionType:
        nonlocal size
        size += len(function.__code__.co_code)
        return function

    bind(kernel, game.rules, add)
    return size
