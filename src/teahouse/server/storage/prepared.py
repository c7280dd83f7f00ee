"""Statements that run with every move: compiled once, so that executing them is cheap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa


class Prepared:
    """An insert or update, as text for the driver.

    SQLAlchemy looks up the compiled statement and prepares its parameters with every execution,
    which takes longer than the execution itself.
    """

    def __init__(self, statement: sa.Insert | sa.Update) -> None:
        self._statement = statement
        self._compiled: dict[str, tuple[str, list[str] | None]] = {}
        """For every dialect the text, and the names of its parameters if they have no names."""

    def execute(self, connection: sa.Connection, values: Mapping[str, Any]) -> int:
        """Execute the statement; return the number of rows that it has changed."""
        dialect = connection.dialect
        text, names = self._compiled.get(dialect.name) or self._compile(dialect)
        parameters: Any = values if names is None else tuple([values[name] for name in names])
        return connection.exec_driver_sql(text, parameters).rowcount

    def _compile(self, dialect: sa.Dialect) -> tuple[str, list[str] | None]:
        compiled = self._statement.compile(dialect=dialect)
        assert isinstance(compiled, sa.sql.compiler.SQLCompiler)
        names = compiled.positiontup if compiled.positional else None
        self._compiled[dialect.name] = found = (str(compiled), names)
        return found
