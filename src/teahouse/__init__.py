"""Teahouse, four abstract board games: server, bots, search and reinforcement learning.

>>> import teahouse as th
>>> p = th.load("orochi", side=3).start()
>>> p.play("wc3").play("bb2").player
1
"""

from typing import TYPE_CHECKING

__all__ = [
    "Analysis",
    "Bot",
    "Counts",
    "DeviceError",
    "Game",
    "IllegalMove",
    "OptionError",
    "Position",
    "PositionError",
    "Puzzle",
    "Record",
    "RecordError",
    "Review",
    "Solution",
    "__version__",
    "analyse",
    "bot",
    "compare",
    "games",
    "load",
    "perft",
    "puzzles",
    "report",
    "review",
    "solve",
]

__version__ = "0.2.0"

if TYPE_CHECKING:
    from teahouse.core.catalog import games, load
    from teahouse.core.errors import (
        DeviceError,
        IllegalMove,
        OptionError,
        PositionError,
        RecordError,
    )
    from teahouse.core.game import Game
    from teahouse.core.perft import perft
    from teahouse.core.playouts import Counts
    from teahouse.core.position import Position
    from teahouse.core.record import Record
    from teahouse.lab.compare import compare
    from teahouse.lab.study import report
    from teahouse.search.analysis import analyse
    from teahouse.search.bot import Bot, bot
    from teahouse.search.proof.solve import Solution, solve
    from teahouse.search.puzzles.puzzle import Puzzle, puzzles
    from teahouse.search.result import Analysis
    from teahouse.search.review import Review, review
else:
    MODULES = {
        "core.catalog": ("games", "load"),
        "core.errors": (
            "DeviceError",
            "IllegalMove",
            "OptionError",
            "PositionError",
            "RecordError",
        ),
        "core.game": ("Game",),
        "core.perft": ("perft",),
        "core.playouts": ("Counts",),
        "core.position": ("Position",),
        "core.record": ("Record",),
        "lab.compare": ("compare",),
        "lab.study": ("report",),
        "search.analysis": ("analyse",),
        "search.bot": ("Bot", "bot"),
        "search.proof.solve": ("Solution", "solve"),
        "search.puzzles.puzzle": ("Puzzle", "puzzles"),
        "search.result": ("Analysis",),
        "search.review": ("Review", "review"),
    }
    SUBPACKAGES = ("client", "core", "draw", "lab", "learn", "rl", "search")

    def __getattr__(name: str) -> object:
        """Import what is asked for: the command answers Ctrl-C before NumPy is loaded."""
        from importlib import import_module

        if name in SUBPACKAGES:
            return import_module(f"{__name__}.{name}")
        for module, names in MODULES.items():
            if name in names:
                found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
                return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, *SUBPACKAGES})
