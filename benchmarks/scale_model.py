"""Capacity model: processes, cores, memory, network and databases for a number of games.

    python benchmarks/scale_model.py [--games 10000 1000000] [--move-seconds 12] [--markdown]

Computed from the measured costs of a move in `benchmarks/scale_costs.json` (`scale_costs.py`).
Each database with its servers is a unit; the model makes units as large as their bounds allow:

- a core is used by at most `--load` of its time, so that latency stays that of an idle machine;
- PostgreSQL serialises commits that notify, so a commit waits for the flush of the one before;
- every server is notified of every move of its unit, so the servers of a unit bound each other.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

COSTS = Path(__file__).parent / "scale_costs.json"
GATHER_MS = 4.0
"""Under load, how long a server waits for moves that share a commit."""


@dataclass(frozen=True)
class Costs:
    """What was measured; milliseconds of CPU time of a core."""

    house_ms: float
    """A move, in the server that stores it."""
    follower_ms: float
    """A move, in another server at which somebody watches the table."""
    database_ms: float
    notification_us: float
    """A move, in every other server of the database."""
    client_bytes: float
    log_bytes: float
    stored_bytes: float
    process_mb: float
    table_kb: float
    """Memory of a table and a socket, in each server that has the table."""
    idle_house_ms: float
    """A second of a server without moves."""
    flush_ms: float
    """A commit that waits for the disk; of the database's machine."""
    busy: bool
    """Whether other programs used the cores meanwhile, which raises CPU time too."""

    @classmethod
    def read(cls, file: Path = COSTS) -> Costs:
        """Return the measured costs."""
        found = json.loads(file.read_text())
        return cls(**{name: found[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Demand:
    """What people do."""

    games: int
    move_seconds: float
    """Between two moves of a game."""
    apart: float
    """The share of games whose players are connected to different servers."""
    load: float
    """The share of a core's time that may be used."""
    database_cores: int
    """Of the largest machine for a database."""


@dataclass(frozen=True)
class Unit:
    """A database with its servers."""

    games: int
    servers: int
    """Processes; each uses one core, and one more for drawing boards."""
    moves_per_second: float
    commits_per_second: float
    moves_per_commit: float
    house_cores: float
    database_cores: float
    notify_share: float
    """Share of a server's core for notifications of moves at other servers."""
    memory_gb: float


@dataclass(frozen=True)
class Plan:
    """What all games need."""

    games: int
    moves_per_second: float
    units: int
    unit: Unit
    bound: str
    """What keeps a unit from being larger."""
    servers: int
    house_cores: float
    database_cores: float
    memory_gb: float
    network_gbit: float
    log_mb_per_second: float
    stored_gb_per_day: float
    busy: bool
    """Whether the costs were measured while other programs used the cores."""


def unit_of(games: int, demand: Demand, costs: Costs) -> tuple[Unit | None, str]:
    """Return the unit for a number of games; None and the reason if there is none."""
    moves = games / demand.move_seconds
    apart = demand.apart
    work = moves * (costs.house_ms + apart * costs.follower_ms) / 1e3
    servers = 1
    while True:
        told = moves * (1 - (1 + apart) / servers) * costs.notification_us / 1e6
        told = max(0.0, told)
        busy = work / servers + told + costs.idle_house_ms / 1e3
        # Half of the work is drawing, in processes beside the server's own.
        if busy <= 2 * demand.load and told <= demand.load / 2:
            break
        if told > demand.load / 2:
            return None, "every server is notified of every move"
        servers += max(1, servers // 20)
    commits = min(moves, servers * 1e3 / (GATHER_MS + costs.flush_ms))
    possible = 1e3 / costs.flush_ms * demand.load
    if commits > possible:
        commits = possible  # servers wait for each other, and more moves share a commit
    if moves / commits > 100:
        return None, "commits that notify follow one another"
    database = moves * costs.database_ms / 1e3
    if database > demand.database_cores * demand.load:
        return None, "CPU time of the database"
    memory = servers * costs.process_mb / 1e3 + games * (1 + apart) * costs.table_kb / 1e6
    return (
        Unit(
            games,
            servers,
            moves,
            commits,
            moves / commits,
            servers * busy,
            database,
            told,
            memory,
        ),
        "",
    )


def plan(demand: Demand, costs: Costs) -> Plan:
    """Return the fewest equal units that bear all games."""
    units, bound = 1, "nothing: one database is enough"
    while True:
        unit, reason = unit_of(math.ceil(demand.games / units), demand, costs)
        if unit is not None:
            break
        units, bound = units + max(1, units // 20), reason
    moves = demand.games / demand.move_seconds
    return Plan(
        games=demand.games,
        moves_per_second=moves,
        units=units,
        unit=unit,
        bound=bound,
        servers=units * unit.servers,
        house_cores=units * unit.house_cores,
        database_cores=units * unit.database_cores,
        memory_gb=units * unit.memory_gb,
        network_gbit=moves * costs.client_bytes * 8 / 1e9,
        log_mb_per_second=moves * costs.log_bytes / 1e6,
        stored_gb_per_day=moves * costs.stored_bytes * 86_400 / 1e9,
        busy=costs.busy,
    )


def cost_table(costs: Costs) -> str:
    """Return the costs as a Markdown table."""
    rows = {
        "CPU time of the server that stores it, with its workers": f"{costs.house_ms} ms",
        "CPU time of another server at which somebody watches": f"{costs.follower_ms} ms",
        "CPU time of a server that does not have the table": f"{costs.notification_us} µs",
        "CPU time of PostgreSQL": f"{costs.database_ms} ms",
        "bytes to two clients": f"{costs.client_bytes:,}",
        "bytes of PostgreSQL's log": f"{costs.log_bytes:,}",
        "bytes that the database grows by": f"{costs.stored_bytes:,}",
        "a flush to disk, shared by the moves of a commit": f"{costs.flush_ms} ms",
    }
    lines = [f"| {name} | {value} |" for name, value in rows.items()]
    return "\n".join(["| cost of a move | |", "|---|---|", *lines])


def plan_table(plans: list[Plan]) -> str:
    """Return plans as a Markdown table, one column each."""
    rows = {
        "games at once": [f"{one.games:,}" for one in plans],
        "---": ["---"] * len(plans),
        "moves a second": [f"{one.moves_per_second:,.0f}" for one in plans],
        "databases": [f"{one.units}" for one in plans],
        "what bounds one database": [one.bound for one in plans],
        "servers": [f"{one.servers:,}" for one in plans],
        "cores of servers and their workers": [f"{one.house_cores:,.1f}" for one in plans],
        "cores of PostgreSQL": [f"{one.database_cores:,.1f}" for one in plans],
        "moves in a commit": [f"{one.unit.moves_per_commit:,.1f}" for one in plans],
        "memory": [f"{one.memory_gb:,.1f} GB" for one in plans],
        "network to clients": [f"{one.network_gbit:,.2f} Gbit/s" for one in plans],
        "PostgreSQL's log": [f"{one.log_mb_per_second:,.1f} MB/s" for one in plans],
        "growth of the databases in a day": [f"{one.stored_gb_per_day:,.0f} GB" for one in plans],
    }
    return "\n".join(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())


def main() -> None:
    """Print the plans."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--move-seconds", type=float, default=12.0)
    parser.add_argument("--apart", type=float, default=1.0)
    parser.add_argument("--load", type=float, default=0.6)
    parser.add_argument("--database-cores", type=int, default=32)
    parser.add_argument("--markdown", action="store_true", help="the tables of docs/scale.md")
    options = parser.parse_args()
    costs = Costs.read()
    settings = (options.move_seconds, options.apart, options.load, options.database_cores)
    plans = [plan(Demand(games, *settings), costs) for games in options.games]
    if options.markdown:
        print(cost_table(costs), plan_table(plans), sep="\n\n")
        return
    for one in plans:
        print(json.dumps(asdict(one), indent=1))


if __name__ == "__main__":
    main()
