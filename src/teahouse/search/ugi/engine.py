"""The UGI engine: reads commands, answers at once, and searches in a thread.

    for line in sys.stdin.buffer: engine.handle(line)

`stop`, `isready`, `query` and `quit` are answered while a search runs. A line that cannot be
understood is answered with `info string` and the reason, and changes nothing.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from importlib.metadata import version
from threading import Event, Lock, Thread
from typing import Any, BinaryIO

from teahouse.core.catalog import load
from teahouse.core.errors import IllegalMove, OptionError, PositionError, quoted
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.search.prepare import Preparation
from teahouse.search.ugi.engine_options import (
    BOUNDS,
    EngineSettings,
    check_sides,
    declarations,
    option_value,
    parse_setoption,
)
from teahouse.search.ugi.protocol import NO_MOVE, Go, parse_go, parse_position
from teahouse.search.ugi.searcher import Searcher

MAX_LINE = 1 << 20
"""Bytes of a line; longer ones are skipped."""
QUIT_SECONDS = 1.0  # seconds for a search to stop
QUERIES = "gameover, p1turn, result, islegal MOVE, fen"


class UgiEngine:
    """Answers the commands of one controller; `send` writes a line."""

    def __init__(self, game: Game, send: Callable[[str], None], level: int = 0) -> None:
        self._game = check_sides(game)
        self._settings = EngineSettings.of(game, level)
        self._write = send
        self._lock = Lock()
        self._preparation = Preparation()
        self._options: dict[str, Any] = {}  # set by the controller, not yet applied
        self._searcher: Searcher | None = None
        self._start = self._position = game.start(self._settings.seed)
        self._moves: list[str] = []
        self._valid = True  # whether the last `position` was
        self._loaded = False
        self._cancel = Event()
        self._thread: Thread | None = None
        self._searching = False
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "ugi": self._ugi,
            "isready": self._isready,
            "setoption": self._setoption,
            "uginewgame": self._uginewgame,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda _: self._cancel.set(),
            "query": self._query,
        }

    def run(self, lines: BinaryIO) -> None:
        """Answer all lines until `quit` or the end of the input."""
        try:
            while line := lines.readline(MAX_LINE):
                if not line.endswith(b"\n") and len(line) == MAX_LINE:
                    while line and not line.endswith(b"\n"):
                        line = lines.readline(MAX_LINE)
                    self._inform(f"A line has at most {MAX_LINE:,} bytes; it was skipped.")
                elif not self.handle(line.decode(errors="replace")):
                    break
        finally:
            self.close()

    def handle(self, line: str) -> bool:
        """Carry out one line; return whether to read on."""
        words = line.split()
        if not words:
            return True
        if words[0] == "quit":
            return False
        command = self._commands.get(words[0])
        if command is None:
            known = ", ".join([*self._commands, "quit"])
            self._inform(f"Unknown command {quoted(words[0])}; commands: {known}.")
            return True
        try:
            if words[0] not in ("ugi", "setoption", "stop"):
                self._apply_options()
            command(words[1:])
        except (OptionError, PositionError, IllegalMove, ValueError) as error:
            self._inform(str(error))
        return True

    def close(self) -> None:
        """End the search and all preparation."""
        self._cancel.set()
        thread = self._thread
        if thread is not None:
            thread.join(QUIT_SECONDS)
        self._preparation.close()

    def _send(self, line: str) -> None:
        with self._lock:
            self._write(line)

    def _inform(self, text: str) -> None:
        self._send(f"info string {' '.join(text.split())}")

    def _ugi(self, _: list[str]) -> None:
        self._send(f"id name teahouse {version('teahouse')} {self._game.name}")
        self._send("id author the teahouse authors")
        for line in declarations(self._game, self._settings):
            self._send(line)
        self._send("ugiok")

    def _isready(self, _: list[str]) -> None:
        """Answer at once while a search runs, else when compiled kernels are loaded."""
        if self._searching or self._loaded:
            self._send("readyok")
            return
        self._loaded = True
        self._begin(self._load, searching=False)

    def _load(self, cancel: Event) -> None:
        try:
            self._new_searcher().load(cancel)
        finally:
            self._send("readyok")

    def _setoption(self, words: list[str]) -> None:
        name, value = parse_setoption(words)
        if name.lower() in (*BOUNDS, "engine"):
            self._end_search()
            self._settings = self._settings.changed(name.lower(), value)
            if name.lower() != "seed":
                self._forget()
            elif self._searcher is not None:
                self._searcher.settings = self._settings
        else:
            exact, parsed = option_value(self._game, name, value)
            self._options[exact] = parsed

    def _apply_options(self) -> None:
        """Load the game with the options that were set; they are checked together."""
        if not self._options:
            return
        options, self._options = {**self._game.options, **self._options}, {}
        game = check_sides(load(self._game.name, **options))
        if game != self._game:
            self._end_search()
            self._game = game
            self._forget()
            self._set_position(["startpos"])

    def _forget(self) -> None:
        """Discard the searcher of the previous options."""
        self._searcher = None
        self._loaded = False

    def _uginewgame(self, _: list[str]) -> None:
        self._end_search()
        self._searcher = None
        self._set_position(["startpos"])

    def _set_position(self, words: list[str]) -> None:
        self._end_search()
        self._valid = False
        start, moves = parse_position(self._game, words, self._settings.seed)
        known = len(self._moves)
        if start == self._start and moves[:known] == self._moves:
            position, played = self._position, known
        else:
            position, played = start, 0
        for number, move in enumerate(moves[played:], played + 1):
            try:
                position = position.play(move)
            except IllegalMove as error:
                raise IllegalMove(f"Move {number}: {error}") from None
        self._start, self._moves, self._position = start, moves, position
        self._valid = True

    def _go(self, words: list[str]) -> None:
        self._end_search()
        go = parse_go(words)
        position = self._position
        if not self._valid or position.over:
            why = "The game is over." if self._valid else "The last position was not valid."
            self._inform(f"There is no move. {why}")
            self._send(f"bestmove {NO_MOVE}")
            return
        self._begin(lambda cancel: self._search(position, go, cancel), searching=True)

    def _search(self, position: Position, go: Go, cancel: Event) -> None:
        try:
            move = self._new_searcher().choose(position, go, cancel, self._send)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self._inform("Internal error of the search; the first legal move is played.")
            move = position.legal[0]
        if go.infinite:
            cancel.wait()
        self._searching = False
        self._send(f"bestmove {move}")

    def _new_searcher(self) -> Searcher:
        """Return the searcher of the game and its settings."""
        if self._searcher is None:
            self._searcher = Searcher(self._game, self._settings, self._preparation)
        return self._searcher

    def _begin(self, work: Callable[[Event], None], *, searching: bool) -> None:
        """Start a thread, after the one before has ended."""
        self._end_search()
        self._cancel = cancel = Event()
        self._searching = searching
        self._thread = Thread(target=work, args=(cancel,), daemon=True)
        self._thread.start()

    def _end_search(self) -> None:
        """End the search that runs, with its `bestmove`; let the kernels be loaded."""
        if self._thread is not None:
            if self._searching:
                self._cancel.set()
            self._thread.join()
            self._thread = None

    def _query(self, words: list[str]) -> None:
        if not self._valid:
            raise PositionError("The last position was not valid; there is nothing to ask about.")
        position, game = self._position, self._game
        winners = position.winners
        match words:
            case ["gameover"]:
                answer = _boolean(position.over)
            case ["p1turn"]:
                answer = _boolean(game.side(position.player) == 0)
            case ["result"] if not position.over:
                answer = "none"
            case ["result"]:
                answer = f"p{game.side(winners[0]) + 1}win" if winners else "draw"
            case ["islegal", move]:
                answer = _boolean(move in position.legal)
            case ["fen"]:
                answer = str(position)
            case _:
                raise OptionError(f"Unknown query {quoted(' '.join(words))}; queries: {QUERIES}.")
        self._send(f"response {answer}")


def _boolean(value: bool) -> str:
    return "true" if value else "false"
