"""Learn to imitate a bot from its games: `python examples/imitate.py [FOLDER]`.

    pip install 'teahouse[learn]'
    teahouse selfplay orochi level3 --games 300 --out games
    python examples/imitate.py games

FOLDER is one of `teahouse selfplay` or `teahouse arena`, or a file of records; without one, games
of a bot on a small board are played first.
"""

import sys
import tempfile

import torch
from torch import nn

import teahouse as th
from teahouse.rl.data import Dataset, write_selfplay

EPOCHS = 20


def imitate(data: Dataset) -> nn.Module:
    """Train a network to predict the actions of the games."""
    torch.manual_seed(1)
    planes, legal = data[0].planes, data[0].legal
    network = nn.Sequential(
        nn.Flatten(), nn.Linear(planes.size, 256), nn.ReLU(), nn.Linear(256, len(legal))
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for batch in data.batches(256, seed=1, epochs=EPOCHS, augment=True, convert=torch.from_numpy):
        logits = network(batch.planes.float()).masked_fill(~batch.legal, -1e9)
        loss = nn.functional.cross_entropy(logits, batch.policy)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network


def agreement(network: nn.Module, data: Dataset) -> tuple[float, float]:
    """Return how often the network's first choice was played, and how often a random one is."""
    every = data[:]
    with torch.no_grad():
        logits = network(torch.from_numpy(every.planes).float()).numpy()
    logits[~every.legal] = -1e9
    same = float((logits.argmax(1) == every.action).mean())
    return same, float((1 / every.legal.sum(1)).mean())


def main() -> None:
    with tempfile.TemporaryDirectory() as own:
        folder = sys.argv[1] if len(sys.argv) > 1 else own
        if folder == own:
            write_selfplay(th.load("orochi", side=3), "level2", 100, own, seed=1)
        data = Dataset(folder)
        network = imitate(data)
        same, by_chance = agreement(network, data)
        print(f"{len(data)} actions of {data.game!r}")
        print(f"The network predicts {same:.0%} of them; chance would predict {by_chance:.0%}.")


if __name__ == "__main__":
    main()
