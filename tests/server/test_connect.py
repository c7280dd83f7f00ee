"""`teahouse connect`: bot accounts that are played by levels and by UGI engines, good and bad."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from support.bot_accounts import add_bots
from support.servers import ServerProcess

import teahouse as th
from teahouse.client import (
    AsyncClient,
    Challenge,
    ChallengeGone,
    GameStarted,
    Realtime,
    Table,
    Untimed,
)
from teahouse.client.models import TimeControl
from teahouse.server.workers.engines import EngineSpec
from teahouse.terminal.commands.connect import TOKEN_VARIABLE, read_token
from teahouse.terminal.connect.choices import Clock, Rated
from teahouse.terminal.connect.players import PlayerFactory, engine_factory, level_factory
from teahouse.terminal.connect.rules import AcceptRules, check_games
from teahouse.terminal.connect.runner import Runner

BAD_ENGINE = Path(__file__).parent.parent / "support" / "bad_engine.py"
GAME = next(game for game in th.games() if len(th.load(game).players) == 2)
ACCEPT_ALL = AcceptRules(check_games(None), frozenset(Clock), Rated.ANY, 0, True, False)


class EngineServer:
    """A server with an engine of its operator, which dies, and tokens of two bot accounts."""

    def __init__(self, database: str) -> None:
        self._database = database
        self.engine, self.opponent = add_bots(database, "Engine", "Opponent")
        self.server = self._serve()

    def _serve(self, port: int = 0) -> ServerProcess:
        command = shlex.join([sys.executable, str(BAD_ENGINE), "die"])
        engines = [f"Kettle[{GAME}]=ugi:{command}"]
        return ServerProcess(self._database, port=port, engines=engines)

    def restart(self) -> None:
        """Kill the server and start it at the same address."""
        self.server.kill()
        self.server = self._serve(self.server.port)


@pytest.fixture(scope="module")
def engine_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineServer]:
    started = EngineServer(str(tmp_path_factory.mktemp("connect") / "teahouse.db"))
    try:
        yield started
    finally:
        errors = started.server.stop()
    assert "Traceback" not in errors, errors


@asynccontextmanager
async def connected(
    server: ServerProcess, token: str, factory: PlayerFactory
) -> AsyncIterator[list[str]]:
    """Run a bot account; yield what it reports."""
    reports: list[str] = []
    async with AsyncClient(server.address, token) as client:
        runner = Runner(client, factory, ACCEPT_ALL, 1, reports.append)
        running = asyncio.create_task(runner.run())
        try:
            yield reports
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def begin(
    client: AsyncClient, time_control: TimeControl | None = None, to: str = "Engine"
) -> Table:
    """Challenge a bot account, which gets the first move, and return the table."""
    lobby = await client.lobby()
    await client.challenge(GAME, to=to, time_control=time_control or Untimed(), seat=1)
    async for event in lobby.events():
        if isinstance(event, GameStarted):
            await client.leave(lobby)
            return await client.join(event.table)
    raise AssertionError("the lobby has closed")


def bad_engine(mode: str, settings: str = "") -> PlayerFactory:
    """Return the factory of an engine that misbehaves."""
    command = shlex.join([sys.executable, str(BAD_ENGINE), mode])
    return engine_factory(f"ugi[seconds=0.1,margin=0.2,{settings}]:{command}")


@pytest.mark.parametrize(("mode", "games"), [("hang", 1), ("flood", 1), ("illegal", 1), ("die", 2)])
async def test_a_bad_engine_resigns_and_the_server_goes_on(
    engine_server: EngineServer, mode: str, games: int
) -> None:
    async with (
        connected(engine_server.server, engine_server.engine, bad_engine(mode)) as reports,
        AsyncClient(engine_server.server.address, engine_server.opponent) as client,
    ):
        for _ in range(games):  # the account goes on to its next game
            table = await begin(client)
            assert "resigned" in await table.finished()
            assert table.winners == (1,)
    assert sum(report.startswith("Resigned") for report in reports) == games
    assert engine_server.server.request("/api/health")[1]["status"] == "ok"


async def test_further_challenges_wait_in_their_order(engine_server: EngineServer) -> None:
    server = engine_server.server
    async with AsyncClient(server.address, engine_server.opponent) as client:
        lobby = await client.lobby()
        sent = [
            await client.challenge(GAME, to="Engine", time_control=Untimed(), seat=1)
            for _ in range(4)
        ]
        begun = []
        async with connected(server, engine_server.engine, level_factory(1)) as reports:
            for number in range(3):
                async for event in lobby.events():
                    if isinstance(event, ChallengeGone) and event.reason is None:
                        begun.append(event.id)
                    elif isinstance(event, GameStarted):
                        table = await client.join(event.table)
                        break
                while sum(report.startswith("Playing") for report in reports) <= number:
                    await asyncio.sleep(0)
                assert sum(report.startswith("Accepted") for report in reports) == number + 1
                if number == 0:
                    await client.decline(sent[2].id)  # withdraws it
                await table.resign()
    assert begun == [sent[number].id for number in (0, 1, 3)]
    assert not any("could not be answered" in report for report in reports)


async def test_a_level_replaces_a_bad_engine_if_configured(engine_server: EngineServer) -> None:
    factory = bad_engine("die", "on_failure=level1")
    async with (
        connected(engine_server.server, engine_server.engine, factory),
        AsyncClient(engine_server.server.address, engine_server.opponent) as client,
    ):
        table = await begin(client, Realtime(600))
        turns = 0
        async for position in table.turns():
            await table.play(position.legal[0])
            turns += 1
            if turns == 3:
                break
        await table.resign()
        assert table.winners == (0,)


async def test_a_level_plays_on_after_a_restart_of_the_server(engine_server: EngineServer) -> None:
    async with (
        connected(engine_server.server, engine_server.engine, level_factory(1)) as reports,
        AsyncClient(engine_server.server.address, engine_server.opponent) as client,
    ):
        table = await begin(client, Realtime(600))
        turns = 0
        async for position in table.turns():
            await table.play(position.legal[0])
            turns += 1
            if turns == 2:
                engine_server.restart()
            if turns == 4:
                await table.resign()
        assert len(table.moves) >= 8
        while not any("is over" in report for report in reports):
            await asyncio.sleep(0)


async def test_an_engine_of_the_operator_can_be_challenged(engine_server: EngineServer) -> None:
    async with AsyncClient(engine_server.server.address, engine_server.opponent) as client:
        while not (found := (await client.api.get("/api/bots"))["bots"]):
            await asyncio.sleep(0.05)
        assert [(bot["name"], bot["games"]) for bot in found] == [("Kettle", [GAME])]
        for _ in range(2):  # it dies, and plays the next game
            table = await begin(client, to="Kettle")
            assert "resigned" in await table.finished()


@pytest.mark.parametrize("engine", ["Engine", "Engine[no_such_game]=ugi:ls", "=ugi:ls", "a=ugi:no"])
def test_an_engine_that_cannot_be_used_is_named(engine: str) -> None:
    with pytest.raises(th.OptionError, match=r"[Ee]ngine|Unknown game|there is no program"):
        EngineSpec.parse(engine)


def challenge(time_control: TimeControl, rated: bool = False) -> Challenge:
    """Return a challenge of a guest."""
    options = th.load(GAME).options
    return Challenge(
        "a" * 10, GAME, options, time_control, rated, None, None, None, None, 2, 1, "x"
    )


def test_challenges_are_accepted_by_rules() -> None:
    def refusal(one: Challenge, **changes: object) -> str | None:
        return replace(ACCEPT_ALL, **changes).refusal(one)  # type: ignore[arg-type]

    blitz = challenge(Realtime(60), rated=True)
    assert refusal(blitz) is None
    assert refusal(blitz, games=frozenset()) == f"the game is {GAME}"
    assert refusal(blitz, clocks=frozenset([Clock.NONE])) == "the clock is realtime"
    assert refusal(blitz, min_seconds=61) == "the clock starts at 60 s"
    assert refusal(blitz, rated=Rated.CASUAL) == "the game is rated"
    assert refusal(challenge(Untimed()), rated=Rated.RATED) == "the game is casual"
    for game in th.games():
        other = replace(challenge(Untimed()), game=game, options={})
        accepted = refusal(other, two_sided=True) is None
        assert accepted == (len(th.load(game).teams) == 2)
    unknown = replace(blitz, options={"no_such_option": 1})
    assert "no_such_option" in str(refusal(unknown))


@pytest.mark.parametrize(
    ("arguments", "token", "code", "message"),
    [
        (["--level", "1"], "abc", 2, "There is no token in the variable TEAHOUSE_TOKEN"),
        (["--level", "1"], "th_abc", 1, "expired or been revoked"),
    ],
)
def test_the_command_says_what_is_wrong(
    engine_server: EngineServer,
    arguments: list[str],
    token: str,
    code: int,
    message: str,
) -> None:
    program = Path(sys.executable).parent / "teahouse"
    done = subprocess.run(
        [program, "connect", engine_server.server.address, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "TEAHOUSE_TOKEN": token},
    )
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr


def test_engines_do_not_inherit_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "th_secret")
    assert read_token(None) == "th_secret"
    assert TOKEN_VARIABLE not in os.environ
