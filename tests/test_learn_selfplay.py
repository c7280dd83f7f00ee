"""Self-play on a CPU and the smallest board: searches, training targets, stored games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.training import SMALL, play, smallest, uniform

import teahouse as th
from teahouse.learn.checkpoint import (
    CheckpointError,
)
from teahouse.learn.rows import NetworkGames, TrainedNetwork
from teahouse.learn.selfplay import SelfPlaySettings, schedule
from teahouse.rl.data import Dataset
from teahouse.rl.data.generate import summarize, write_shards
from teahouse.search.proof.solve import solve


def test_schedule_halves_the_considered_actions() -> None:
    row = schedule(4, 8)[4, 1:]
    assert list(row) == [0, 0, 0, 0, 1, 1, 2, 2]
    assert list(schedule(4, 5)[1, 1:]) == [0, 1, 2, 3, 4]


def test_the_same_seed_gives_the_same_games() -> None:
    first, again, other = (play(smallest(), 12, seed) for seed in (1, 1, 2))
    assert first.arrays["replay_states"].tobytes() == again.arrays["replay_states"].tobytes()
    assert first.arrays["replay_states"].tobytes() != other.arrays["replay_states"].tobytes()


def test_rows_are_complete_distributions() -> None:
    selfplay = play(smallest(), 24)
    sample = selfplay.sample(200, torch.Generator().manual_seed(1))
    assert sample.weights.sum() > 100
    assert torch.allclose(sample.policies.sum(1), torch.ones(200))
    assert torch.allclose(sample.values.sum(1), torch.ones(200))
    assert selfplay.statistics()["games"] > 10


def test_small_searches_expand_roots_with_many_actions() -> None:
    selfplay = play(smallest(), 12, chosen=replace(SMALL, simulations=2, edges_per_node=1))
    filled = selfplay.arrays["policies"][:12]
    assert filled.sum(axis=2) == pytest.approx(np.ones(filled.shape[:2]))
    assert selfplay.statistics()["games"] > 0


def test_proven_values_are_exact() -> None:
    game = smallest()
    selfplay = play(game, 24, chosen=replace(SMALL, simulations=40))
    exact = np.array(selfplay.arrays["exact"])
    states = selfplay.arrays["replay_states"].reshape(exact.shape)
    rows = np.argwhere(exact)
    assert len(rows) > 20
    for row, number in rows[:40]:
        position = th.Position(game, states[row, number].tobytes(), 0)
        won = solve(position).value == "win"
        target = selfplay.arrays["targets"][row, number]
        assert list(target) == ([1.0, 0.0] if won else [0.0, 1.0])


def test_the_target_policy_of_a_won_position_keeps_it_won() -> None:
    game = smallest()
    selfplay = play(game, 24, chosen=replace(SMALL, simulations=40))
    exact = np.array(selfplay.arrays["exact"])
    states = selfplay.arrays["replay_states"].reshape(exact.shape)
    checked = 0
    for row, number in np.argwhere(exact):
        if selfplay.arrays["targets"][row, number, 0] != 1.0:
            continue
        position = th.Position(game, states[row, number].tobytes(), 0)
        policy = selfplay.arrays["policies"][row, number]
        for text in position.legal:
            move = position.move(text)
            action = game_action(game, position, move)
            if policy[action] > 0:
                after = position.play(text)
                if after.over:
                    assert position.player in after.winners
                else:
                    same = after.player == position.player
                    assert solve(after).value == ("win" if same else "loss")
                checked += 1
    assert checked > 10


def game_action(game: th.Game, position: th.Position, move: int) -> int:
    from teahouse.core.encoding import encoded_rules

    return int(encoded_rules(game).action(game.board, position.unpack(), move, 0))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "options"),
    [("fillit", {"mode": "3"}), ("fillit", {"mode": "teams"}), ("oolong", {}), ("toot", {})],
)
def test_every_game_plays_itself(name: str, options: dict[str, Any]) -> None:
    game = th.load(name, **options)
    chosen = SelfPlaySettings(games=4, simulations=4, considered=4, ring=16, opening=60)
    selfplay = play(game, 16, chosen=chosen)
    sample = selfplay.sample(64, torch.Generator().manual_seed(1))
    assert torch.allclose(sample.policies.sum(1), torch.ones(64))
    assert torch.allclose(sample.values.sum(1), torch.ones(64))


def test_a_network_writes_training_data_with_its_policies(tmp_path: Path) -> None:
    game = smallest()
    source = NetworkGames(
        game, TrainedNetwork(uniform(game), "0"), seed=1, device="cpu", shard_games=4, simulations=8
    )
    folders = [write_shards(source, games, tmp_path / "data", None, None) for games in (3, 6)]
    again = write_shards(source, 6, tmp_path / "again", None, None)
    assert [path.read_bytes() for path in again.shards()] == [
        path.read_bytes() for path in folders[1].shards()
    ]
    assert summarize(again)["games"] == 6
    data = Dataset(tmp_path / "data")
    samples = data[:]
    assert set(samples.game) == set(range(6))
    assert samples.policy.sum(1) == pytest.approx(np.ones(len(data)), abs=0.01)
    assert not samples.policy[~samples.legal].any()
    assert samples.legal[np.arange(len(data)), samples.action].all()
    assert set(np.abs(samples.reward)) == {1.0}
    with pytest.raises(CheckpointError, match=r"has no checkpoint.pt"):
        TrainedNetwork.load(game, tmp_path, "cpu")
