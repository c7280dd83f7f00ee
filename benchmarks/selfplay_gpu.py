"""Measure self-play on a GPU beside mctx with Pgx: positions per second at 32 simulations.

Both use Gumbel MCTS that considers 16 actions at the root and a residual network of 6 × 64 in
bfloat16. Rounds of ours and of the peer alternate; the best round of each counts.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import torch

import teahouse as th
from teahouse.learn.evaluator import Evaluator
from teahouse.learn.network import NetworkShape, PolicyValueNetwork
from teahouse.learn.selfplay import SelfPlay, SelfPlaySettings

PEER = Path(__file__).parent / "mctx_peer.py"
SIMULATIONS = 32
WARM_STEPS = 4


def build(name: str, games: int) -> SelfPlay:
    """Return self-play of a game with an untrained network, after some steps."""
    game = th.load(name)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    network = PolicyValueNetwork(game, NetworkShape(6, 64)).to("cuda")
    network = network.to(memory_format=torch.channels_last).eval()
    settings = SelfPlaySettings(games=games, simulations=SIMULATIONS, ring=16)
    play = SelfPlay(game, settings, Evaluator(network, torch.bfloat16, optimized=True), "cuda", 1)
    for _ in range(WARM_STEPS):
        play.search()
        play.act()
    torch.cuda.synchronize()
    return play


def rate(play: SelfPlay, seconds: float) -> float:
    """Return the positions per second of search and step."""
    moves = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        play.search()
        play.act()
        torch.cuda.synchronize()
        moves += 1
    return moves * play.settings.games / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=["orochi"])
    parser.add_argument("--peers", nargs="+", default=["hex", "othello"])
    parser.add_argument("--sizes", nargs="+", type=int, default=[16384])
    parser.add_argument("--peer-sizes", nargs="+", type=int, default=[1024, 4096])
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    peer = subprocess.Popen(
        [sys.executable, str(PEER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert peer.stdin is not None and peer.stdout is not None
    peers: dict[str, tuple[float, int]] = {}
    for name in arguments.peers:
        for size in arguments.peer_sizes:
            print(f"{name} {size} {arguments.seconds}", file=peer.stdin, flush=True)
            line = peer.stdout.readline()
            value = float(line) if line else 0.0
            print(f"mctx {name} {size}: {value:,.0f} positions/s", flush=True)
            peers[name] = max(peers.get(name, (0.0, 0)), (value, size))
    peer.stdin.close()
    peer.wait()
    for name in arguments.games:
        found = max((rate(build(name, size), arguments.seconds), size) for size in arguments.sizes)
        ratios = ", ".join(
            f"{found[0] / value:.1f} x {other} ({size})"
            for other, (value, size) in peers.items()
            if value
        )
        print(f"{name} {found[1]}: {found[0]:,.0f} positions/s; {ratios}", flush=True)


if __name__ == "__main__":
    main()
