"""Health checks, metrics, logs, retention and traces of a server."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from support.in_process import HOST, InProcessApp

import teahouse as th
from teahouse.core.errors import OptionError
from teahouse.server.job_worker import run_worker
from teahouse.server.operations import health, logs, metrics, tracing
from teahouse.server.operations.health import Phase
from teahouse.server.operations.retention import delete_guest_games
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.database import (
    connect,
    events,
    head_revision,
    migrate,
    moves,
    table_seats,
    tables,
)
from teahouse.server.storage.lock import StartupError
from teahouse.server.web.limits import Limits, LimitsMiddleware
from teahouse.server.web.wire import to_json

GAME = th.games()[0]
DASHBOARD = Path(__file__).parents[2] / "deploy" / "grafana" / "teahouse.json"


def value(name: str, **labels: str) -> float:
    """Return the value of a metric now; 0 if it has none yet."""
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


# Health.


def test_health_and_readiness(app: InProcessApp) -> None:
    client = app.browser(origin="http://any.example").client  # load balancers use any name
    assert client.get("/healthz").text == "ok\n"
    assert client.get("/readyz").json() == {"status": "ready"}
    assert client.get("/").status_code == 403


def test_a_server_that_drains_is_not_ready(app: InProcessApp) -> None:
    readiness = app.state.readiness
    try:
        for phase in (Phase.STARTING, Phase.DRAINING):
            readiness.phase = phase
            answer = app.client.get("/readyz")
            assert answer.status_code == 503
            assert answer.headers["Retry-After"]
            assert answer.json()["problems"] == {"server": f"The server is {phase}."}
            assert app.client.get("/healthz").status_code == 200
    finally:
        readiness.phase = Phase.RUNNING


def test_failing_parts_are_named(app: InProcessApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "FRESH_SECONDS", -1.0)
    pool = app.state.registry.jobs.pool
    for worker in pool._workers:
        monkeypatch.setattr(worker, "failing", True)
    app.write(sa.text("UPDATE alembic_version SET version_num = '0002'"))
    try:
        problems = app.client.get("/readyz").json()["problems"]
    finally:
        app.write(sa.text(f"UPDATE alembic_version SET version_num = '{head_revision()}'"))
    assert set(problems) == {"workers jobs", "database"}
    assert "0002" in problems["database"]


async def test_who_floods_readiness_does_not_flood_the_database() -> None:
    reads = []

    class CountingStore:
        async def read(self, _job: Any) -> tuple[str, str]:
            reads.append(1)
            await asyncio.sleep(0)
            return "1", "1"

    readiness = health.Readiness()
    readiness.started(CountingStore(), {})  # type: ignore[arg-type]
    assert await asyncio.gather(*(readiness.problems() for _ in range(50))) == [{}] * 50
    assert len(reads) == 1


async def test_health_is_not_rate_limited() -> None:
    """Whatever an address has used up."""
    limits = Limits(ServerSettings(request_rate=0.01))
    served = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        served.append(scope["path"])

    middleware = LimitsMiddleware(app, limits)
    for path in ["/healthz", "/readyz"] * 20:
        scope = {"type": "http", "method": "GET", "path": path, "client": ("192.0.2.1", 1)}
        await middleware(scope, None, None)  # type: ignore[arg-type]
    assert len(served) == 40


# Metrics.


def test_requests_are_counted_by_route(app: InProcessApp) -> None:
    labels = {"method": "GET", "route": "/rules/{name}", "status": "200"}
    head = {**labels, "method": "HEAD"}
    unknown = {"method": "GET", "route": "unknown", "status": "404"}
    before = value("teahouse_requests_total", **labels)
    heads = value("teahouse_requests_total", **head)
    lost = value("teahouse_requests_total", **unknown)
    client = app.browser().client
    client.get(f"/rules/{GAME}")
    client.head(f"/rules/{GAME}")
    for number in range(3):
        client.get(f"/nowhere/{number}")
    assert value("teahouse_requests_total", **labels) == before + 1
    assert value("teahouse_requests_total", **head) == heads + 1
    assert value("teahouse_requests_total", **unknown) == lost + 3


def test_moves_commits_and_deliveries_are_counted(app: InProcessApp) -> None:
    names = ("moves_total", "commit_seconds_count", "delivery_seconds_count")
    before = {name: value(f"teahouse_{name}") for name in names}
    game = th.load(GAME)
    body = {"game": GAME, "seed": 1, "seats": [{"kind": "local"} for _ in game.players]}
    client = app.browser().client
    created = client.post("/api/tables", json=body).json()
    secrets = [seat["secret"] for seat in created["seats"]]
    position = game.start(1)
    url = f"ws://{HOST}/api/tables/{created['id']}/socket"
    with client.websocket_connect(url) as socket:
        socket.send_json({"type": "join", "protocol": 2, "secrets": secrets, "after": 0})
        socket.receive_json()
        assert value("teahouse_sockets") == 1
        move = {"type": "play", "id": 1, "seat": position.player, "ply": 0}
        socket.send_json({**move, "move": position.legal[0]})
        while socket.receive_json()["type"] != "ack":
            pass
    assert value("teahouse_moves_total") == before["moves_total"] + 1
    assert all(value(f"teahouse_{name}") > before[name] for name in names)


def test_logged_errors_are_counted() -> None:
    logger = logging.getLogger("teahouse.server.some_part")
    handler = metrics.ErrorCounter()
    logger.addHandler(handler)
    try:
        logger.error("Something failed.")
        logger.warning("Something is odd.")
    finally:
        logger.removeHandler(handler)
    assert value("teahouse_errors_total", logger=logger.name) == 1


def test_the_dashboard_asks_for_metrics_that_exist(app: InProcessApp) -> None:
    metrics.THINKING_SECONDS.labels(1).observe(0.1)
    metrics.ERRORS.labels("teahouse").inc(0)
    app.client.get("/healthz")
    exposed = metrics.exposition()
    known = {line.split("{")[0].split(" ")[0] for line in exposed.splitlines() if line[0] != "#"}
    labels = dict[str, set[str]]()
    for name, found in re.findall(r"^(\w+)\{(.*?)\} ", exposed, re.M):
        labels.setdefault(name, set()).update(re.findall(r"(\w+)=", found))
    asked = [
        target["expr"]
        for panel in json.loads(DASHBOARD.read_text())["panels"]
        for target in panel["targets"]
    ]
    for query in asked:
        names = set(re.findall(r"(?:teahouse|process)_\w+", query))
        assert names, query
        assert names <= known, query
        by = {
            label.strip()
            for group in re.findall(r"by \(([^)]*)\)", query)
            for label in group.split(",")
        }
        own = set().union(*(labels.get(name, set()) for name in names))
        assert by <= own | {"instance"}, query
    shown = {name for query in asked for name in re.findall(r"teahouse_\w+", query)}
    families = set(re.findall(r"^# TYPE (teahouse_\w+)", exposed, re.M)) - {"teahouse_info"}
    unseen = {one for one in families if not any(name.startswith(one) for name in shown)}
    assert not unseen


def test_a_worker_refuses_sqlite(tmp_path: Path) -> None:
    """And creates nothing."""
    with pytest.raises(StartupError, match="must be PostgreSQL"):
        run_worker(str(tmp_path / "teahouse.db"))
    assert not list(tmp_path.iterdir())


def test_metrics_have_a_port_of_their_own(app: InProcessApp) -> None:
    assert app.browser().client.get("/metrics").status_code == 404
    server = metrics.MetricsServer("127.0.0.1", 0)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics") as answer:
            assert b"teahouse_moves_total" in answer.read()
        with pytest.raises(StartupError, match="metrics"):
            metrics.MetricsServer("127.0.0.1", server.port)
    finally:
        server.close()


# Logs.


@pytest.mark.parametrize(
    ("given", "kept"),
    [("abc-1", True), ("", False), ("a b", False), ("x" * 101, False), ("ä", False)],
)
def test_request_ids(given: str, kept: bool, app: InProcessApp) -> None:
    headers = {b"X-Request-ID": given.encode()}
    answer = app.client.get("/healthz", headers=headers).headers["X-Request-ID"]
    assert (answer == given) is kept
    assert re.fullmatch(r"[\w.:-]{1,100}", answer, re.ASCII)


@pytest.fixture
def json_lines() -> Iterator[io.StringIO]:
    """What is logged, as JSON."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.JsonFormatter())
    logger = logging.getLogger("teahouse")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield stream
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def test_json_logs(app: InProcessApp, json_lines: io.StringIO) -> None:
    table = "abcdefghjk"
    headers = {"X-Request-ID": "one"}
    app.browser().client.get(f"/tables/{table}?key=secret", headers=headers)
    try:
        raise ValueError("broken\nin two lines")
    except ValueError:
        logging.getLogger("teahouse.part").exception("It failed: %s", "ä")
    request, failure = map(json.loads, json_lines.getvalue().splitlines())
    assert (request["request_id"], request["table_id"]) == ("one", table)
    assert (request["route"], request["status"]) == ("/tables/{table_id}", 404)
    assert "secret" not in json_lines.getvalue()
    assert (failure["level"], failure["message"]) == ("error", "It failed: ä")
    assert "ValueError" in failure["exception"]


def test_unknown_log_formats_are_refused() -> None:
    with pytest.raises(OptionError, match="formats: text, json"):
        logs.configure("xml")


# Retention.


def test_old_games_of_guests_are_deleted(database: str) -> None:
    """Only those that are finished, counted, old, not in memory and of nobody."""
    engine = connect(database)
    finished = {"over": True, "counted": True, "updated": 10.0, "summary": "{}"}
    rows: dict[str, dict[str, Any]] = {
        "old": {},
        "new": {"updated": 30.0},
        "unfinished": {"over": False},
        "uncounted": {"counted": False},
        "account": {},
        "memory": {},
        "chat": {"summary": to_json({"title": '"tournament":"abc"', "tournament": None})},
        "tournament": {"summary": to_json({"tournament": "abc"})},
        "earlier": {"summary": json.dumps({"tournament": "abc"})},
    }
    with engine.begin() as connection:
        migrate(connection)
        for name, changed in rows.items():
            other = {"key_hashes": "[]", "seq": 1, "wake_on_start": False, "rated": False}
            values = {"id": name, **finished, **other, "listed": False, **changed}
            connection.execute(tables.insert().values(values))
            connection.execute(
                events.insert().values(table_id=name, seq=1, time=0.0, uptime=0.0, body="{}")
            )
        connection.execute(table_seats.insert().values(table_id="account", seat=0, account_id="a"))
        assert delete_guest_games(connection, 20.0, {"memory"}) == 2
        assert delete_guest_games(connection, 20.0, {"memory"}) == 0
        left = set(connection.execute(sa.select(tables.c.id)).scalars())
        logged = set(connection.execute(sa.select(events.c.table_id)).scalars())
        assert not connection.execute(sa.select(moves)).all()
    engine.dispose()
    assert left == logged == set(rows) - {"old", "chat"}


def test_by_default_nothing_is_deleted(app: InProcessApp) -> None:
    settings = app.state.settings
    assert (settings.keep_guest_games_days, settings.keep_devices_days) == (None, None)
    assert app.client.portal is not None
    assert app.client.portal.call(app.state.retention.delete_old) == (0, 0)


def test_retention_is_set_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAHOUSE_KEEP_GUEST_GAMES_DAYS", "90")
    assert ServerSettings().keep_guest_games_days == 90
    monkeypatch.setenv("TEAHOUSE_KEEP_GUEST_GAMES_DAYS", "ninety")
    with pytest.raises(StartupError, match="number of days"):
        ServerSettings()


# Traces.


def test_traces_are_off_unless_asked_for() -> None:
    assert not tracing.tracing_wanted({})
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}
    assert tracing.tracing_wanted(endpoint)
    assert not tracing.tracing_wanted({**endpoint, "OTEL_TRACES_EXPORTER": "none"})
    assert not tracing.tracing_wanted({**endpoint, "OTEL_SDK_DISABLED": "true"})
    with pytest.raises(StartupError, match="exporters: otlp, console, none"):
        tracing.tracing_wanted({"OTEL_TRACES_EXPORTER": "zipkin"})
