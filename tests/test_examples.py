"""The tutorials in examples/ run as a reader would run them, and come to what they promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.bot_accounts import add_bots
from support.servers import running_server

import teahouse as th

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name: str, *arguments: str) -> str:
    """What an example prints."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_tested_here() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "bot.py",
        "imitate.py",
        "maskable_ppo.py",
        "openspiel_mcts.py",
        "own_agent.py",
        "random_agent.py",
        "torchrl_ppo.py",
        "train_network.py",
        "train_policy.py",
    }


def test_a_bot_plays_a_game_on_a_server(tmp_path: Path) -> None:
    database = str(tmp_path / "teahouse.db")
    (token,) = add_bots(database, "Example")
    two_sided = next(game for game in th.games() if len(th.load(game).players) == 2)
    with running_server(database) as server:
        printed = run("bot.py", server.address, token, two_sided)
        url, result = printed.split(" ", 1)
        table = server.request(f"/api/tables/{url.rsplit('/', 1)[1]}")[1]
        assert table["state"]["over"] and table["table"]["rated"]
        assert result.strip() == table["state"]["result_text"]


def test_random_agent() -> None:
    printed = run("random_agent.py")
    assert "games ended" in printed
    assert printed.count(": reward ") == 2
    assert "against level 1: mean reward" in printed


def test_own_agent() -> None:
    printed = run("own_agent.py")
    scores = dict(re.findall(r"(\w+): \d+ games, score (\d+)%", printed))
    assert scores.keys() == {"OneMoveAhead", "choose", "level1"}
    assert max(scores, key=lambda name: int(scores[name])) == "OneMoveAhead"


def test_openspiel_mcts() -> None:
    found = re.search(r"MCTS won (\d+) of 10 games", run("openspiel_mcts.py"))
    assert found
    assert int(found[1]) >= 7


def test_a_trained_policy_beats_level_1() -> None:
    """By luck alone an equal player wins 120 of 200 games once in 400 times."""
    printed = run("train_policy.py", "12")
    found = re.search(r"won (\d+) of 200 games against level 1", printed)
    assert found
    assert int(found[1]) >= 120


def test_train_network(tmp_path: Path) -> None:
    small = ["--side", "2", "--device", "cpu", "--minutes", "0.02", "--positions", "20"]
    printed = run("train_network.py", *small, "--folder", str(tmp_path), "--simulations", "8")
    assert re.search(r"8 simulations: \d+ of 20 wins kept", printed)


@pytest.mark.long
def test_imitate() -> None:
    (share,) = map(int, re.findall(r"wins (\d+)%", run("imitate.py")))
    assert share > 60


@pytest.mark.long
def test_maskable_ppo_of_sb3_contrib_learns() -> None:
    printed = run("maskable_ppo.py", "8192")
    random_play, learnt = map(int, re.findall(r"wins (\d+)%", printed))
    assert random_play < 65 and learnt > 80


@pytest.mark.long
def test_ppo_of_torchrl_learns() -> None:
    (learnt,) = map(int, re.findall(r"wins (\d+)%", run("torchrl_ppo.py", "4096")))
    assert learnt > 75
