"""Houses to test: real processes, real sockets, real databases."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

SERVE = """
import sys, json
from teahouse.server.serve import Door, serve
from teahouse.server.settings import Settings
serve(Settings(**json.loads(sys.argv[1])), Door("127.0.0.1", 0, False), browser=False)
"""
WAIT = 60


class HouseProcess:
    """A house in a process of its own, on a free port."""

    def __init__(self, database: str, **settings: Any) -> None:
        self._complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed when it has ended
        chosen = {"database": database, "request_rate": 1e6, "message_rate": 1e6, **settings}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE, json.dumps(chosen)],
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise AssertionError(self._ended())
        self.address = line.split(" ")[-1].strip().rstrip("/")

    def request(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and answer of a request; JSON where it is JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data)
        request.add_header("Content-Type", "application/json")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=WAIT) as answer:
                return answer.status, _read(answer)
        except urllib.error.HTTPError as error:
            return error.code, _read(error)

    def open_table(self, **wanted: Any) -> tuple[str, list[str]]:
        """A table's id and its secrets."""
        status, answer = self.request("/api/tables", wanted)
        assert status == 201, answer
        return answer["id"], [seat["secret"] for seat in answer["seats"]]

    def join(self, table: str, *secrets: str, seen: int = 0, views: bool = False) -> Player:
        """A socket at a table."""
        return Player(self, table, secrets, seen, views)

    def kill(self) -> None:
        """As when the power fails."""
        self.process.send_signal(signal.SIGKILL)
        self._ended()

    def stop(self) -> str:
        """As with Ctrl-C; what it had to complain about."""
        self.process.send_signal(signal.SIGINT)
        return self._ended()

    def _ended(self) -> str:
        """What it had to complain about."""
        self.process.communicate(timeout=WAIT)
        self._complaints.seek(0)
        with self._complaints:
            return self._complaints.read()


def _read(answer: Any) -> Any:
    text = answer.read().decode()
    return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text


class Player:
    """A socket that has joined a table."""

    def __init__(
        self, house: HouseProcess, table: str, secrets: tuple[str, ...], seen: int, views: bool
    ) -> None:
        url = f"{house.address.replace('http', 'ws')}/api/tables/{table}/socket"
        connecting = connect(url, compression=None, max_size=None)
        self.socket: ClientConnection = connecting.__enter__()
        self._number = 0
        self.heard: list[dict[str, Any]] = []
        with suppress(ConnectionClosed):  # it is heard of when listening
            self.send(type="join", secrets=list(secrets), seen=seen, views=views)

    def send(self, **message: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps(message))

    def hear(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of these kinds; what comes before it is kept."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(timeout=WAIT))
            self.heard.append(message)
            if message["type"] in kinds:
                return message

    def ask(self, **message: Any) -> dict[str, Any]:
        """Send a message and wait for the answer to it."""
        self._number += 1
        self.send(id=self._number, **message)
        while True:
            answer = self.hear("done", "refused", "hint")
            if answer["id"] == self._number:
                return answer

    def close(self) -> None:
        """Leave."""
        self.socket.close()

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def house(database: str, **settings: Any) -> Iterator[HouseProcess]:
    """An open house, closed at the end; it must not have complained."""
    running = HouseProcess(database, **settings)
    try:
        yield running
    finally:
        complaints = running.stop()
    assert "Traceback" not in complaints, complaints


def postgres_folder() -> Path | None:
    """Where Debian's package has PostgreSQL's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).resolve().parent if named else None


class Postgres:
    """A PostgreSQL of our own, reached through a file alone."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
        self._folder = Path(tempfile.mkdtemp(prefix="pg"))
        self.address = f"postgresql://house@/postgres?host={self._folder}"
        if self._user is not None:
            shutil.chown(self._folder, self._user)
        command: list[str | Path] = [programs / "initdb", "-D", self._folder / "data"]
        command += ["-U", "house", "-A", "trust", "--no-sync"]
        subprocess.run(command, check=True, capture_output=True, user=self._user, cwd=self._folder)
        self.start()

    def start(self) -> None:
        """Start it and wait until it can be used."""
        settings = ("listen_addresses=", f"unix_socket_directories={self._folder}", "fsync=off")
        options = [part for setting in settings for part in ("-c", setting)]
        self._process = subprocess.Popen(
            [self._programs / "postgres", "-D", self._folder / "data", *options],
            stderr=subprocess.PIPE,
            text=True,
            user=self._user,
            cwd=self._folder,
        )
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if "ready to accept connections" in line:
                return
        raise AssertionError("PostgreSQL does not start")

    def stop(self) -> None:
        """Stop it, whoever is connected."""
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=WAIT)

    def remove(self) -> None:
        """Stop it and delete everything."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)
