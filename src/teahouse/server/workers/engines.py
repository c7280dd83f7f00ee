"""Engines of the operator: UGI programs that play as bot accounts of this server.

Each is a process of `teahouse connect`, which has no more rights than any other program with a
token; it is started again when it ends, and ends with the server.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa
from pydantic import TypeAdapter, ValidationError

from teahouse.core.catalog import games, load
from teahouse.core.errors import OptionError, quoted
from teahouse.search.ugi import parse_ugi
from teahouse.server.accounts import rows, tokens
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.names import AccountName
from teahouse.server.storage.store import Store
from teahouse.server.tables.ids import new_id
from teahouse.server.tasks import BackgroundTasks

log = logging.getLogger("teahouse.server.workers.engines")

CONNECT = "from teahouse.terminal.commands import main; main()"
TOKEN_VARIABLE = "TEAHOUSE_TOKEN"  # noqa: S105 - its name
TOKEN_NAME = "engine of the server"  # noqa: S105 - its name
MAIL = "TEAHOUSE_SMTP_"
"""Prefix of environment variables that are hidden from engines: some hold passwords."""
FIRST_DELAY = 1.0
MAX_DELAY = 60.0
STOP_SECONDS = 5.0
INVALID_INPUT = 2
"""The exit code of a permanent error."""
_SPEC = re.compile(r"(?P<name>[^\[=]*)(?:\[(?P<games>[^\]]*)\])?=(?P<command>.+)", re.DOTALL)
_name_adapter: TypeAdapter[str] = TypeAdapter(AccountName)


@dataclass(frozen=True)
class EngineSpec:
    """An engine and the name of its bot account."""

    name: str
    games: tuple[str, ...]
    """The games that it plays."""
    command: str
    """Such as `ugi:./engine`."""

    @classmethod
    def parse(cls, text: str) -> EngineSpec:
        """Return the engine that `NAME=ugi:PROGRAM` or `NAME[GAME,…]=ugi:PROGRAM` stands for.

        Without games it plays all that have two sides. Raise `OptionError` if it cannot be used.
        """
        match = _SPEC.fullmatch(text)
        if match is None:
            expected = "NAME=ugi:PROGRAM or NAME[GAME,…]=ugi:PROGRAM"
            raise OptionError(f"Invalid engine {quoted(text)}; expected {expected}.")
        two_sided = [name for name in games() if len(load(name).teams) == 2]
        named = match["games"].split(",") if match["games"] else two_sided
        for name in named:
            parse_ugi(load(name), match["command"])
        try:
            return cls(_name_adapter.validate_python(match["name"]), tuple(named), match["command"])
        except ValidationError as error:
            raise OptionError(f"Engine {quoted(text)}: {error.errors()[0]['msg']}") from None


class Engines:
    """The processes that run the operator's engines."""

    def __init__(self, specs: tuple[EngineSpec, ...], store: Store, url: str) -> None:
        self._specs = specs
        self._store = store
        self._url = url
        self._tasks = BackgroundTasks()

    async def start(self) -> None:
        """Start all engines, except those whose name another account has."""
        for spec in self._specs:
            secret = tokens.new_token()
            if await self._store.write(partial(self._prepare, spec=spec, secret=secret)):
                self._tasks.start(self._supervise(spec, secret))
            else:
                log.error("Engine %s is not started: another account has this name.", spec.name)

    async def close(self) -> None:
        """Stop all engines."""
        await self._tasks.cancel()

    def _prepare(self, connection: sa.Connection, spec: EngineSpec, secret: str) -> bool:
        """Create the bot account if it is missing, and replace its token.

        Return whether the name is free, or that of an engine.
        """
        account, now = rows.by_name(connection, spec.name), self._store.now().wall
        if account is None:
            account = Account(new_id(), spec.name, "bot", None, now, None, deleted=False)
            rows.add(connection, account, None)
        elif account.kind != "bot" or account.owner is not None:
            return False
        for token in tokens.tokens_of(connection, account.id):
            if token.name == TOKEN_NAME:
                tokens.delete(connection, token.id)
        scopes = frozenset(tokens.SCOPES)
        created = tokens.ApiToken(new_id(), account.id, TOKEN_NAME, scopes, now, None, None)
        return tokens.add(connection, secret, created, limit=sys.maxsize)

    async def _supervise(self, spec: EngineSpec, secret: str) -> None:
        """Run an engine, and restart it when it exits."""
        delay = FIRST_DELAY
        loop = asyncio.get_running_loop()
        while True:
            started = loop.time()
            code = await self._run(spec, secret)
            if code == INVALID_INPUT:
                log.error("Engine %s failed permanently; it is not restarted.", spec.name)
                return
            delay = FIRST_DELAY if loop.time() - started > MAX_DELAY else min(2 * delay, MAX_DELAY)
            log.warning("Engine %s exited; restarting it in %.0f s.", spec.name, delay)
            await asyncio.sleep(delay)

    async def _run(self, spec: EngineSpec, secret: str) -> int:
        """Run `teahouse connect` until it ends; return its exit code."""
        arguments = ["connect", self._url, "--engine", spec.command, "--stop-with-input"]
        for game in spec.games:
            arguments += ["--game", game]
        inherited = {name: os.environ[name] for name in os.environ if not name.startswith(MAIL)}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", CONNECT),
            *arguments,
            stdin=asyncio.subprocess.PIPE,  # closed with this process, however it ends
            stdout=asyncio.subprocess.DEVNULL,
            env={**inherited, TOKEN_VARIABLE: secret},
        )
        try:
            return await process.wait()
        finally:
            if process.returncode is None:
                await _stop(process)


async def _stop(process: asyncio.subprocess.Process) -> None:
    """Let a process end by closing its input; kill it if it does not."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
