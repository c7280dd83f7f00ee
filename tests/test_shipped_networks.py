"""The networks in the games' folders: each fits its game and has a card that describes it."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from network_card import read_match

import teahouse as th
from teahouse.core.options import option_texts
from teahouse.core.packages import builtin_games, game_file
from teahouse.search.networks import FOLDER, load_network

MAX_BYTES = 2_000_000
MAX_TOTAL = 12_000_000
FILES = [
    (name, Path(str(file)))
    for name in builtin_games()
    for file in (game_file(name, FOLDER).iterdir() if game_file(name, FOLDER).is_dir() else ())
    if file.name.endswith(".onnx")
]


@pytest.mark.parametrize(("name", "file"), FILES, ids=[f"{n}-{f.stem}" for n, f in FILES])
def test_a_network_fits_its_game_and_its_card(name: str, file: Path) -> None:
    card = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    game = th.load(name, **card["options"])
    assert option_texts(game.options) == card["options"]
    network = load_network(game, file)
    assert network.hash == card["sha256"] == sha256(file.read_bytes()).hexdigest()
    assert card["bytes"] == file.stat().st_size <= MAX_BYTES
    assert card["minutes"] > 0
    assert all(match["games"] >= 10 for match in card["strength"])
    assert card["strength"]


def test_networks_are_small_together() -> None:
    assert sum(file.stat().st_size for _, file in FILES) <= MAX_TOTAL


def test_there_are_networks() -> None:
    assert FILES


def test_a_match_of_a_network_in_the_folder_of_a_run(tmp_path: Path) -> None:
    file = tmp_path / "fillit-mode=3,chips=8" / "network.onnx"  # as `teahouse train` names it
    file.parent.mkdir()
    file.write_bytes(b"")
    own = f"network:file={file},seconds=0.5,threads=2"
    pair = {"player": own, "opponent": "level8", "games": 20, "value": 0.5, "low": 0.3, "high": 0.7}
    match = {"pairs": [pair], "players": [{"player": own, "simulations": 800.4}]}
    (tmp_path / "match.json").write_text(json.dumps(match))
    assert read_match(tmp_path / "match.json") == {
        **{name: value for name, value in pair.items() if name != "player"},
        "seconds": 0.5,
        "threads": 2.0,
        "simulations": 800,
    }
