"""Functions and classes as players of the arena."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import teahouse as th
from teahouse.search.arena import play_against_itself, play_match
from teahouse.search.arena.custom_players import CustomPlayerError

EXAMPLE = Path(__file__).parents[1] / "examples" / "own_agent.py"
GAME = next(game for name in th.games() if len((game := th.load(name)).players) == 2)


def first(position: th.Position) -> str:
    return position.legal[0]


class Last:
    """Counts its moves."""

    def __init__(self) -> None:
        self.simulations = 0

    def choose(self, position: th.Position, **extra: int) -> str:
        assert extra.keys() == {"seed"}
        self.simulations += 1
        return position.legal[-1]


def test_functions_and_classes_play_and_repeat_themselves(tmp_path: Path) -> None:
    results = play_match(GAME, [first, Last], 2, tmp_path / "match")
    again = play_match(GAME, [first, Last], 2, jobs=2)
    assert [one.record for one in results.games] == [one.record for one in again.games]
    names = {name for one in results.games for name in th.Record.parse(one.record).names.values()}
    assert names == {"first", "Last"}
    costs = {index: cost for one in results.games for index, cost in one.costs.items()}
    assert costs[1].simulations == costs[1].choices > 0 == costs[0].simulations
    alone = play_against_itself(GAME, Last, 2, tmp_path / "selfplay")
    assert alone.players == ("Last",) and len(alone.games) == 2


def test_on_the_command_line(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("import beside\n\ndef choose(position):\n    return beside.pick(position)\n")
    (tmp_path / "beside.py").write_text("def pick(position):\n    return position.legal[0]\n")
    players = [f"python:{agent}", f"python:{EXAMPLE}:choose"]
    command = [sys.executable, "-m", "teahouse", "arena", GAME.name, *players, "--games", "2"]
    done = subprocess.run(
        [*command, "--json", "--folder", str(tmp_path / "match")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert {one["player"] for one in json.loads(done.stdout)["players"]} == set(players)


def broken(position: th.Position) -> str:
    raise ValueError("no idea")


def silent(position: th.Position) -> None:
    return None


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (broken, r"broken failed: ValueError: no idea \(test_custom_players.py, line \d+\)"),
        (silent, "silent returned None; expected the text of a move"),
    ],
)
def test_a_player_that_fails_is_named(player: object, message: str) -> None:
    with pytest.raises(CustomPlayerError, match=message):
        play_match(GAME, [player, "random"], 2)  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("python:nowhere.py:choose", "cannot import nowhere.py: FileNotFoundError"),
        ("python:no_such_module:choose", "cannot import no_such_module: ModuleNotFoundError"),
        (f"python:{EXAMPLE}:nobody", "has no function or class 'nobody'"),
        (f"python:{EXAMPLE}:sys", "neither a function of a position nor a class"),
        (7, "neither a function of a position nor a class"),
    ],
)
def test_what_is_no_player_is_refused(player: str, message: str) -> None:
    with pytest.raises(th.OptionError, match=message):
        play_match(GAME, [player, "random"], 2)
    with pytest.raises(th.OptionError, match="Two players have the name 'choose'"):
        play_match(GAME, [_named(), _named()], 2)  # type: ignore[list-item]


def _named() -> object:
    def choose(position: th.Position) -> str:
        return position.legal[0]

    return choose
