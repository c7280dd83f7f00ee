"""Train a network for Orochi by self-play and check its moves against the exact solution.

    python examples/train_network.py --minutes 2 --device cuda

Of random positions that the player to move wins, and where not every move does, count those where
the learned player's move keeps the win. Computing the exact solution of side 3 takes a minute.
"""

import argparse
import random
from pathlib import Path

import teahouse as th
from teahouse.learn.export import export_network
from teahouse.learn.trainer import Trainer, default_settings
from teahouse.search.networks import load_network
from teahouse.search.tablebase import Tablebase, compute_tablebase


def train(game: th.Game, folder: Path, minutes: float, device: str) -> Path:
    """Train, or go on with the run in the folder; return the network's file."""
    trainer = Trainer(game, folder, default_settings(game, device, minutes, seed=1), device)
    for report in trainer.run():
        print(f"{report.seconds:5.0f} s, {report.positions:,} positions, ", end="")
        print(f"losses {report.policy_loss:.3f} and {report.value_loss:.3f}")
    file = folder / "network.onnx"
    export_network(trainer.average, game, file, {"minutes": round(trainer.seconds / 60, 2)})
    return file


def won_positions(game: th.Game, table: Tablebase, count: int) -> list[th.Position]:
    """Return random positions in which some moves keep a won game won and others lose it."""
    chance = random.Random(1)
    found: list[th.Position] = []
    while len(found) < count:
        position = game.start()
        line = []
        while not position.over:
            line.append(position)
            position = position.play(chance.choice(position.legal))
        position = chance.choice(line)
        winners = {table.winner(position.play(move)) for move in position.legal}
        if position.player in winners and len(winners) > 1:
            found.append(position)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--side", type=int, default=3, choices=(2, 3), help="boards that are solved"
    )
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--device", default="cuda", help="cuda or cpu")
    parser.add_argument("--folder", type=Path, default=Path("runs/orochi-3"))
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--simulations", type=int, nargs="*", default=[1, 16, 64, 256])
    parser.add_argument("--seconds", type=float, nargs="*", default=[])
    parser.add_argument("--network", type=Path, help="check this file instead of training")
    options = parser.parse_args()
    game = th.load("orochi", side=options.side)
    file = options.network or train(game, options.folder, options.minutes, options.device)
    network = load_network(game, file)
    table = compute_tablebase(game)
    assert table is not None  # boards of these sides have one
    positions = won_positions(game, table, options.positions)
    budgets = [{"simulations": count} for count in options.simulations]
    budgets += [{"seconds": seconds, "threads": 2} for seconds in options.seconds]
    for budget in budgets:
        kept = 0
        for position in positions:
            best = th.analyse(position, network=network, **budget).best
            kept += table.winner(position.play(best)) == position.player
        text = ", ".join(f"{value:g} {name}" for name, value in budget.items())
        print(f"{text}: {kept} of {len(positions)} wins kept ({kept / len(positions):.1%})")


if __name__ == "__main__":
    main()
