"""The files of deploy/: the set of compose.yaml runs, with plain processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.proxy import running_proxy
from support.servers import WAIT
from websockets.sync.client import connect
from websockets.typing import Origin

import teahouse as th

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVER: dict[str, Any] = COMPOSE["services"]["server-1"]
GAME = th.games()[0]
SITE = "127.0.0.1"


def test_the_compose_file_follows_its_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    checked = subprocess.run(
        [*command, DEPLOY / "compose.yaml"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


def test_the_compose_file_fits_together() -> None:
    services = COMPOSE["services"]
    upstreams = services["proxy"]["environment"]["TEAHOUSE_SERVER"].split()
    assert [one.split(":")[0] for one in upstreams] == ["server-1", "server-2"]
    assert services["server-2"] == SERVER
    assert services["worker"]["command"][0] == "worker"  # since the servers have --no-jobs
    assert services["worker"]["environment"] == SERVER["environment"]
    port = next(one for one in SERVER["command"] if one.startswith("--port=")).split("=")[1]
    assert {one.split(":")[1] for one in upstreams} == {port}
    named = {volume.split(":")[0] for one in services.values() for volume in one.get("volumes", [])}
    assert {volume for volume in named if not volume.startswith(".")} == set(COMPOSE["volumes"])
    assert all((DEPLOY / volume).exists() for volume in named if volume.startswith("."))
    assert (DEPLOY.parent / SERVER["build"]["dockerfile"]).exists()
    published = [one for one in services if "ports" in services[one]]
    assert published == ["proxy"]  # neither the database nor the metrics
    scraped = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    targets = scraped["scrape_configs"][0]["static_configs"][0]["targets"]
    metrics = next(one for one in SERVER["command"] if one.startswith("--metrics-port="))
    assert metrics in services["worker"]["command"]
    measured = ["server-1", "server-2", "worker"]
    assert targets == [f"{one}:{metrics.split('=')[1]}" for one in measured]


def test_proxies_keep_browsers_on_https() -> None:
    caddy, nginx = ((DEPLOY / name).read_text() for name in ("Caddyfile", "nginx.conf"))
    assert "header Strict-Transport-Security max-age=31536000\n" in caddy
    assert 'add_header Strict-Transport-Security "max-age=31536000" always;' in nginx
    assert "return 301 https://$host$request_uri;" in nginx  # Caddy does so by itself


# Only systemd itself can check its units, and containers and other systems have none.
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_the_units_of_systemd(tmp_path: Path) -> None:
    program = tmp_path / "teahouse"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "environment").touch()
    units = []
    for unit in (*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer")):
        text = unit.read_text().replace("/opt/teahouse/bin/teahouse", str(program))
        text = text.replace("/etc/teahouse/environment", str(tmp_path / "environment"))
        units.append(tmp_path / unit.name.replace("@.", "@8001."))
        units[-1].write_text(text)
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units],
        capture_output=True,
        text=True,
        check=False,
    )
    own = [line for line in checked.stderr.splitlines() if str(tmp_path) in line]
    assert not own


def free_ports(count: int) -> list[int]:
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def start_server(database: str, folder: Path) -> tuple[subprocess.Popen[str], int, int]:
    """Start a server as compose.yaml does; return its process, its port and that of its metrics."""
    port, metrics = free_ports(2)
    process = start("server-1", database, folder / f"{port}.log", port, metrics)
    return process, port, metrics


def start(
    service: str, database: str, log_file: Path, port: int, metrics: int
) -> subprocess.Popen[str]:
    """Start a service as compose.yaml does, but on loopback and on these ports."""
    replaced = {
        "--host": "127.0.0.1",
        "--port": str(port),
        "--name": SITE,
        "--trusted-proxy": "127.0.0.1",
        "--metrics-port": str(metrics),
        "--metrics-host": "127.0.0.1",
    }
    command = []
    for argument in COMPOSE["services"][service]["command"]:
        name = argument.partition("=")[0]
        command.append(f"{name}={replaced[name]}" if name in replaced else argument)
    with log_file.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "teahouse", *command],
            env={**os.environ, "TEAHOUSE_DATABASE": database},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert process.stdout is not None
    assert "running" in process.stdout.readline(), log_file.read_text()
    return process


@pytest.mark.long
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_the_same_set_with_plain_processes(database: str, tmp_path: Path) -> None:
    """PostgreSQL, two servers, a worker and a proxy with TLS: a bot plays, all restart in turn."""
    servers = [start_server(database, tmp_path) for _ in range(2)]
    port, measured = free_ports(2)
    worker = start("worker", database, tmp_path / "worker.log", port, measured)
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE

    def get(url: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        secure = trusting if url.startswith("https") else None
        with urllib.request.urlopen(request, timeout=WAIT, context=secure) as answer:
            return answer.read().decode()

    try:
        with running_proxy([port for _, port, _ in servers], tmp_path) as address:
            assert json.loads(get(f"{address}/readyz")) == {"status": "ready"}
            game = th.load(GAME)
            seats = [{"kind": "local"}, *({"kind": "bot", "level": 1} for _ in game.players[1:])]
            body = {"game": GAME, "seed": 1, "seats": seats}
            table = json.loads(get(f"{address}/api/tables", body))
            url = f"{address.replace('https', 'wss')}/api/tables/{table['id']}/socket"
            keys = [seat["secret"] for seat in table["seats"] if seat["secret"]]
            join = json.dumps({"type": "join", "protocol": 2, "secrets": keys})
            with connect(url, ssl=trusting, origin=Origin(address)) as client:
                client.send(join)
                position = game.start(1)
                while position.player == 0:  # some moves are several decisions
                    move = {"seat": 0, "ply": position.ply, "move": position.legal[0]}
                    client.send(json.dumps({"type": "play", "id": 1, **move}))
                    while json.loads(client.recv(timeout=WAIT))["type"] != "ack":
                        pass
                    position = position.play(position.legal[0])
                played = 0
                while played <= position.ply:  # until the worker has played
                    played = json.loads(client.recv(timeout=WAIT)).get("state", {}).get("ply", 0)
            exposed = [get(f"http://127.0.0.1:{metrics}/metrics") for _, _, metrics in servers]
            moves = f"teahouse_moves_total {position.ply:.1f}"
            assert any(moves in one.splitlines() for one in exposed)
            counted = get(f"http://127.0.0.1:{measured}/metrics").splitlines()
            assert any(re.match(r"teahouse_moves_total [1-9]", one) for one in counted)
            assert any(one.startswith("teahouse_bot_thinking_seconds_count") for one in counted)
            assert any('queue="table_jobs"' in one for one in counted)
            stop(servers[0][0])
            with connect(
                f"ws://127.0.0.1:{servers[1][1]}/api/tables/{table['id']}/socket"
            ) as client:
                client.send(join)
                while (message := json.loads(client.recv(timeout=WAIT)))["type"] != "table":
                    pass
                assert message["state"]["ply"] >= played
    finally:
        for process in (servers[0][0], servers[1][0], worker):
            stop(process)
    assert {process.returncode for process in (servers[0][0], servers[1][0], worker)} == {0}
    lines = [
        json.loads(line)
        for _, port, _ in servers
        for line in (tmp_path / f"{port}.log").read_text().splitlines()
    ]
    assert {"/readyz", "/api/tables"} <= {line.get("route") for line in lines}
    assert all("exception" not in line for line in lines)


def stop(process: subprocess.Popen[str]) -> None:
    """Stop a process as systemd and Docker do."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WAIT)
