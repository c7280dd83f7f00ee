"""Settings of the server."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from teahouse.core.files import data_folder
from teahouse.search.threads import default_threads, usable_cores
from teahouse.server.storage.lock import StartupError

DATABASE = "teahouse.db"
OLD_DATABASE = "house.db"  # the default name up to 0.1.0


def _default_database() -> str:
    """Return `TEAHOUSE_DATABASE`, or a file in the data folder."""
    folder = data_folder()
    name = OLD_DATABASE if (folder / OLD_DATABASE).exists() else DATABASE
    return os.environ.get("TEAHOUSE_DATABASE") or str(folder / name)


def _environment(name: str) -> str:
    """Return `TEAHOUSE_<name>`, or the content of the file that `TEAHOUSE_<name>_FILE` names."""
    file = os.environ.get(f"TEAHOUSE_{name}_FILE")
    return Path(file).read_text().strip() if file else os.environ.get(f"TEAHOUSE_{name}", "")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 65_536):
        raise StartupError(f"TEAHOUSE_SMTP_PORT is {text!r}; it must be a number up to 65535.")
    return int(text)


def _days(name: str) -> int | None:
    text = _environment(name)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise StartupError(f"TEAHOUSE_{name} is {text!r}; it must be a number of days.")
    return int(text)


@dataclass(frozen=True)
class ServerSettings:
    """Settings and limits of a server."""

    database: str = field(default_factory=_default_database, repr=False)
    """The path of an SQLite file, or a URL such as postgresql://user:password@host/name."""
    hosts: tuple[str, ...] = ()
    """Host names of the server besides localhost; `*` for any."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks of reverse proxies whose `proxy_header` is believed."""
    base_path: str = ""
    """The path under which a proxy serves this server, such as /tea; empty for the root."""
    metrics_port: int | None = None
    """The port of Prometheus metrics; None for none."""
    metrics_host: str = "127.0.0.1"
    """The address to serve metrics on: never one that the public reaches."""
    log_format: str = "text"
    """`text`, or `json`: one object a line, with the ids of requests and tables."""
    proxy_header: str = "x-forwarded-for"
    """The header to which trusted proxies append a client's address; the only one that is read."""
    workers: int = field(default_factory=lambda: max(1, usable_cores() // default_threads()))
    """Worker processes for searches, besides the one for quick searches."""
    run_jobs: bool = True
    """Whether this process plays for bots and ends games by the clock, where several share a
    PostgreSQL database; if not, others have to."""
    prepare: bool = True
    """Whether the kernels of bots are compiled in the background; if not, bots without them are
    weak."""
    worker_memory: int = 1_000
    """Megabytes until a worker drops the trees of idle bots, or is replaced."""
    ponder: bool = False
    """Whether bots think while their opponents do, where the server has nothing else to do."""
    bot_move_seconds: float = 1.0
    """The shortest time of a move at a table that has only bots, at the normal speed."""
    renderers: int = 1
    """Worker processes for snapshots."""
    templates: Path = Path(__file__).parent / "templates"
    """The folder of the pages' templates."""
    static: Path = Path(__file__).parent / "static"
    """The folder of styles, scripts and fonts."""

    max_tables: int = 20_000
    """Unfinished games."""
    max_records: int = 100_000
    """Stored records."""
    max_studies: int = 50_000
    """Stored studies."""
    max_tables_per_address: int = 300
    """Unfinished games that an address has created within a day."""
    max_bot_tables_per_address: int = 10
    """Those of them that have only bots."""
    max_tournaments: int = 200
    """Tournaments that are not over."""
    max_tournaments_per_account: int = 5
    """Those of them that an account has created."""
    max_accounts_per_address: int = 50
    """Accounts that an address may create within a day."""
    password_memory: int = 64
    """Megabytes that hashing a password takes; more makes guessing dearer."""
    max_connections: int = 10_000
    """Open sockets; fewer if the limit of open files is low."""
    max_connections_per_address: int = 400
    """Open connections, of sockets and requests; a browser opens up to seven."""
    connection_rate: float = 20.0
    """New connections a second from an address, on average."""
    max_sockets_per_address: int = 100
    """Sockets, of the connections."""
    engines: tuple[str, ...] = ()
    """UGI engines that play as bot accounts, each as `NAME[GAME,…]=ugi:PROGRAM`; all games
    with two sides if none is named."""
    max_reports_a_day: int = 20
    """Reports to the operators, of an account or of the guests of an address."""
    max_bot_accounts: int = 5
    """Bot accounts of a person."""
    max_tokens: int = 20
    """API tokens of an account."""
    token_rate: float = 20.0
    """Units a second that a token may use, on average, besides the limits of its address."""
    max_sockets_per_token: int = 50
    """Sockets that are open with one token."""
    max_requests_per_address: int = 4
    """Requests that run at once; others of the address wait."""
    max_spectators: int = 500
    """Connections without a seat, for each table."""
    max_message: int = 4_096
    """Bytes of a socket message."""
    max_header: int = 16_384
    """Bytes of a request's header."""
    max_body: int = 256_000
    """Bytes of a request body."""
    header_seconds: float = 10.0
    """Seconds until the header of a request must be complete."""
    body_seconds: float = 30.0
    """Seconds from then until the body must be complete."""
    max_queued_hints: int = 64
    """Hints that are computed or wait, of all addresses."""
    max_hints_per_address: int = 4
    """Hints that are computed or wait for an address."""
    max_bot_games: int = 4
    """Tables with only bots that are played at once for an address."""
    max_reviews: int = 20_000
    """Stored reviews; the oldest make room for new ones."""
    max_reviews_per_address: int = 4
    """Reviews that are computed for an address."""
    max_queued_reviews: int = 64
    """Reviews that are computed or wait, of all addresses."""
    max_compilations: int = 4
    """Unusual boards whose kernels wait to be compiled for an address."""
    message_rate: float = 10.0
    """Messages a second on a socket, on average."""
    request_rate: float = 20.0
    """Units a second that an address may use, on average; `prices.py` has the prices."""
    table_rate: float = 50.0
    """Units a second that reading one table may use, and playing each of its seats."""
    smtp_host: str = field(default_factory=lambda: _environment("SMTP_HOST"))
    """The mail server for notices by e-mail; without one there are none."""
    smtp_port: int = field(default_factory=lambda: _port(_environment("SMTP_PORT") or "587"))
    """Its port."""
    smtp_security: str = field(default_factory=lambda: _environment("SMTP_SECURITY") or "starttls")
    """`starttls`, `tls` from the first byte, or `none`."""
    smtp_user: str = field(default_factory=lambda: _environment("SMTP_USER"))
    """The user to sign in with; without one nobody signs in."""
    smtp_password: str = field(default_factory=lambda: _environment("SMTP_PASSWORD"), repr=False)
    """The user's password."""
    smtp_from: str = field(default_factory=lambda: _environment("SMTP_FROM"))
    """The sender, such as `Teahouse <tea@example.org>`."""
    public_url: str = field(default_factory=lambda: _environment("URL"))
    """The address of the server in e-mails, such as https://tea.example.org."""
    mail_interval: float = 20.0
    """Seconds between two looks for e-mail to send."""
    mail_digest_seconds: float = 3_600.0
    """Seconds between two e-mails to an account."""
    keep_guest_games_days: int | None = field(
        default_factory=lambda: _days("KEEP_GUEST_GAMES_DAYS")
    )
    """Days after which finished games without accounts are deleted; None keeps them."""
    keep_devices_days: int | None = field(default_factory=lambda: _days("KEEP_DEVICES_DAYS"))
    """Days after which a browser that an account has not used is forgotten; None keeps them."""
    vacation_days: int = 30
    """Days a year for which an account's correspondence clocks may stand still."""
    hint_seconds: float = 2.0
    """Search time of a hint."""
    analysis_seconds: float = 30.0
    """Search time of a position on the analysis board, until somebody asks for more."""
