"""Databases for the tests of the house."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa
from support.servers import HouseProcess, Postgres, house, postgres_folder


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """A PostgreSQL of our own."""
    programs = postgres_folder()
    # `make test` installs it where it may; who is not root can run all other tests without.
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    server = Postgres(programs)
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "house.db")
    server: str = request.getfixturevalue("postgres_server").address
    name = f"house_{uuid4().hex}"
    engine = sa.create_engine(
        server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HouseProcess]:
    """A house on SQLite that the tests of a module share."""
    with house(str(tmp_path_factory.mktemp("house") / "house.db")) as running:
        yield running
