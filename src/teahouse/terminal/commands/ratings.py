"""`teahouse ratings`: recompute the ratings of a server's database."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from teahouse.core.extras import extra
from teahouse.terminal.commands.common import Json, examples, print_json

EXAMPLES = examples(
    "teahouse ratings recompute --check",
    "teahouse ratings recompute --database games.sqlite",
)
SHOWN = 20
"""Differences that are printed."""


class Action(StrEnum):
    """What to do with ratings."""

    recompute = "recompute"


def ratings(
    action: Annotated[Action, typer.Argument(help="what to do")],
    database: Annotated[
        str | None, typer.Option(help="SQLite file, or postgresql://user:password@host/name")
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="only compare: change nothing, exit code 1 on a difference"),
    ] = False,
    as_json: Json = False,
) -> None:
    """Recompute all ratings of a server from its log of events.

    The server must not be running.
    """
    assert action is Action.recompute
    with extra("server", "the server"):
        from teahouse.server.ratings.recompute import recompute_database
        from teahouse.server.settings import ServerSettings
    found = recompute_database(database or ServerSettings().database, check=check)
    if as_json:
        print_json(asdict(found))
    else:
        for line in found.differences[:SHOWN]:
            print(line)
        if len(found.differences) > SHOWN:
            print(f"… and {len(found.differences) - SHOWN} more")
        for table, reason in found.unreadable.items():
            print(f"table {table} cannot be replayed: {reason}")
        print(
            f"{found.games:,} rated games, {found.skipped:,} that do not count,"
            f" {len(found.differences):,} differences"
            + ("." if check or not found.differences else ", now corrected.")
        )
    if check and (found.differences or found.unreadable):
        raise typer.Exit(1)
