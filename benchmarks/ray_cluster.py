"""Play a match on a Ray cluster of two nodes, kill one meanwhile, and compare with one process.

Both nodes are on this machine, with one core each. The tables must be equal, or the exit code is 1.
"""

import argparse
import os
import secrets
import sys
import time

import teahouse as th
from teahouse.core.executor import LocalExecutor
from teahouse.core.executor.ray_cluster import RayExecutor
from teahouse.search.arena import MatchProgress, MatchResults, play_match

PLAYERS = ("uct:simulations=2000", "uct:simulations=1000")
NODE = {"num_cpus": 1, "object_store_memory": 80_000_000}


def table(results: MatchResults) -> list[tuple[object, ...]]:
    """Return what must not depend on where a match was played."""
    return [
        (row.player, row.wins, row.draws, row.losses, row.score, row.elo, row.simulations)
        for row in results.standings()
    ]


def main() -> None:
    """Play the match once on the cluster and once in this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    games = parser.parse_args().games
    os.environ |= {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    from ray.cluster_utils import Cluster

    game = th.load("orochi", side=3)
    started = time.perf_counter()
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    killed = 0.0
    try:
        with RayExecutor(cluster.address, notify=print) as executor:
            second = cluster.add_node(**NODE)  # the driver is on the first
            print(f"Cluster: {time.perf_counter() - started:.1f} s")
            started = time.perf_counter()

            def kill(progress: MatchProgress) -> None:
                nonlocal killed
                nodes = executor.nodes
                if not killed and len(nodes) == 2 and nodes[1].done and progress.done > games // 3:
                    cluster.remove_node(second, allow_graceful=False)
                    killed = time.perf_counter() - started
                    print(f"Killed a node after {progress.done} games, {killed:.1f} s.")

            on_cluster = play_match(game, PLAYERS, games, executor=executor, progress=kill)
            print(f"Cluster: {games} games in {time.perf_counter() - started:.1f} s")
            print(f"Games by node: {executor.status()}")
    finally:
        cluster.shutdown()
    started = time.perf_counter()
    alone = play_match(game, PLAYERS, games, executor=LocalExecutor(1))
    print(f"One process: {games} games in {time.perf_counter() - started:.1f} s")
    same = table(on_cluster) == table(alone)
    records = [one.record for one in on_cluster.games] == [one.record for one in alone.games]
    print(f"Same table: {same}. Same records: {records}. A node was killed: {bool(killed)}.")
    for row in alone.standings():
        print(f"{row.player}: {row.wins}/{row.draws}/{row.losses}, Elo {row.elo.value:+.1f}")
    sys.exit(0 if same and records and killed else 1)


if __name__ == "__main__":
    main()
