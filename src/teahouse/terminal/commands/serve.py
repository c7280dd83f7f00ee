"""`teahouse serve`: run the web server."""

from __future__ import annotations

from typing import Annotated

import typer

from teahouse.core.extras import extra
from teahouse.terminal.commands.common import examples
from teahouse.terminal.commands.completion import one_of

PORT = 8000
EXAMPLES = examples(
    "teahouse serve",
    "teahouse serve --port 8080 --database games.sqlite --no-browser",
    'teahouse serve --engine "Kettle=ugi:./engine"',
)
MetricsPort = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="port of Prometheus metrics; none by default"),
]
MetricsHost = Annotated[str, typer.Option(help="address of the metrics")]
LogFormat = Annotated[str, typer.Option(help="text or json", autocompletion=one_of("text", "json"))]


def serve(
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="port; 8000 or a free one by default"),
    ] = None,
    host: Annotated[str, typer.Option(help="address to listen on")] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="host name that clients may use; repeatable"),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NETWORK",
            help="reverse proxy whose X-Forwarded-For is believed, as 127.0.0.1; repeatable",
        ),
    ] = None,
    database: Annotated[
        str | None, typer.Option(help="SQLite file, or postgresql://user:password@host/name")
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[GAME,…]=UGI",
            help="UGI engine that people can challenge, as Kettle=ugi:./engine; repeatable",
        ),
    ] = None,
    base_path: Annotated[
        str, typer.Option(metavar="PATH", help="path under which a proxy serves it, as /tea")
    ] = "",
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = "127.0.0.1",
    log_format: LogFormat = "text",
    jobs: Annotated[
        bool,
        typer.Option(help="play for bots too, where several processes share a PostgreSQL database"),
    ] = True,
    browser: Annotated[bool, typer.Option(help="open a browser if there is a display")] = True,
) -> None:
    """Run the web server: play in the browser, with friends or bots."""
    with extra("server", "the server"):
        from teahouse.server.serve import BindAddress, run_server
    run_server(
        BindAddress(host, PORT if port is None else port, port is None),
        tuple(name or ()),
        tuple(trusted_proxy or ()),
        database,
        browser,
        tuple(engine or ()),
        base_path=base_path,
        metrics_port=metrics_port,
        metrics_host=metrics_host,
        log_format=log_format,
        run_jobs=jobs,
    )
