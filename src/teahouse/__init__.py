"""Teahouse: four abstract board games to play, to teach to bots, and to study at speed.

>>> import teahouse as th
>>> p = th.load("orochi", side=3).start()
>>> p.play("wc3").play("bb2").player
1
"""

from typing import TYPE_CHECKING

from teahouse.core.catalog import games, load
from teahouse.core.errors import DeviceError, IllegalMove, OptionError, PositionError, RecordError
from teahouse.core.game import Game
from teahouse.core.perft import perft
from teahouse.core.playouts import Counts
from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.search.analysis import analyse
from teahouse.search.bot import Bot, bot
from teahouse.search.proof.solve import Solution, solve
from teahouse.search.puzzles.puzzle import Puzzle, puzzles
from teahouse.search.result import Analysis
from teahouse.search.review import Review, review

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
    from teahouse.lab.compare import compare
    from teahouse.lab.study import report
else:

    def __getattr__(name: str) -> object:
        """Return what few programs need on demand, since loading it takes time."""
        if name == "compare":
            from teahouse.lab.compare import compare

            return compare
        if name == "report":
            from teahouse.lab.study import report

            return report
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
