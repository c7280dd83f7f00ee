"""The examples of deploy/ with the real programs: nginx and Caddy in front of a server.

Ports, names and certificates are replaced; everything else is as it is documented.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.servers import WAIT, ServerProcess, running_server
from websockets.sync.client import connect
from websockets.typing import Origin

DEPLOY = Path(__file__).parents[2] / "deploy"
TABLE = {"game": "orochi", "options": {"side": 2}, "seats": [{"kind": "remote"}] * 2}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def nginx(folder: Path, port: int, server: str) -> list[str | Path]:
    """Return the command that runs nginx with its example."""
    text = (DEPLOY / "nginx.conf").read_text()
    text = text.replace("listen 80;", f"listen 127.0.0.1:{free_port()};")
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    text = text.replace("server 127.0.0.1:8000;", f"server {server};")
    text = re.sub(r"\n *ssl_certificate.*", "", text)
    paths = [f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy")]
    paths += [f"{kind}_temp_path {folder}/{kind};" for kind in ("fastcgi", "uwsgi", "scgi")]
    main = "daemon off; master_process off;" + f"pid {folder}/pid; error_log {folder}/log;"
    http = f"http {{ access_log off; {' '.join(paths)} {text} }}"
    (folder / "nginx.conf").write_text(f"{main} events {{}} {http}")
    return ["nginx", "-e", folder / "log", "-p", folder, "-c", folder / "nginx.conf"]


def caddy(folder: Path, port: int, server: str) -> list[str | Path]:
    """Return the command that runs Caddy with its example."""
    text = (DEPLOY / "Caddyfile").read_text()
    text = text.replace("{$TEAHOUSE_SITE:tea.example.org}", f"http://:{port}")
    text = text.replace("{$TEAHOUSE_SERVER:127.0.0.1:8000}", server)
    (folder / "Caddyfile").write_text("{\n\tadmin off\n}\n" + text)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"]


@contextmanager
def running_proxy(command: list[str | Path], folder: Path, port: int) -> Iterator[str]:
    """Run a proxy and return its URL."""
    environment = {"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    with (folder / "output").open("w") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            deadline = time.monotonic() + WAIT
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    log = (folder / "output").read_text()
                    assert process.poll() is None, log
                    assert time.monotonic() < deadline, log
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def create(url: str, address: str, forged: str = "") -> tuple[int, Any]:
    """Create a table from an address of the loopback network; return the status and the body."""
    host, port = url.removeprefix("http://").split(":")
    content = json.dumps(TABLE).encode()
    lines = [
        "POST /api/tables HTTP/1.1",
        f"Host: {host}:{port}",
        f"Origin: {url}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(content)}",
        *([f"X-Forwarded-For: {forged}", f"Forwarded: for={forged}"] if forged else []),
        "",
        "",
    ]
    with socket.create_connection((host, int(port)), WAIT, (address, 0)) as connection:
        connection.sendall("\r\n".join(lines).encode() + content)
        head, _, answer = connection.makefile("rb").read().partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), json.loads(answer)


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server behind a proxy, with few tables for each address."""
    database = tmp_path_factory.mktemp("proxies") / "teahouse.db"
    limits = {"max_tables_per_address": 1, "trusted_proxies": ["127.0.0.1"]}
    with running_server(str(database), **limits) as server:
        yield server


@pytest.mark.parametrize(("program", "number"), [(nginx, 30), (caddy, 40)])
def test_the_examples_of_proxies(
    program: Any, number: int, limited: ServerProcess, tmp_path: Path
) -> None:
    name = program.__name__
    if shutil.which(name) is None and not Path("/usr/sbin", name).exists():
        pytest.skip(f"{name} is not installed: apt-get install {name}")
    port = free_port()
    command = program(tmp_path, port, limited.address.removeprefix("http://"))
    with running_proxy(command, tmp_path, port) as url:
        with urllib.request.urlopen(f"{url}/", timeout=WAIT) as answer:
            assert answer.status == 200
            assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
        first, second = f"127.0.0.{number}", f"127.0.0.{number + 1}"
        status, created = create(url, first)
        assert status == 201
        assert create(url, first)[0] == 429
        assert create(url, first, forged=f"192.0.2.{number}")[0] == 429
        assert create(url, second)[0] == 201
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{url}/api/records", b"x" * 400_000, timeout=WAIT)
        assert refused.value.code == 413
        refused.value.close()
        socket_url = f"{url.replace('http', 'ws')}/api/tables/{created['id']}/socket"
        with connect(socket_url, origin=Origin(url)) as client:
            client.send('{"type": "join"}')
            assert json.loads(client.recv(timeout=WAIT))["type"] == "table"
