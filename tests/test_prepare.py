"""Preparing bots: interpreted answers until another process has compiled their kernels."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Semaphore

import pytest
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.playouts import play_games
from teahouse.search.bot import Bot
from teahouse.search.compile_process import CompileError, CompileProcess
from teahouse.search.engine import Engine
from teahouse.search.kernels import BY_NAME, all_kernels, bot_kernels, compile_costs, is_ready
from teahouse.search.levels import LEVELS, profile
from teahouse.search.mcts.tree import simulate
from teahouse.search.prepare import (
    Preparation,
    kernels_ready,
    prepare,
    prepare_in_background,
)

SMALL = th.load("orochi", side=2)
COMMAND = [
    *(sys.executable, "-c"),
    "from teahouse.terminal.commands import main; main()",
    "warm",
]


@pytest.fixture(scope="module")
def warmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kernel cache that `teahouse warm` has filled for SMALL."""
    folder = tmp_path_factory.mktemp("warmed") / "kernels"
    result = subprocess.run(
        [*COMMAND, "orochi", "-o", "side=2", "--json"],
        env={**os.environ, "TEAHOUSE_CACHE_DIR": str(folder)},
        check=True,
        capture_output=True,
        timeout=300,
        text=True,
    )
    answer = json.loads(result.stdout)
    (entry,) = answer["games"]
    assert (entry["game"], entry["ready"], entry["error"]) == ("orochi", True, None)
    assert answer["folder"] == str(folder)
    assert answer["files"] == len(all_kernels(SMALL)) == len(list(folder.glob("*.bin")))
    return folder


@pytest.fixture
def use_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """A function that switches to a kernel cache, with no kernel in memory."""

    def use(folder: Path) -> None:
        jit.clear()
        monkeypatch.setenv("TEAHOUSE_CACHE_DIR", str(folder))

    yield use
    jit.clear()


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_low_levels_answer_interpreted_as_they_do_compiled(
    game: Game, tmp_path: Path, use_cache: Callable[[Path], None]
) -> None:
    position = game.start(seed=1)
    compiled = [Bot(game, level, seed=3).choose(position) for level in (1, 2)]
    use_cache(tmp_path)
    bots = [Bot(game, level, seed=3, wait=False) for level in (1, 2)]
    assert [bot.choose(position) for bot in bots] == compiled
    assert not any(tmp_path.iterdir())


def test_an_engine_switches_to_compiled_kernels_when_they_are_ready(
    tmp_path: Path, warmed: Path, use_cache: Callable[[Path], None]
) -> None:
    use_cache(tmp_path)
    position = th.load("orochi", side=2).start()
    assert not kernels_ready(SMALL, 1)
    assert not kernels_ready(SMALL, 8)
    params = profile(SMALL).params
    engine = Engine(position, params, threads=2, seed=1, reuse_tree=True, wait=False)
    assert not engine.prepared
    first = engine.run(0.05, None)
    assert first.best in position.legal
    use_cache(warmed)
    assert all(kernels_ready(SMALL, level) for level in LEVELS)
    engine.set_position(position.play(first.best), seed=1)
    assert engine.prepared
    assert engine.run(0.05, None).simulations > 0


def test_a_strong_bot_answers_early_while_it_is_not_prepared(
    tmp_path: Path, use_cache: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_cache(tmp_path)
    monkeypatch.setattr("teahouse.search.engine.UNPREPARED_SECONDS", 0.05)
    position = th.load("oolong").start()
    for level in LEVELS[5:]:
        budget = profile(position.game).levels[level - 1]
        bot = Bot(position.game, level, seed=1, wait=False)
        assert bot.choose(position) in position.legal
        assert 0 < bot.simulations < (budget.simulations or 10**9)
    assert not any(tmp_path.iterdir())


def test_without_a_cache_to_share_a_bot_compiles_by_itself(
    tmp_path: Path, use_cache: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("teahouse.search.kernels.shares_kernels", lambda: False)
    engine = Engine(SMALL.start(), profile(SMALL).params, wait=False)
    assert engine.prepared


def test_a_killed_compile_process_is_replaced(
    tmp_path: Path, use_cache: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_cache(tmp_path)
    attempts: list[str] = []
    compile_really = CompileProcess.compile

    def compile_killed_once(self: CompileProcess, kernel: jit.Kernel, game: Game) -> float:
        attempts.append(kernel.__name__)
        if len(attempts) == 1:
            code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
            self._process = subprocess.Popen(
                [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        return compile_really(self, kernel, game)

    monkeypatch.setattr(CompileProcess, "compile", compile_killed_once)
    monkeypatch.setattr("teahouse.search.prepare.all_kernels", lambda game: (play_games,))
    preparation = Preparation()
    preparation.add(SMALL)
    assert 0 <= preparation.fraction(SMALL) < 1
    assert not preparation.done
    assert preparation.wait(300)
    assert preparation.error(SMALL) is None
    assert attempts == [play_games.__name__] * 2
    assert is_ready(play_games, SMALL)
    assert preparation.done
    preparation.close()


def test_a_compile_process_reports_errors_and_goes_on() -> None:
    def unknown() -> None: ...

    process = CompileProcess()
    for _ in range(2):
        with pytest.raises(CompileError, match="KeyError: 'unknown'"):
            process.compile(unknown, SMALL)
    process.close()


def test_a_compile_process_ends_with_the_one_that_started_it() -> None:
    starter = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "import subprocess, sys, time\n"
            "child = subprocess.Popen([sys.executable, '-m', 'teahouse.search.compile_process'],"
            " stdin=subprocess.PIPE, stdout=sys.stdout)\n"
            "print(child.pid, flush=True)\n"
            "time.sleep(600)\n",
        ],
        stdout=subprocess.PIPE,
    )
    assert starter.stdout is not None
    starter.stdout.readline()
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    assert starter.stdout.read() == b""  # returns once the child has closed its end too
    starter.stdout.close()


def test_a_ready_game_is_not_compiled_again(
    warmed: Path, use_cache: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_cache(warmed)
    monkeypatch.setattr(CompileProcess, "compile", lambda *_: pytest.fail("compiled"))
    preparation = Preparation()
    preparation.add(SMALL, first=True)
    assert preparation.done
    assert preparation.fraction(SMALL) == 1
    assert not preparation._urgent
    preparation.close()
    fractions: list[float] = []
    prepare(SMALL, fractions.append)
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0, 1)


def test_a_failed_game_is_reported_and_leaves_the_others_alone(
    tmp_path: Path, use_cache: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_cache(tmp_path)
    other = th.load("orochi", side=3)

    def compile_failing(self: CompileProcess, kernel: jit.Kernel, game: Game) -> float:
        if game == SMALL:
            raise CompileError("TypingError: no")
        return 0.1

    monkeypatch.setattr(CompileProcess, "compile", compile_failing)
    preparation = Preparation()
    preparation.add(other)
    preparation.add(SMALL, first=True)
    assert preparation.wait(60)
    assert preparation.error(SMALL) == "TypingError: no"
    assert preparation.error(other) is None
    assert not (preparation._urgent or preparation._owners or preparation._taken)
    preparation.close()
    preparation.add(other)  # nothing happens any more
    assert preparation.done


def test_an_idle_compile_process_is_closed_and_one_that_just_starts_is_killed(
    tmp_path: Path, use_cache: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_cache(tmp_path)
    monkeypatch.setattr("teahouse.search.prepare.IDLE_SECONDS", 0.01)
    closed = Semaphore(0)
    busy = Event()

    def compile_until_closed_again(self: CompileProcess, kernel: jit.Kernel, game: Game) -> float:
        busy.set()
        assert closed.acquire(timeout=60)
        assert closed.acquire(timeout=60)  # the first call found no process yet
        return 0.0

    monkeypatch.setattr(CompileProcess, "close", lambda _: closed.release())
    monkeypatch.setattr(CompileProcess, "compile", lambda *_: 0.0)
    preparation = prepare_in_background([th.load("orochi")])
    assert preparation.wait(60)
    assert closed.acquire(timeout=60)
    monkeypatch.setattr(CompileProcess, "compile", compile_until_closed_again)
    preparation.add(th.load("toot"))
    assert busy.wait(60)
    preparation.close()


@pytest.mark.parametrize("name", th.games())
def test_kernels_of_bots(name: str) -> None:
    game = th.load(name)
    for level in LEVELS:
        assert set(bot_kernels(game, level)) <= set(all_kernels(game)) <= set(BY_NAME.values())
    costs = compile_costs(game)
    assert tuple(costs) == all_kernels(game)
    assert max(costs, key=lambda kernel: costs[kernel]) is simulate  # the first one


def test_warm_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    def warm(*arguments: str, **environment: str) -> tuple[int, str]:
        result = subprocess.run(
            [*COMMAND, *arguments],
            env={**os.environ, **environment},
            capture_output=True,
            timeout=100,
            text=True,
        )
        return result.returncode, result.stderr

    status, error = warm("chess")
    assert (status, error.split(";")[0]) == (2, "teahouse: Unknown game 'chess'")
    status, error = warm("orochi", TEAHOUSE_CACHE_DIR=str(tmp_path / "file" / "kernels"))
    assert status == 1
    assert "Cannot prepare: the kernel cache" in error
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    status, error = warm("orochi", TEAHOUSE_CACHE_DIR=str(tmp_path / "open"))
    assert status == 1
    assert "other users may write to it" in error
    status, error = warm(TEAHOUSE_INTERPRETED="1")
    assert status == 2
    assert "TEAHOUSE_INTERPRETED" in error
