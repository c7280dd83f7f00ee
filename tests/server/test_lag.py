"""The server measures the round trip of a client itself, and gives it back."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace

from support.servers import Client, ServerProcess

import teahouse as th

GAME = th.games()[0]
DELAY = 0.1


@contextmanager
def slow_line(port: int) -> Iterator[int]:
    """Run a line to a port that delays everything, in both directions; return its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def copy(source: socket.socket, target: socket.socket) -> None:
            with suppress(OSError):
                while data := source.recv(65_536):
                    time.sleep(DELAY)
                    target.sendall(data)
            for one in (source, target):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

        def accept() -> None:
            client, _ = listening.accept()
            with client, socket.create_connection(("127.0.0.1", port)) as server:
                back = threading.Thread(target=copy, args=(server, client))
                back.start()
                copy(client, server)
                back.join()

        thread = threading.Thread(target=accept)
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


def test_a_slow_line_costs_no_time(server: ServerProcess) -> None:
    seats = [{"kind": "local"} for _ in th.load(GAME).players]
    clock = {"kind": "realtime", "seconds": 600}
    table, keys = server.create_table(game=GAME, seats=seats, time_control=clock, seed=1)
    position = th.load(GAME).start(1)
    with slow_line(server.port) as port:
        far = SimpleNamespace(address=f"http://127.0.0.1:{port}")
        with Client(far, table, tuple(keys), 0, False, False) as client:  # type: ignore[arg-type]
            client.receive("table")
            client.request(type="ping")
            move = position.legal[0]
            answer = client.request(type="play", seat=position.player, ply=0, move=move)
            assert answer["type"] == "ack", answer
            moved = [
                event
                for message in client.received
                for event in message.get("events", [])
                if event["type"] == "moved"
            ]
    assert moved[0]["lag"] >= 2 * DELAY
