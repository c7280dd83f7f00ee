"""UGI engines as players, with a watchdog for engine failures.

Only the rules of this package decide what is legal and who has won; the engine is never asked.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from threading import Event
from time import monotonic

from teahouse.core.errors import IllegalMove
from teahouse.core.game import Game
from teahouse.core.options import option_texts
from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.search.bot import Bot
from teahouse.search.ugi.engine_options import LINE_BREAK, check_sides
from teahouse.search.ugi.errors import EngineFailure
from teahouse.search.ugi.process import EngineProcess
from teahouse.search.ugi.protocol import Go, option_name, position_line
from teahouse.search.ugi.spec import UgiSettings, parse_spec

log = logging.getLogger("teahouse.search.ugi")

MAX_OPTIONS = 1000


def parse_ugi(game: Game, spec: str) -> UgiPlayer:
    """Return the player that a text stands for; the engine starts with its first game or move.

    Raise `OptionError` if the text is not valid, the program is missing or the game has not two
    sides.
    """
    return UgiPlayer(game, *parse_spec(spec))


class UgiPlayer:
    """A UGI engine that plays one side of a game; one process for as many games as it works."""

    def __init__(self, game: Game, command: list[str], settings: UgiSettings | None = None) -> None:
        self.game = check_sides(game)
        self.command = command
        self.settings = settings or UgiSettings()
        self.name = Path(command[0]).name
        """What the engine calls itself, once it has started."""
        self.record: Record | None = None
        """The game being played, if it is known: the engine gets its moves."""
        self.failures: list[str] = []
        """What the engine did wrong in this game."""
        self.simulations = 0
        """The nodes of all searches, as the engine reports them."""
        self._process: EngineProcess | None = None
        self._declared: dict[str, str] = {}  # option names by lower-case name
        self._substitute: Bot | None = None
        self._failure: EngineFailure | None = None  # failure to start, not raised yet

    def new_game(self) -> None:
        """Start the engine, or tell a running one that another game begins.

        A failure is raised by the first `choose` of the game.
        """
        self.failures = []
        self.simulations = 0
        self._substitute = None
        self.record = None
        self._failure = None
        try:
            self._ready(new_game=True)
        except EngineFailure as failure:
            self._failure = failure

    def choose(
        self,
        position: Position,
        *,
        seed: int | None = None,
        cancel: Event | None = None,
        go: Go | None = None,
    ) -> str:
        """Return the engine's move; a set `cancel` makes it answer at once.

        `go` replaces the limits of the settings. If the engine fails, its process is ended; then
        the bot of `on_failure` plays until the end of the game, or `EngineFailure` is raised.
        """
        if self._substitute is None:
            try:
                return self._choose(position, seed, cancel, go or self.settings.go)
            except EngineFailure as failure:
                self.close()
                self.failures.append(failure.report)
                log.info("%s: %s", " ".join(self.command), failure.report)
                level = self.settings.fallback
                if level is None:
                    raise
                self._substitute = Bot(self.game, level, wait=False)
        return self._substitute.choose(position, seed=seed, cancel=cancel)

    def close(self) -> None:
        """End the engine's process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _choose(self, position: Position, seed: int | None, cancel: Event | None, go: Go) -> str:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        process = self._ready()
        deadline = monotonic() + self.settings.start
        if seed is not None and "seed" in self._declared:
            process.send(f"setoption name {self._declared['seed']} value {seed}", deadline)
        process.send(self._position(position), deadline)
        self._synchronize(process)  # discard a late answer to an earlier search
        started = monotonic()
        allowed = self._allowed_seconds(position, go) + self.settings.margin
        process.send(go.text(), started + allowed)
        lines = process.wait_for("bestmove", started + allowed, cancel)
        if lines is None and cancel is not None and cancel.is_set():
            process.send("stop", started + allowed)
            until = min(started + allowed, monotonic() + self.settings.margin)
            lines = process.wait_for("bestmove", until)
        if lines is None:
            raise EngineFailure(
                "timeout",
                f"The engine did not move within {monotonic() - started:.1f} s.",
                process.stderr,
            )
        self._count_nodes(lines)
        words = lines[-1].split()
        text = words[1] if len(words) > 1 else ""
        try:
            return position.exact(text)
        except IllegalMove as error:
            raise EngineFailure("illegal move", str(error), process.stderr) from None

    def _allowed_seconds(self, position: Position, go: Go) -> float:
        """Return the seconds after which an answer is late, but for the margin."""
        limits = [] if go.seconds is None else [go.seconds]
        if go.clocks is not None:
            limits.append(go.clocks[self.game.side(position.player)])
        return min(limits, default=self.settings.limit)

    def _ready(self, *, new_game: bool = False) -> EngineProcess:
        """Return the running engine, started and told the game's options if it is not."""
        process = self._process
        fresh = process is None
        try:
            if process is None:
                process = self._process = self._start()
            if new_game or fresh:
                process.send("uginewgame", monotonic() + self.settings.start)
            self._synchronize(process)
        except EngineFailure:
            self.close()
            raise
        return process

    def _start(self) -> EngineProcess:
        """Start the engine and set its options."""
        try:
            process = EngineProcess(self.command)
        except OSError as error:
            raise EngineFailure(
                "start", f"Cannot start {self.command[0]}: {error.strerror or error}."
            ) from None
        self._process = process
        deadline = monotonic() + self.settings.start
        process.send("ugi", deadline)
        lines = process.wait_for("ugiok", deadline)
        if lines is None:
            raise EngineFailure(
                "start",
                f"The engine did not answer ugi with ugiok within {self.settings.start:g} s.",
                process.stderr,
            )
        names = [name for line in lines[:MAX_OPTIONS] if (name := option_name(line))]
        self._declared = {name.lower(): name for name in names}
        for line in lines:
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ")[:100]
        for name, value in self._options().items():
            process.send(f"setoption name {name} value {value}", deadline)
        return process

    def _options(self) -> dict[str, str]:
        """Return the values of options: those of the game that the engine has, then one's own."""
        own = {
            self._declared[name.lower()]: text.replace("\n", LINE_BREAK)
            for name, text in option_texts(self.game.all_options).items()
            if name.lower() in self._declared
        }
        return {**own, **self.settings.options}

    def _synchronize(self, process: EngineProcess) -> None:
        """Wait until the engine has read all lines so far."""
        deadline = monotonic() + self.settings.start
        process.send("isready", deadline)
        if process.wait_for("readyok", deadline) is None:
            raise EngineFailure(
                "timeout",
                f"The engine did not answer isready within {self.settings.start:g} s.",
                process.stderr,
            )

    def _position(self, position: Position) -> str:
        """Return the `position` line: with all moves if the record is known."""
        record = self.record
        if record is None or record.position != position:
            return position_line(position, (), startpos=False)
        start = record.positions[0]
        fixed = start == self.game.start(0) == self.game.start(1)  # the setup is not random
        return position_line(start, record.moves, startpos=fixed)

    def _count_nodes(self, lines: list[str]) -> None:
        """Add the nodes of a search from its last `info` line that has them."""
        for line in reversed(lines):
            found = re.search(r"^info\b.*\bnodes (\d{1,15})\b", line, re.ASCII)
            if found:
                self.simulations += int(found[1])
                return
