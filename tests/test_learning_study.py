"""The study of networks: one fit to all matches, resumable, for the networks of any run."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import learning
import pytest
from ladder import rate
from onnx import helper
from support.networks import small_model, write_model

import teahouse as th
from teahouse.search.arena import play_match
from teahouse.search.networks import metadata

GAME = th.load("orochi", side=2)


def write_run(folder: Path) -> None:
    """Write a run of two networks; the second one knows more by accident only."""
    for number, file in enumerate(("snapshots/000060.onnx", "network.onnx"), 1):
        model = small_model(GAME, seed=number)
        helper.set_model_props(model, metadata(GAME, minutes=str(number)))
        write_model(folder / file, model)


def run_study(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["learning.py", "--cores", "1", *arguments])
    learning.main()


def test_a_run_is_measured_and_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {
        "SIMULATIONS": (2, 4),
        "PLAYOUTS": (2, 8),
        "RUN_SIMULATIONS": 2,
        "FIXED_PLAYOUTS": 8,
        "PLAYOUTS_EACH": 4,
    }.items():
        monkeypatch.setattr(learning, name, value)
    run = tmp_path / "run"
    write_run(run)
    run_study(monkeypatch, "--run", str(run), "--games", "12")
    page = (run / "strength" / "learning.md").read_text(encoding="utf-8")
    assert page.count("| network of 1 minutes, 2 simulations |") == 1
    assert "| search, 8 playouts | +0 | +0 to +0 |" in page
    picture = re.findall(r"\]\((.*\.svg)\)", page)
    assert len(picture) == 1
    svg = (run / "strength" / picture[0]).read_text(encoding="utf-8")
    assert "minutes of training" in svg and "simulations (playouts) a move" in svg

    moved = run.rename(tmp_path / "elsewhere")  # as on another machine
    (moved / "strength" / "learning.md").unlink()
    capsys.readouterr()
    run_study(monkeypatch, "--run", str(moved), "--games", "12", "--limit", "0")
    assert capsys.readouterr().out.count(" in 12 games") == 5
    assert (moved / "strength" / "learning.md").read_text(encoding="utf-8") == page


def test_runs_without_networks_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="has no networks"):
        run_study(monkeypatch, "--run", str(tmp_path))
    write_model(tmp_path / "network.onnx", small_model(GAME))
    with pytest.raises(SystemExit, match="minutes of training"):
        run_study(monkeypatch, "--run", str(tmp_path))
    (tmp_path / "network.onnx").write_bytes(b"garbage")
    with pytest.raises(SystemExit, match="not an ONNX model"):
        run_study(monkeypatch, "--run", str(tmp_path))


def test_the_fit_to_joined_matches_is_that_of_the_arena() -> None:
    players = ("random", "greedy", "uct:simulations=8")
    whole = play_match(GAME, players, 20)
    pairs = []
    for pair in whole.pairs:
        games = tuple(game for game in whole.games if game.pairing.pair == pair)
        names = tuple(players[player] for player in pair)
        at = {player: index for index, player in enumerate(pair)}
        own = tuple(
            replace(
                game,
                pairing=replace(
                    game.pairing,
                    pair=(0, 1),
                    seating=tuple(at[player] for player in game.pairing.seating),
                ),
                costs={at[player]: cost for player, cost in game.costs.items()},
            )
            for game in games
        )
        pairs.append(replace(whole, players=names, games=own))
    rated = rate(pairs, "random", 1)
    for player, elo in zip(players, whole.elo("random"), strict=True):
        assert rated[player].elo.value == pytest.approx(elo.value, abs=1e-6)
        assert rated[player].elo.high == pytest.approx(elo.high, abs=1e-6)
    assert set(rate(pairs[:1], "random", 1)) == {"random", "greedy"}
    assert rate(pairs, "random", 100) == {}
    assert rate(pairs[2:], "random", 1) == {}
