"""The files of deploy/: the set of compose.yaml runs, with plain processes."""

from __future__ import annotations

import json
import os
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
SERVER: dict[str, Any] = COMPOSE["services"]["server"]
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
    assert [one.split(":")[0] for one in upstreams] == ["server"]
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
    assert targets == [f"{one.split(':')[0]}:{metrics.split('=')[1]}" for one in upstreams]


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
    replaced = {
        "--host": "127.0.0.1",
        "--port": str(port),
        "--name": SITE,
        "--trusted-proxy": "127.0.0.1",
        "--metrics-port": str(metrics),
        "--metrics-host": "127.0.0.1",
    }
    command = []
    for argument in SERVER["command"]:
        name = argument.partition("=")[0]
        command.append(f"{name}={replaced[name]}" if name in replaced else argument)
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "teahouse", *command],
            env={**os.environ, "TEAHOUSE_DATABASE": database},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert process.stdout is not None
    assert "http://" in process.stdout.readline(), (folder / "log").read_text()
    return process, port, metrics


@pytest.mark.long
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_the_same_set_with_plain_processes(database: str, tmp_path: Path) -> None:
    """PostgreSQL, a server and a proxy with TLS: ready, played on, measured, logged, drained."""
    process, port, metrics = start_server(database, tmp_path)
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE

    def get(url: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        secure = trusting if url.startswith("https") else None
        with urllib.request.urlopen(request, timeout=WAIT, context=secure) as answer:
            return answer.read().decode()

    try:
        with running_proxy([port], tmp_path) as address:
            assert json.loads(get(f"{address}/readyz")) == {"status": "ready"}
            game = th.load(GAME)
            seats = [{"kind": "local"} for _ in game.players]
            body = {"game": GAME, "seed": 1, "seats": seats}
            table = json.loads(get(f"{address}/api/tables", body))
            url = f"{address.replace('https', 'wss')}/api/tables/{table['id']}/socket"
            keys = [seat["secret"] for seat in table["seats"]]
            with connect(url, ssl=trusting, origin=Origin(address)) as client:
                client.send(json.dumps({"type": "join", "protocol": 2, "secrets": keys}))
                position = game.start(1)
                move = {"type": "play", "id": 1, "seat": position.player, "ply": 0}
                client.send(json.dumps({**move, "move": position.legal[0]}))
                while json.loads(client.recv(timeout=WAIT))["type"] != "ack":
                    pass
            exposed = get(f"http://127.0.0.1:{metrics}/metrics")
            assert "teahouse_moves_total 1.0" in exposed.splitlines()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WAIT)
    assert process.returncode == 0
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert {"/readyz", "/api/tables"} <= {line.get("route") for line in lines}
    assert all("exception" not in line for line in lines)
