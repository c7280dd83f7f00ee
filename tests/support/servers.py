"""Servers to test: real processes, real sockets, real databases."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

SERVE = """
import sys, json
from teahouse.server.serve import BindAddress, serve
from teahouse.server.settings import ServerSettings
settings = ServerSettings(**json.loads(sys.argv[1]))
serve(settings, BindAddress("127.0.0.1", int(sys.argv[2]), False), browser=False)
"""
WORK = """
import sys, json
from teahouse.server.settings import ServerSettings
from teahouse.server.job_worker import run_worker
run_worker(None, ServerSettings(**json.loads(sys.argv[1])))
"""
UNLIMITED = {
    "request_rate": 1e6,
    "table_rate": 1e6,
    "message_rate": 1e6,
    "connection_rate": 1e6,
    "max_connections_per_address": 10_000,
    "max_sockets_per_address": 10_000,
    "max_tables_per_address": 10_000,
    "max_bot_tables_per_address": 10_000,
    "max_requests_per_address": 100,
    "max_accounts_per_address": 10_000,
    "password_memory": 1,
}
"""Settings without limits for an address: all clients of the tests share one."""
MAX_STALL_MS = 200
WAIT = 180  # a busy machine may compile kernels first


class ServerProcess:
    """A server in a process of its own, by default on a free port."""

    def __init__(self, database: str, *, port: int = 0, **settings: Any) -> None:
        self._stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed when it has ended
        # Bots of level 1 need no compiled kernels; servers that compile would slow each other.
        chosen = {"database": database, "prepare": False, **UNLIMITED, **settings}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE, json.dumps(chosen), str(port)],
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise AssertionError(self.wait())
        self.address = line.split(" ")[-1].strip().rstrip("/")
        self.port = int(self.address.rsplit(":", 1)[1].split("/")[0])

    def request(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Return the status and the body of a response, parsed if it is JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data)
        request.add_header("Content-Type", "application/json")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=WAIT) as response:
                return response.status, _read(response)
        except urllib.error.HTTPError as error:
            return error.code, _read(error)

    def create_table(self, **body: Any) -> tuple[str, list[str]]:
        """Create a table and return its id and secrets."""
        status, created = self.request("/api/tables", body)
        assert status == 201, created
        return created["id"], [seat["secret"] for seat in created["seats"]]

    def join(
        self,
        table: str,
        *secrets: str,
        after: int = 0,
        snapshots: bool = False,
        diffs: bool = False,
        headers: Mapping[str, str] | None = None,
    ) -> Client:
        """Return a socket that joins a table."""
        return Client(self, table, secrets, after, snapshots, diffs, headers)

    def kill(self) -> None:
        """Kill the process, as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.wait()

    def stop(self) -> str:
        """Interrupt the process as Ctrl-C does, and return its standard error."""
        self.process.send_signal(signal.SIGINT)
        return self.wait()

    def wait(self) -> str:
        """Wait for the process to end and return its standard error."""
        self.process.communicate(timeout=WAIT)
        self._stderr.seek(0)
        with self._stderr:
            return self._stderr.read()


def _read(response: Any) -> Any:
    text = response.read().decode()
    return json.loads(text) if "json" in response.headers.get("Content-Type", "") else text


class WorkerProcess:
    """A process that only carries out jobs."""

    def __init__(self, database: str) -> None:
        chosen = {"database": database, "prepare": False}
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORK, json.dumps(chosen)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert "running" in self.process.stdout.readline()

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Send a signal, and wait for the process to end."""
        self.process.send_signal(number)
        self.process.communicate(timeout=WAIT)


class Client:
    """A socket that has joined a table."""

    def __init__(
        self,
        server: ServerProcess,
        table: str,
        secrets: tuple[str, ...],
        after: int,
        snapshots: bool,
        diffs: bool,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        url = f"{server.address.replace('http', 'ws')}/api/tables/{table}/socket"
        # Pings would draw random numbers in the background, which Hypothesis takes for a test's.
        connecting = connect(
            url,
            compression=None,
            max_size=None,
            ping_interval=None,
            additional_headers=headers,
        )
        self.socket: ClientConnection = connecting.__enter__()
        self._last_id = 0
        self.received: list[dict[str, Any]] = []
        with suppress(ConnectionClosed):  # reported by the next `receive`
            self.send(
                type="join",
                protocol=2,
                secrets=list(secrets),
                after=after,
                snapshots=snapshots,
                diffs=diffs,
            )

    def send(self, **message: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps(message))

    def receive(self, *types: str) -> dict[str, Any]:
        """Return the next message of one of these types; those before it go to `received`."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(timeout=WAIT))
            self.received.append(message)
            if message["type"] in types:
                return message

    def request(self, **message: Any) -> dict[str, Any]:
        """Send a message and return the reply to it."""
        self._last_id += 1
        self.send(id=self._last_id, **message)
        while True:
            reply = self.receive("ack", "error", "hint")
            if reply["id"] == self._last_id:
                return reply

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def running_server(database: str, **settings: Any) -> Iterator[ServerProcess]:
    """Run a server and stop it at the end; it must not have logged an exception."""
    server = ServerProcess(database, **settings)
    try:
        yield server
    finally:
        errors = server.stop()
    assert "Traceback" not in errors, errors


def assert_no_stall(server: ServerProcess) -> None:
    """Check that the event loop has never stalled.

    CPU time of the server counts, since a machine that runs tests may be busy with others.
    """
    loop = server.request("/api/health")[1]["event_loop"]
    assert loop["longest_work_ms"] <= MAX_STALL_MS, loop


def postgres_folder() -> Path | None:
    """Return the folder of PostgreSQL's programs, if it is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).resolve().parent if named else None


class Postgres:
    """A private PostgreSQL server on a Unix socket."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
        self._folder = Path(tempfile.mkdtemp(prefix="pg"))
        self.address = f"postgresql://teahouse@/postgres?host={self._folder}"
        if self._user is not None:
            shutil.chown(self._folder, self._user)
        command: list[str | Path] = [programs / "initdb", "-D", self._folder / "data"]
        command += ["-U", "teahouse", "-A", "trust", "--no-sync"]
        subprocess.run(command, check=True, capture_output=True, user=self._user, cwd=self._folder)
        self.start()

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        deadline = time.monotonic() + WAIT
        while not self._try_start():  # processes of a killed one may not have ended yet
            assert time.monotonic() < deadline, "PostgreSQL did not start"
            time.sleep(0.1)

    def _try_start(self) -> bool:
        settings = ("listen_addresses=", f"unix_socket_directories={self._folder}", "fsync=off")
        options = [part for setting in settings for part in ("-c", setting)]
        self._process = subprocess.Popen(
            [self._programs / "postgres", "-D", self._folder / "data", *options],
            stderr=subprocess.PIPE,
            text=True,
            user=self._user,
            cwd=self._folder,
        )
        log = self._process.stderr
        assert log is not None
        for line in log:
            if "ready to accept connections" in line:
                self._reader = threading.Thread(target=_drain, args=[log], daemon=True)
                self._reader.start()
                return True
        self._process.communicate()
        return False

    @property
    def pid(self) -> int:
        """The id of its main process."""
        return self._process.pid

    def kill(self, number: int = signal.SIGQUIT) -> None:
        """Kill it, by default by its own immediate shutdown, without a flush.

        After SIGKILL its other processes find out by themselves, and end.
        """
        self._process.send_signal(number)
        self._process.wait(timeout=WAIT)
        self._reader.join()

    def stop(self) -> None:
        """Stop it and close all connections."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(timeout=WAIT)
        self._reader.join()

    def remove(self) -> None:
        """Stop it and delete its data."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def _drain(log: IO[str]) -> None:
    """Read what is logged, lest the process waits for somebody to do so."""
    with log:
        for _ in log:
            pass


def new_database(postgres: Postgres) -> str:
    """Create a database and return its URL."""
    server = postgres.address
    name = f"teahouse_{uuid4().hex}"
    engine = sa.create_engine(
        server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.replace("/postgres?", f"/{name}?")
