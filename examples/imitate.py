"""Learn to imitate a bot from its games: `python examples/imitate.py [FOLDER]`.

    pip install 'teahouse[learn]'
    teahouse selfplay orochi level3 --games 300 --out games
    python examples/imitate.py games

FOLDER is one of `teahouse selfplay` or `teahouse arena`, or a file of records; without one, games
of a bot on a small board are played first.
"""

import random
import sys
import tempfile

import torch
from torch import nn

import teahouse as th
from teahouse.rl.data import Dataset, write_selfplay

EPOCHS = 100


def imitate(data: Dataset) -> nn.Module:
    """Train a network to predict the actions of the games."""
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the network is too small for more
    planes, legal = data[0].planes, data[0].legal
    network = nn.Sequential(
        nn.Flatten(), nn.Linear(planes.size, 256), nn.ReLU(), nn.Linear(256, len(legal))
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for batch in data.batches(64, seed=1, epochs=EPOCHS, augment=True, convert=torch.from_numpy):
        logits = network(batch.planes.float()).masked_fill(~batch.legal, -1e9)
        loss = nn.functional.cross_entropy(logits, batch.policy)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network


def choose(network: nn.Module, position: th.Position) -> str:
    """Return the move that the network finds most likely."""
    actions: list[int] = []
    while True:  # an action for each part of a move
        planes = torch.from_numpy(position.planes(actions)).float()
        legal = torch.from_numpy(position.action_mask(actions))
        with torch.no_grad():
            logits = network(planes[None])[0].masked_fill(~legal, -1e9)
        actions.append(int(logits.argmax()))
        try:
            return position.move_of(actions)
        except th.IllegalMove:
            pass  # the first part of a move


def win_rate(network: nn.Module, game: th.Game, games: int) -> float:
    """Return the share of games that the network wins against random play, in both seats."""
    rng = random.Random(1)
    wins = 0
    for number in range(games):
        position, seat = game.start(number), number % len(game.players)
        while not position.over:
            own = position.player == seat
            move = choose(network, position) if own else rng.choice(position.legal)
            position = position.play(move)
        wins += seat in position.winners
    return wins / games


def main() -> None:
    with tempfile.TemporaryDirectory() as own:
        folder = sys.argv[1] if len(sys.argv) > 1 else own
        if folder == own:
            write_selfplay(th.load("orochi", side=2), "level5", 300, own, seed=1)
        data = Dataset(folder)
        print(f"{len(data)} actions of {data.game!r}")
        share = win_rate(imitate(data), data.game, 200)
        print(f"The imitator wins {share:.0%} of 200 games against random play.")


if __name__ == "__main__":
    main()
