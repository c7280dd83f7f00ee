"""Our engine for the Universal Game Interface."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from support.small_games import small
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.game import Game, game_info
from teahouse.search.ugi import Go, parse_ugi
from teahouse.search.ugi.engine import UgiEngine
from teahouse.search.ugi.engine_options import EngineSettings, declarations
from teahouse.search.ugi.protocol import parse_go
from teahouse.search.ugi.searcher import allotted_seconds

COMMAND = [sys.executable, "-c", "from teahouse.terminal.commands import main; main()", "ugi"]
DOCUMENT = Path(__file__).parent.parent / "docs" / "ugi.md"
TWO_SIDED = [game for game in KINDS if len(game.teams) == 2]
SMALL = [th.load(name, **small(name)) for name in th.games()]
FIRST = SMALL[0]


class Lines:
    """Answers of an engine in this process."""

    def __init__(self, game: Game, level: int = 0) -> None:
        self.sent: list[str] = []
        self.arrived = Event()
        self.engine = UgiEngine(game, self._add, level)

    def _add(self, line: str) -> None:
        self.sent.append(line)
        if line.startswith(("bestmove", "readyok")):
            self.arrived.set()

    def ask(self, *lines: str, wait: bool = False) -> list[str]:
        """Send lines and return the answers, with the `bestmove` if `wait` is set."""
        self.sent.clear()
        self.arrived.clear()
        for line in lines:
            assert self.engine.handle(line)
        if wait:
            assert self.arrived.wait(120)
        return list(self.sent)


@pytest.fixture
def lines(request: pytest.FixtureRequest) -> Iterator[Lines]:
    found = Lines(getattr(request, "param", FIRST))
    yield found
    found.engine.close()


@pytest.mark.parametrize("lines", TWO_SIDED, ids=ids, indirect=True)
def test_engine_of_every_game_with_two_sides(lines: Lines) -> None:
    """Queries agree with the rules along a game; every option can be set to its own value."""
    game = lines.engine._game
    answers = lines.ask("ugi")
    assert answers[0].startswith("id name teahouse") and answers[-1] == "ugiok"
    declared = [line.split()[2] for line in answers if line.startswith("option")]
    assert set(declared) >= {"level", "threads", "seed", "multipv", "hash", "engine", *game.options}
    for name, value in game.options.items():
        text = "<empty>" if value is None else str(value).replace("\n", "\\n")
        assert lines.ask(f"setoption name {name.upper()} value {text}") == []
    record = th.Record.new(game)
    while True:
        position = record.position
        moves = " ".join(("moves", *record.moves)) if record.moves else ""
        asked = lines.ask(
            f"position startpos {moves}", "query gameover", "query p1turn", "query result"
        )
        result = f"p{game.side(position.winners[0]) + 1}win" if position.winners else "draw"
        expected = (position.over, game.side(position.player) == 0)
        assert asked == [
            *(f"response {str(value).lower()}" for value in expected),
            f"response {result if position.over else 'none'}",
        ]
        if position.over:
            break
        for _ in range(min(7, len(position.legal))):
            if not record.position.over:
                record.play(record.position.legal[len(record.moves) % len(record.position.legal)])
    middle = record.positions[len(record.moves) // 2]
    text = f"position fen {middle}"
    assert lines.ask(text, "query fen", f"query islegal {middle.legal[0]}") == [
        f"response {middle}",
        "response true",
    ]
    assert lines.ask("query islegal 0000") == ["response false"]
    assert lines.ask(f"position fen {record.position}", "go nodes 5") == [
        "info string There is no move. The game is over.",
        "bestmove 0000",
    ]


def test_random_setup_of_startpos_is_that_of_the_seed() -> None:
    for game in SMALL:
        lines = Lines(game)
        for seed in (0, 5):
            lines.ask(f"setoption name seed value {seed}", "uginewgame")
            assert lines.ask("query fen") == [f"response {game.start(seed)}"]
        lines.engine.close()


def test_search_ends_at_once_on_stop_and_on_quit(lines: Lines) -> None:
    lines.ask("go infinite")
    assert lines.ask("isready", "query p1turn") == ["readyok", "response true"]
    answers = lines.ask("stop", wait=True)  # it would never end by itself
    assert answers[-1].split()[0] == "bestmove"
    assert answers[-1].split()[1] in FIRST.start().legal
    lines.ask("go infinite")
    assert not lines.engine.handle("quit")


def test_another_command_ends_the_search_with_its_move(lines: Lines) -> None:
    lines.ask("go infinite")
    assert lines.ask("position startpos")[-1].startswith("bestmove")
    move = FIRST.start().legal[-1]
    lines.ask("go infinite")
    answers = lines.ask(f"position startpos moves {move}", "query fen")
    assert answers[-1] == f"response {FIRST.start().play(move)}"


def test_limits_of_searches(lines: Lines) -> None:
    for limits in ("depth 1", "nodes 20", "movetime 20", "p1time 900 p2time 10", "wtime 9 btime 9"):
        move = lines.ask(f"go {limits}", wait=True)[-1].removeprefix("bestmove ")
        assert move in FIRST.start().legal
    lines.ask("setoption name multipv value 3")
    answers = lines.ask("go nodes 200", wait=True)
    best = [line for line in answers if " multipv " in line][-3:]
    assert [line.split()[4] for line in best] == ["1", "2", "3"]
    pattern = r"info depth \d+ multipv \d score cp -?\d+ nodes \d+ nps \d+ time \d+ pv \S.*"
    assert all(re.fullmatch(pattern, line) for line in best)


def test_time_of_a_move() -> None:
    first = FIRST.start()
    assert allotted_seconds(Go(), first) is None
    assert allotted_seconds(Go(nodes=5), first) is None
    assert allotted_seconds(Go(seconds=1.0), first) == pytest.approx(0.97)
    by_clock = Go(clocks=(60.0, 1.0), increments=(1.0, 0.0))
    side = FIRST.side(first.player)
    allotted = allotted_seconds(by_clock, first)
    assert allotted is not None and 0 < allotted < by_clock.clocks[side] / 2  # type: ignore[index]
    assert allotted_seconds(Go(clocks=(0.0, 0.0)), first) == 0.01


def test_limits_as_text() -> None:
    for go in (
        Go(),
        Go(seconds=0.5),
        Go(nodes=7, depth=3, infinite=True),
        Go(clocks=(1.0, 2.5), increments=(0.0, 0.25)),
    ):
        assert parse_go(go.text().split()[1:]) == go
    assert parse_go(["wtime", "-5", "btime", "100", "ponder"]) == Go(clocks=(0.0, 0.1))
    assert parse_go(["p2time", "100"]) == Go(clocks=(0.1, 0.1))
    with pytest.raises(ValueError, match="movetime must be an integer, got ''"):
        parse_go(["movetime"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("dance", "Unknown command 'dance'; commands: ugi,"),
        ("go nodes many", "nodes must be an integer, got 'many'"),
        ("position", "Expected position startpos"),
        ("position fen ?", "osition"),
        ("position startpos moves z99", "Move 1: Illegal move 'z99'"),
        ("setoption level 3", "Expected setoption name NAME value VALUE."),
        ("setoption name level value 9", "level must be an integer from 0 to 8"),
        ("setoption name level value ٣", "level must be an integer from 0 to 8"),
        ("setoption name engine value steam", "Unknown engine 'steam'"),
        ("setoption name colour value red", "Unknown option 'colour'; options: level,"),
        ("query weather", "Unknown query 'weather'; queries: gameover,"),
        ("\0\x1b[2J �", "Unknown command"),
    ],
)
def test_garbage_is_answered_with_the_reason(lines: Lines, line: str, reason: str) -> None:
    (answer,) = lines.ask(line)
    assert answer.startswith("info string ") and reason in answer and answer.isprintable()
    assert lines.ask("position startpos", "query fen") == [f"response {FIRST.start()}"]


def test_no_move_is_made_up_for_an_invalid_position(lines: Lines) -> None:
    lines.ask("position startpos moves z99")
    answers = lines.ask("query result", "go nodes 5")
    assert "not valid" in answers[0]
    assert answers[-1] == "bestmove 0000"


def test_options_are_checked_together_and_need_two_sides() -> None:
    """A controller may set them in any order; a variant with three sides is refused."""
    for name in th.games():
        lines = Lines(th.load(name))
        for option, value in th.load(name, **small(name)).options.items():
            text = "<empty>" if value is None else str(value)
            assert lines.ask(f"setoption name {option} value {text}") == []
        position = th.load(name, **small(name)).start(0)
        assert lines.ask("position startpos", "query fen") == [f"response {position}"]
        lines.engine.close()
    for game in KINDS:
        if len(game.teams) == 2:
            continue
        with pytest.raises(th.OptionError, match="two sides"):
            parse_ugi(game, f"ugi:{sys.executable}")
        lines = Lines(th.load(game.name))
        for option, value in game.options.items():
            lines.ask(f"setoption name {option} value {value}".replace("\n", "\\n"))
        assert "is for two sides" in lines.ask("query result")[0]
        assert lines.ask("query result") == ["response none"]
        lines.engine.close()


def test_every_kind_of_option_is_declared() -> None:
    for game in SMALL:
        found = list(declarations(game, EngineSettings.of(game)))
        assert len(found) == 6 + len(game_info(game.name).options)
        for line in found:
            assert re.fullmatch(
                r"option name \S+ type "
                r"(spin default \d+ min \d+ max \d+|check default (true|false)|string default \S+"
                r"|combo default \S+( var \S+)+)",
                line,
            )


def test_long_and_binary_lines_do_not_end_the_program() -> None:
    typed = b"x" * (1 << 20) + b"xx\n\xff\xfe\n\n" + b"ugi \0\n" + b"quit\nugi\n"
    done = subprocess.run([*COMMAND, FIRST.name], input=typed, capture_output=True, timeout=120)
    assert done.returncode == 0 and not done.stderr
    answers = done.stdout.decode().splitlines()
    assert "at most 1,048,576 bytes" in answers[0]
    assert "Unknown command" in answers[1]
    assert answers[-1] == "ugiok" and answers.count("ugiok") == 1


def test_example_session_of_the_document() -> None:
    """The document shows what was typed after `>`, and the answers; times and speed may differ."""
    text = DOCUMENT.read_text(encoding="utf-8")
    command, session = re.findall(r"\$ teahouse ugi (.*)\n((?:.+\n)+)", text)[0]
    shown = [line.strip() for line in session.splitlines() if line.strip() != "```"]
    typed = "\n".join(line[2:] for line in shown if line.startswith("> "))
    expected = [line for line in shown if not line.startswith("> ")]
    game, *options = command.split()
    process = subprocess.Popen(
        [*COMMAND, game, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    answers: list[str] = []
    for line in typed.splitlines():
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        last = {"ugi": "ugiok", "isready": "readyok", "go": "bestmove", "query": "response"}
        until = last.get(line.split()[0])
        while until is not None:
            answers.append(process.stdout.readline().strip())
            if answers[-1].startswith(until):
                break
    process.stdin.close()
    process.stdout.close()
    assert process.wait(60) == 0

    def timeless(line: str) -> str:
        """Return a line without what differs between versions and machines."""
        changing = r"(nps|time|id name teahouse|name threads type spin default) \S+"
        return re.sub(changing, r"\1 *", line)

    assert [timeless(line) for line in answers] == [timeless(line) for line in expected]
