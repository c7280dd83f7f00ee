"""Databases and servers for the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from support.in_process import InProcessApp, open_app
from support.servers import (
    Client,
    Postgres,
    ServerProcess,
    new_database,
    postgres_folder,
    running_server,
)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """A private PostgreSQL server."""
    programs = postgres_folder()
    # `make test` installs it where it may; all other tests run without it.
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    server = Postgres(programs)
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "teahouse.db")
    return new_database(request.getfixturevalue("postgres_server"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server on SQLite that tests share; its hints take little time."""
    database = tmp_path_factory.mktemp("server") / "teahouse.db"
    with running_server(
        str(database), hint_seconds=0.05, max_body=2_000_000, bot_move_seconds=0.0
    ) as server:
        yield server


@pytest.fixture(scope="session")
def clock_spectator(server: ServerProcess) -> Iterator[Client]:
    """A spectator of a game whose first player runs out of time after 10 seconds."""
    table, _ = server.create_table(
        game="orochi",
        seats=[{"kind": "local"}, {"kind": "local"}],
        time_control={"kind": "realtime", "seconds": 10},
    )
    with server.join(table) as spectator:
        yield spectator


@pytest.fixture(autouse=True)
def start_clock(request: pytest.FixtureRequest) -> None:
    """Start that clock with the first test on the server, so that no test waits for it."""
    if "server" in request.fixturenames:
        request.getfixturevalue("clock_spectator")


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The application in this process."""
    with open_app(str(tmp_path_factory.mktemp("server") / "teahouse.db")) as client:
        yield client


@pytest.fixture
def app(application: TestClient) -> InProcessApp:
    """That application, with nothing pending."""
    return InProcessApp(application)
