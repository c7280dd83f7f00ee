"""Diagnosis of an installation: what a server needs, whether it is there, and what to do if not."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import sqlalchemy as sa
from packaging.requirements import Requirement

from teahouse.core.catalog import broken_games, games, load
from teahouse.core.errors import OptionError
from teahouse.core.extras import install_command
from teahouse.core.files import file_sizes
from teahouse.core.jit import folder as kernel_cache
from teahouse.search.tablebase import stored_tablebases
from teahouse.server.correspondence.smtp import check_settings
from teahouse.server.operations.doctor_postgres import check_processes, check_server
from teahouse.server.operations.finding import CLOCK_SECONDS, Finding, Status
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.database import (
    connect,
    head_revision,
    is_compatible,
    known_revisions,
    revision,
    server,
)
from teahouse.server.storage.lock import StartupError, acquire_lock
from teahouse.server.web.connections import FILES, MAX_REQUESTS

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

LOW_SPACE = 1 << 30
"""Free bytes below which a disk is nearly full."""
NO_SPACE = 100 << 20
EPOCH = 1_735_689_600.0
"""2025: a clock before that was never set."""


def diagnose(settings: ServerSettings, port: int = 8000) -> Iterator[Finding]:
    """Yield what was found, one check after the other; a check that fails is a problem."""
    checks: dict[str, Callable[[], Iterator[Finding]]] = {
        "versions": lambda: _versions(settings.database),
        "database": lambda: _database(settings.database),
        "cache": _cache,
        "games": _games,
        "compiler": _compiler,
        "pictures": _pictures,
        "port": lambda: _port(port),
        "open files": lambda: _open_files(settings.max_connections),
        "clock": _clock,
        "e-mail": lambda: _mail(settings),
    }
    for name, check in checks.items():
        try:
            yield from check()
        except (OptionError, OSError) as error:
            yield Finding(name, "problem", str(error), "Correct the setting, or run as its owner.")
        except Exception as error:  # the other checks still run
            yield Finding(name, "problem", f"The check failed: {error}", "Report this as a bug.")


def _versions(database: str) -> Iterator[Finding]:
    """Compare what is installed with what the package declares."""
    own = metadata.version("teahouse")
    yield Finding("version", "ok", f"Teahouse {own}, Python {platform.python_version()}")
    extras = {"", "server"} | ({"postgres"} if database.startswith("postgresql") else set())
    unmet = [text for extra in sorted(extras) for text in _unmet("teahouse", extra)]
    if unmet:
        names = " and ".join(f"[{extra}]" for extra in sorted(extras) if extra)
        advice = install_command(*sorted(filter(None, extras)))
        yield Finding("dependencies", "problem", f"Of {names}: {'; '.join(unmet)}", advice)
    else:
        yield Finding("dependencies", "ok", "all installed, in versions that work")


def _unmet(package: str, extra: str) -> Iterator[str]:
    """Yield the requirements of an extra that are not fulfilled."""
    for text in metadata.requires(package) or ():
        wanted = Requirement(text)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        if wanted.marker is None and extra:
            continue
        if wanted.name == package:
            for nested in wanted.extras:
                yield from _unmet(package, nested)
            continue
        try:
            found = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            yield f"{wanted.name} is missing"
            continue
        if not wanted.specifier.contains(found, prereleases=True):
            yield f"{wanted.name} is {found}, needs {wanted.specifier}"


def _database(url: str) -> Iterator[Finding]:
    engine = connect(url)
    try:
        if engine.dialect.name == "sqlite":
            path = Path(str(engine.url.database))
            yield _disk("disk of the database", path.parent)
            if not path.exists():
                yield Finding("database", "ok", f"{path} does not exist yet; the server creates it")
                return
            yield _permissions(path)
        yield from _content(engine)
    except sa.exc.DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0]
        advice = "Start the database, or correct --database or TEAHOUSE_DATABASE."
        yield Finding("database", "problem", f"It cannot be opened: {reason}", advice)
    finally:
        engine.dispose()


def _content(engine: sa.Engine) -> Iterator[Finding]:
    """Check schema, integrity, lock and clock of a database that exists."""
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            yield from check_server(connection)
        stored = revision(connection)
        if stored == head_revision():
            yield Finding("schema", "ok", f"revision {stored}, that of this version")
        elif stored is None or stored in known_revisions():
            detail = f"revision {stored or 'none'}; this version has {head_revision()}"
            yield Finding("schema", "warning", detail, "The next start of the server migrates it.")
        elif sa.inspect(connection).has_table(server.name) and is_compatible(connection):
            detail = f"revision {stored} of a later, compatible version"
            yield Finding("schema", "ok", detail)
        else:
            advice = "Install the version of Teahouse that wrote it, or a later one."
            yield Finding("schema", "problem", f"revision {stored} is of a later version", advice)
        if engine.dialect.name == "sqlite":
            problem = connection.execute(sa.text("PRAGMA quick_check(1)")).scalar()
            yield (
                Finding("integrity", "ok", "SQLite finds no damage")
                if problem == "ok"
                else Finding("integrity", "problem", str(problem), "Restore a backup.")
            )
        if stored == head_revision():
            last = connection.execute(sa.select(server.c.time)).scalar()
            if last is not None and last > time.time() + CLOCK_SECONDS:
                advice = "Set the clock of this machine (NTP)."
                yield Finding("time of the database", "problem", "It is in the future", advice)
        if engine.dialect.name == "postgresql":
            yield from check_processes(connection)
    if engine.dialect.name == "sqlite":
        yield _lock(engine)


def _lock(engine: sa.Engine) -> Finding:
    try:
        acquire_lock(engine).release()
    except StartupError as error:
        if "Another server" not in str(error):
            raise
        return Finding("server", "ok", "A server is running on this database")
    return Finding("server", "ok", "No server is running on this database")


def _permissions(path: Path) -> Finding:
    mode = path.stat().st_mode
    if not os.access(path, os.R_OK | os.W_OK) or not os.access(path.parent, os.W_OK):
        advice = f"Run as the owner of {path.parent}, or change it with chown."
        return Finding("permissions", "problem", f"{path} cannot be written", advice)
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        advice = f"chmod 600 {path}"
        return Finding("permissions", "warning", f"Other users may open {path}", advice)
    return Finding("permissions", "ok", f"only its owner can open {path}")


def _disk(name: str, folder: Path) -> Finding:
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    free = shutil.disk_usage(existing).free
    detail = f"{free / 1e9:,.1f} GB free in {existing}"
    status: Status = "problem" if free < NO_SPACE else "warning" if free < LOW_SPACE else "ok"
    return Finding(name, status, detail, "" if status == "ok" else "Make room on this disk.")


def _cache() -> Iterator[Finding]:
    folder = kernel_cache.configured_folder()
    yield _disk("disk of the cache", folder)
    problem = kernel_cache.trust_problem(folder)
    if problem is not None:
        advice = f"chown it to this user and chmod 700, or set {kernel_cache.VARIABLE}."
        yield Finding("cache", "problem", f"{folder} is not used: {problem}", advice)
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        advice = f"Set {kernel_cache.VARIABLE} to a folder that can be written."
        yield Finding("cache", "problem", f"{folder}: {error.strerror}", advice)
        return
    kernels = file_sizes(folder.glob("*.bin")).values()
    advice = "" if kernels else "teahouse warm compiles them now; else the first games do."
    count = "1 compiled kernel" if len(kernels) == 1 else f"{len(kernels):,} compiled kernels"
    detail = f"{count}, {sum(kernels) / 1e6:,.0f} MB, in {folder}"
    yield Finding("cache", "ok", detail, advice)
    yield _tablebases()


def _tablebases() -> Finding:
    """Say which tablebases there are."""
    current, others = stored_tablebases()
    sizes = [
        f"{path.stem.rpartition('-')[0].replace('-', ' ')} ({size / 1e6:,.0f} MB)"
        for path, size in file_sizes(current).items()
    ]
    detail = ", ".join(sizes) or "none: level 8 and the analysis search instead"
    advice = "" if sizes else "teahouse solve builds one for a board that has one."
    size = sum(file_sizes(others).values()) / 1e6
    if size >= 1:
        advice = f"{size:,.0f} MB more are of other versions, in {others[0].parent}."
    return Finding("tablebases", "ok", detail, advice)


def _games() -> Iterator[Finding]:
    yield Finding("games", "ok", ", ".join(games()))
    for broken in broken_games():
        yield Finding(broken.name, "warning", broken.message, f"teahouse check {broken.name}")


def _compiler() -> Iterator[Finding]:
    import numba

    began = time.perf_counter()
    compiled = numba.njit(lambda number: number + 1)
    if compiled(1) != 2:
        yield Finding("compiler", "problem", "Numba returns a wrong result", "Reinstall numba.")
        return
    seconds = time.perf_counter() - began
    yield Finding("compiler", "ok", f"Numba {numba.__version__} compiles ({seconds:.1f} s)")


def _pictures() -> Iterator[Finding]:
    from teahouse.draw.raster import png

    try:
        drawn = png(load(games()[0]).start().svg(), 64)
    except OptionError as error:
        yield Finding("pictures", "problem", str(error), install_command("pictures"))
        return
    fonts = sorted((Path(__file__).parents[2] / "draw" / "fonts").glob("*.ttf"))
    if not drawn.startswith(b"\x89PNG") or not fonts:
        yield Finding("pictures", "problem", "Fonts are missing", "Reinstall teahouse.")
        return
    yield Finding("pictures", "ok", f"boards are drawn with {len(fonts)} fonts")


def _port(port: int) -> Iterator[Finding]:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            advice = "A server may be running there; else choose another --port."
            detail = f"{port} is not free: {error.strerror}"
            yield Finding("port", "warning", detail, advice)
            return
    yield Finding("port", "ok", f"{port} is free")


def _open_files(wanted: int) -> Iterator[Finding]:
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + MAX_REQUESTS + FILES
    if hard < needed:
        advice = f"ulimit -Hn {needed}, or LimitNOFILE={needed} for systemd; else fewer connect."
        yield Finding("open files", "warning", f"{hard:,}, for all sockets {needed:,}", advice)
        return
    yield Finding("open files", "ok", f"up to {hard:,}")


def _clock() -> Iterator[Finding]:
    now = time.time()
    shown = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now))
    if now < EPOCH:
        yield Finding("clock", "problem", f"It shows {shown}", "Set the clock (NTP).")
        return
    yield Finding("clock", "ok", shown)


def _mail(settings: ServerSettings) -> Iterator[Finding]:
    try:
        used = check_settings(settings)
    except StartupError as error:
        yield Finding("e-mail", "problem", str(error), "See docs/correspondence.md.")
        return
    yield Finding("e-mail", "ok", f"by {settings.smtp_host}" if used else "not set up")
