"""`teahouse serve`: the house on the web."""

from __future__ import annotations

from typing import Annotated

import typer

from teahouse.core.errors import OptionError
from teahouse.terminal.commands.common import examples

PORT = 8000
EXAMPLES = examples(
    "teahouse serve",
    "teahouse serve --port 8080 --database games.sqlite --no-browser",
)


def serve(
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="8000, or a free one, unless told")
    ] = None,
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="a name under which the house is reached from elsewhere"),
    ] = None,
    database: Annotated[
        str | None, typer.Option(help="a file, or postgresql://user:password@host/name")
    ] = None,
    browser: Annotated[bool, typer.Option(help="open a browser if there is a screen")] = True,
) -> None:
    """Open the house on the web: play in the browser, with friends or bots."""
    try:
        from teahouse.server.serve import Door, open_house
    except ModuleNotFoundError as missing:
        raise OptionError(f"{missing}; the house needs: pip install 'teahouse[house]'") from None
    open_house(
        Door(host, PORT if port is None else port, port is None),
        tuple(name or ()),
        database,
        browser,
    )
