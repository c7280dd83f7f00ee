"""Lines of the Universal Game Interface that both sides need: `go`, `position`, `option`.

The two sides of a game are called p1 and p2; UCI's names `wtime`, `btime`, `winc` and `binc` are
understood too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from teahouse.core.errors import PositionError, quoted
from teahouse.core.game import Game
from teahouse.core.position import Position

NO_MOVE = "0000"
"""The move of `bestmove` when there is none."""
MAX_NUMBER = 10**12
_CLOCKS = {"p1time": 0, "wtime": 0, "p2time": 1, "btime": 1}
_INCREMENTS = {"p1inc": 0, "winc": 0, "p2inc": 1, "binc": 1}


@dataclass(frozen=True)
class Go:
    """The limits of one search; without any, the engine decides."""

    seconds: float | None = None
    """Time for this move."""
    nodes: int | None = None
    """Simulations, or what the engine counts."""
    depth: int | None = None
    """Moves of the expected continuation."""
    clocks: tuple[float, float] | None = None
    """Seconds that each side has left."""
    increments: tuple[float, float] = (0.0, 0.0)
    """Seconds that each side gets for a turn."""
    infinite: bool = False
    """Search until `stop`."""

    @property
    def timed(self) -> bool:
        """Whether the answer is due at some time."""
        return self.seconds is not None or self.clocks is not None

    def text(self) -> str:
        """Return the line of this command."""
        words = ["go"]
        if self.clocks is not None:
            for name, seconds in zip(("p1time", "p2time"), self.clocks, strict=True):
                words += [name, str(round(1000 * seconds))]
            for name, seconds in zip(("p1inc", "p2inc"), self.increments, strict=True):
                words += [name, str(round(1000 * seconds))]
        if self.seconds is not None:
            words += ["movetime", str(max(1, round(1000 * self.seconds)))]
        for name, number in (("nodes", self.nodes), ("depth", self.depth)):
            if number is not None:
                words += [name, str(number)]
        return " ".join([*words, "infinite"] if self.infinite else words)


def parse_go(words: Sequence[str]) -> Go:
    """Parse the words after `go`; raise `ValueError` if a number is missing. Skip unknown words."""
    clocks: list[float | None] = [None, None]
    increments = [0.0, 0.0]
    seconds: float | None = None
    numbers: dict[str, int] = {}
    rest = iter(words)
    for word in rest:
        if word in _CLOCKS:
            clocks[_CLOCKS[word]] = _number(word, next(rest, "")) / 1000
        elif word in _INCREMENTS:
            increments[_INCREMENTS[word]] = _number(word, next(rest, "")) / 1000
        elif word == "movetime":
            seconds = max(1, _number(word, next(rest, ""))) / 1000
        elif word in ("nodes", "depth"):
            numbers[word] = max(1, _number(word, next(rest, "")))
    first, second = clocks
    left = second if first is None else first
    return Go(
        seconds=seconds,
        nodes=numbers.get("nodes"),
        depth=numbers.get("depth"),
        clocks=None
        if left is None
        else (left if first is None else first, left if second is None else second),
        increments=(increments[0], increments[1]),
        infinite="infinite" in words,
    )


def _number(name: str, text: str) -> int:
    """Return an integer from 0; UCI allows a negative time, which counts as none left."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"{name} must be an integer, got {quoted(text)}.")
    return 0 if text != digits else min(int(digits[:15]), MAX_NUMBER)


def parse_position(game: Game, words: Sequence[str], seed: int) -> tuple[Position, list[str]]:
    """Return the start position and the moves that the words after `position` name.

    `seed` is that of a random setup, which `startpos` stands for.
    """
    head, moves = list(words), []
    if "moves" in head:
        at = head.index("moves")
        head, moves = head[:at], head[at + 1 :]
    if head == ["startpos"]:
        return game.start(seed), moves
    if head[:1] == ["fen"]:
        return game.position(" ".join(head[1:])), moves
    raise PositionError("Expected position startpos or position fen TEXT, then moves MOVE ….")


def position_line(start: Position | None, moves: Sequence[str], *, startpos: bool) -> str:
    """Return the `position` command for a start and the moves from it."""
    head = "position startpos" if startpos else f"position fen {start}"
    return " ".join([head, "moves", *moves] if moves else [head])


def option_name(line: str) -> str:
    """Return the name of the option that a line declares; empty if it declares none."""
    words = line.split()
    if words[:2] != ["option", "name"]:
        return ""
    end = words.index("type") if "type" in words else len(words)
    return " ".join(words[2:end])
