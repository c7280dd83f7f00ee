"""Servers that are restarted one after the other, by SIGTERM, while games are played at them.

Players reconnect as the pages do; whoever opens pages is sent to another server when one does not
listen, as by a proxy. Nobody may see an error, miss a move, or lose or gain time.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import signal
import time
from collections.abc import Callable
from typing import Any

import teahouse as th
from support.servers import ServerProcess
from support.several_kills import Cluster, Game, Tally, check
from support.several_pages import Reading, Seat, Seen, compare_clocks, play_move

SECONDS = 3_600
"""On the clocks of the games."""
MAX_ERRORS = 100
THINKING = 0.05
"""Seconds between the moves of a game."""


class Visitors:
    """Who opens pages and creates games meanwhile, by connections that are kept alive."""

    def __init__(self, ports: list[int], table: str, seen: Seen) -> None:
        self._connections = {
            port: http.client.HTTPConnection("127.0.0.1", port, timeout=60) for port in ports
        }
        self._table, self._seen = table, seen
        self._name = th.games()[0]

    def browse(self, until: Callable[[], bool]) -> None:
        """Open one page after the other, at all servers in turn."""
        seats = [{"kind": "local"} for _ in th.load(self._name).players]
        wanted = json.dumps({"game": self._name, "seats": seats})
        table = self._table
        while not until():
            for port in self._connections:
                self._request(port, "GET", f"/tables/{self._table}")
                self._request(port, "GET", f"/api/tables/{table}")  # of another server
                created = self._request(port, "POST", "/api/tables", wanted)
                table = created["id"] if created else table
            time.sleep(0.1)
        for connection in self._connections.values():
            connection.close()

    def _request(self, port: int, method: str, path: str, body: str | None = None) -> Any:
        """Return the JSON of a response, or None if it is not JSON, or there is none."""
        connection = self._connections[port]
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException):  # a proxy asks another one
            connection.close()
            return None
        self._seen.requests += 1
        if response.status >= 400:
            self._seen.errors.append(f"{method} {path}: {response.status} {text[:200]!r}")
            return None
        return json.loads(text) if path.startswith("/api/") else None


def read_clock(server: ServerProcess, table: str) -> Reading:
    """Return the running clock of a table as a server tells it, by the quickest of 5 requests."""
    found = []
    for _ in range(5):
        asked = time.monotonic()
        state = server.request(f"/api/tables/{table}")[1]["state"]
        found.append(Reading.of(state["clock"], asked, time.monotonic()))
    return min(found, key=lambda one: one.latest - one.earliest)


def restart(cluster: Cluster, index: int, seen: Seen) -> None:
    """Stop a server by SIGTERM, and start it again on the same port."""
    server = cluster.servers[index]
    server.process.send_signal(signal.SIGTERM)
    logged = server.wait()
    if server.process.returncode or "Traceback" in logged:
        seen.errors.append(f"exit code {server.process.returncode}: {logged[-2_000:]}")
    cluster.servers[index] = ServerProcess(cluster.database, port=server.port)
    seen.restarts += 1


class RollingRestart:
    """Games that are played at all servers of a cluster while these are restarted."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self._cluster, self._rng = cluster, random.Random(seed)
        self._ports = cluster.ports
        self.seen = Seen()
        self.games: list[Game] = []
        self._done = False

    async def run(self, restarts: int, tables: int) -> None:
        """Restart the servers in turn."""
        still, pages = await self._still_game()
        playing = [asyncio.create_task(self._keep_playing(number)) for number in range(tables)]
        visitors = Visitors(self._ports, still.id, self.seen)
        playing.append(asyncio.create_task(asyncio.to_thread(visitors.browse, self._ended)))
        try:
            servers = self._cluster.servers
            first = await asyncio.to_thread(read_clock, servers[0], still.id)
            for number in range(restarts):
                await self._everybody_plays()
                await asyncio.to_thread(restart, self._cluster, number % len(servers), self.seen)
                for server in servers:
                    self._compare(first, await asyncio.to_thread(read_clock, server, still.id))
                for page in pages:
                    await page.reload()
                    assert page.reading is not None
                    self._compare(first, page.reading)
        finally:
            self._done = True
            await asyncio.gather(*playing)
            for page in pages:
                page.close()

    def check(self) -> Tally:
        """Compare the events in the database with what was acknowledged."""
        tally = Tally(games=len(self.games))
        tally.acknowledged = sum(len(game.acknowledged) for game in self.games)
        check(self._cluster, self.games, tally)
        return tally

    def _ended(self) -> bool:
        return self._done

    def _compare(self, first: Reading, reading: Reading) -> None:
        self.seen.standing.append(first.differs(reading))
        self.seen.uncertain.append(reading.latest - reading.earliest)

    async def _still_game(self) -> tuple[Game, list[Seat]]:
        """Return a game that has begun, and in which nobody moves, with its pages."""
        game = await asyncio.to_thread(self._new_game, 0)
        pages = [Seat(self._ports, game, number, self.seen) for number in range(len(game.secrets))]
        for page in pages:
            await page.see(0, time.monotonic())
        while pages[0].clock["running"] is None or not game.moves:
            await play_move(game, pages)
        return game, pages

    async def _keep_playing(self, number: int) -> None:
        while not self._done:
            game = await asyncio.to_thread(self._new_game, number)
            ports = self._ports[number % len(self._ports) :] + self._ports
            pages = [Seat(ports, game, seat, self.seen) for seat in range(len(game.secrets))]
            for page in pages:
                await page.see(0, time.monotonic())
            while not game.position.over and not self._done:
                await play_move(game, pages)
                compare_clocks(pages, self.seen)
                await asyncio.sleep(THINKING)
            for page in pages:
                page.close()

    async def _everybody_plays(self) -> None:
        """Wait until there were as many moves as there are games."""
        played = self._moves + len(self.games)
        while self._moves < played:
            await asyncio.sleep(0.02)

    @property
    def _moves(self) -> int:
        return sum(len(game.moves) for game in self.games)

    def _new_game(self, number: int) -> Game:
        names = th.games()
        name = names[number % len(names)]
        control = {"kind": "realtime", "seconds": SECONDS}
        seats = [{"kind": "remote"} for _ in th.load(name).players]
        while True:
            server = self._rng.choice(self._cluster.servers)
            try:
                table, secrets = server.create_table(
                    game=name, seed=1, seats=seats, time_control=control
                )
            except OSError:  # it does not listen: a proxy tries another one
                time.sleep(0.02)
                continue
            except AssertionError as error:
                self.seen.errors.append(f"no game: {error}")
                if len(self.seen.errors) > MAX_ERRORS:
                    raise
                time.sleep(0.1)
                continue
            self.games.append(Game(table, secrets, th.load(name).start(1), bot=False))
            return self.games[-1]


async def restart_several(
    *, servers: int, restarts: int, tables: int, seed: int = 1
) -> tuple[Seen, Tally]:
    """Restart servers in turn while games are played; return what was seen and stored."""
    cluster = await asyncio.to_thread(Cluster, servers, 0, seed)
    try:
        rolling = RollingRestart(cluster, seed)
        await rolling.run(restarts, tables)
        tally = await asyncio.to_thread(rolling.check)
    finally:
        logged = await asyncio.to_thread(cluster.close)
    tally.exceptions = [text for text in logged if "Traceback" in text]
    return rolling.seen, tally
