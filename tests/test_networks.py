"""Networks: files, what is wrong with them, and levels that ask for one."""

import gc
import json
import logging
import sys
import weakref
from collections.abc import Iterator
from itertools import islice, permutations
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from support.networks import small_model, write_model
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.encoding import observation_spec
from teahouse.core.game import Game
from teahouse.search import levels, networks
from teahouse.search.arena.players import parse_player
from teahouse.search.kernels import bot_kernels
from teahouse.search.networks import NetworkError, encoding_hash, find_network, load_network
from teahouse.search.puct.search import PUCT_KERNELS

SMALL = th.load("orochi", side=3)


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_a_network_is_loaded_and_evaluated(game: Game, tmp_path: Path) -> None:
    network = load_network(game, write_model(tmp_path / "a.onnx", small_model(game)))
    spec = observation_spec(game)
    planes = np.ones((3, len(spec.planes), *spec.shape), np.uint8)
    policy, value = network.evaluate(planes)
    assert policy.shape == (3, spec.action_count) and value.shape == (3, len(game.teams))
    assert network.metadata["encoding"] == encoding_hash(game)


def test_the_hash_of_an_encoding_tells_games_apart() -> None:
    games = [th.load("orochi", side=side) for side in (2, 3, 4)]
    assert len({encoding_hash(game) for game in games}) == 3
    assert encoding_hash(SMALL) == encoding_hash(th.load("orochi", side=3))


def with_metadata(**changed: str | None) -> onnx.ModelProto:
    """Return a network whose metadata are changed, or removed by None."""
    model = small_model(SMALL)
    found = {entry.key: entry.value for entry in model.metadata_props}
    helper.set_model_props(model, {k: v for k, v in {**found, **changed}.items() if v is not None})
    return model


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (with_metadata(teahouse_network=None), "it is not a network of a Teahouse game"),
        (with_metadata(teahouse_network="99"), "its format is '99', this version reads 1"),
        (with_metadata(game="toot"), "it is for 'toot side=3', not for orochi"),
        (with_metadata(options="side=2"), r"it is for 'orochi side=2', not for teahouse\.load"),
        (with_metadata(options="size=3"), r"not for teahouse\.load"),
        (with_metadata(encoding="0"), "planes, actions or rules of orochi side=3 have changed"),
        (small_model(SMALL, extra_actions=1), r"policy is float32 \(2, 58\), not"),
        (small_model(SMALL, scale=float("nan")), "policy is not finite"),
        (small_model(th.load("orochi", side=2)), "it is for 'orochi side=2'"),
    ],
)
def test_networks_that_do_not_fit(model: onnx.ModelProto, reason: str, tmp_path: Path) -> None:
    file = write_model(tmp_path / "a.onnx", model)
    with pytest.raises(NetworkError, match=f"Cannot use the network .*{reason}"):
        load_network(SMALL, file)


def test_damaged_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = small_model(SMALL).SerializeToString()
    for content in (b"", b"not a network", whole[: len(whole) // 2], whole[:-1]):
        (tmp_path / "a.onnx").write_bytes(content)
        with pytest.raises(NetworkError, match=r"damaged or not an ONNX model|not a network of"):
            load_network(SMALL, tmp_path / "a.onnx")
    with pytest.raises(NetworkError, match=r"Cannot read the network .*No such file"):
        load_network(SMALL, tmp_path / "none.onnx")
    with pytest.raises(NetworkError, match=r"Cannot read the network .*Is a directory"):
        load_network(SMALL, tmp_path)
    monkeypatch.setattr(networks, "MAX_FILE_SIZE", 1)
    with pytest.raises(NetworkError, match="it is larger than"):
        load_network(SMALL, tmp_path / "a.onnx")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of networks instead of the game's, and a level 8 that asks for one."""
    bots = {"levels": {"": [{"simulations": 8}] * 7 + [{"simulations": 20, "engine": "network"}]}}
    parsed = levels.parse_bots(json.dumps(bots))
    monkeypatch.setattr(networks, "game_file", lambda game, name: tmp_path / name)
    monkeypatch.setattr(levels, "_read", lambda game: parsed)
    for cached in (networks.shipped_network, networks.find_network):
        cached.cache_clear()
    yield tmp_path / "networks"
    for cached in (networks.shipped_network, networks.find_network):
        cached.cache_clear()


def test_a_level_plays_with_its_network(folder: Path) -> None:
    write_model(folder / "side=3.onnx", small_model(SMALL))
    bot = th.bot(SMALL, level=8, seed=1)
    assert bot.engine == "network"
    assert bot.choose(SMALL.start()) == th.bot(SMALL, level=8, seed=1).choose(SMALL.start())
    assert set(PUCT_KERNELS) <= set(bot_kernels(SMALL, 8))
    assert levels.level_text(8, SMALL) == "Level 8 · Master (neural network)"
    assert th.bot(SMALL, level=8, engine="search").engine == "search"
    assert th.bot(SMALL, level=1).engine == "search"
    assert th.bot(SMALL, level=1, engine="network").engine == "network"


def test_a_bot_takes_up_other_options_with_the_position(folder: Path) -> None:
    write_model(folder / "side=3.onnx", small_model(SMALL))
    start, other = SMALL.start(), th.load("orochi", side=2).start()
    bot, asked = th.bot(SMALL, level=8, seed=1), th.bot(SMALL, level=8, engine="network")
    for _ in range(2):
        assert bot.choose(other) in other.legal
        assert (bot.game, bot.engine) == (other.game, "search")
        assert bot.choose(start) == th.bot(SMALL, level=8, seed=1).choose(start)
        assert (bot.game, bot.engine) == (SMALL, "network")
        with pytest.raises(NetworkError, match="There is no network"):
            asked.choose(other)


def test_networks_of_ever_new_options_do_not_stay_loaded(folder: Path) -> None:
    write_model(folder / "default.onnx", small_model(th.load("oolong"), options=""))
    first = weakref.ref(find_network(th.load("oolong")))
    for markers in islice(permutations(("mb", "mg", "su", "sc", "wb")), networks.MAX_NETWORKS):
        game = th.load("oolong", markers=",".join(("ro", "ro", "wg", *markers)))
        assert find_network(game) is find_network(game)
    gc.collect()
    assert first() is None


def test_a_network_of_other_options_is_refused(tmp_path: Path) -> None:
    network = load_network(SMALL, write_model(tmp_path / "a.onnx", small_model(SMALL)))
    assert th.analyse(SMALL.start(), simulations=5, network=network).simulations == 5
    with pytest.raises(
        th.OptionError, match=r"a\.onnx was loaded for .*side=3.*, not for .*side=2"
    ):
        th.analyse(th.load("orochi", side=2).start(), simulations=5, network=network)


def test_analysis_with_a_network(folder: Path) -> None:
    write_model(folder / "side=3.onnx", small_model(SMALL))
    analysis = th.analyse(SMALL.start(), simulations=20, engine="network")
    assert analysis.simulations == 20 and analysis.best in SMALL.start().legal
    assert analysis != th.analyse(SMALL.start(), simulations=20)
    with pytest.raises(NetworkError, match="There is no network"):
        th.analyse(th.load("orochi", side=4).start(), simulations=20, engine="network")
    with pytest.raises(th.OptionError, match="Unknown engine"):
        th.analyse(SMALL.start(), simulations=20, engine="magic")


def test_the_most_specific_network_is_taken(folder: Path) -> None:
    write_model(folder / "default.onnx", small_model(th.load("orochi"), options=""))
    write_model(folder / "side=2.onnx", small_model(th.load("orochi", side=2)))
    assert networks.shipped_name(SMALL) == "default.onnx"
    assert networks.shipped_name(th.load("orochi", side=2)) == "side=2.onnx"


def test_a_level_without_its_network_searches(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "teahouse.search.networks"):
        for _ in range(2):
            bot = th.bot(SMALL, level=8)
            assert bot.engine == "search" and bot.choose(SMALL.start()) in SMALL.start().legal
    (record,) = caplog.records
    assert "played without a network" in record.getMessage()
    assert not set(PUCT_KERNELS) & set(bot_kernels(SMALL, 8))
    assert levels.level_text(8, SMALL) == "Level 8 · Master"
    with pytest.raises(NetworkError, match=r"There is no network for teahouse\.load"):
        th.bot(SMALL, level=8, engine="network")
    with pytest.raises(th.OptionError, match="Unknown engine 'magic'"):
        th.bot(SMALL, level=8, engine="magic")


def test_without_onnx_runtime_levels_search(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write_model(folder / "side=3.onnx", small_model(SMALL))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    for _ in range(2):
        assert find_network(SMALL) is None
        assert th.bot(SMALL, level=8).engine == "search"
    (record,) = caplog.records
    assert record.levelno == logging.WARNING and "teahouse[learned]" in record.getMessage()
    with pytest.raises(NetworkError, match=r"pip install 'teahouse\[learned\]'"):
        th.bot(SMALL, level=8, engine="network")


def test_arena_players_with_a_network(folder: Path) -> None:
    file = write_model(folder / "own.onnx", small_model(SMALL))
    player = parse_player(SMALL, f"network:file={file},simulations=20,c_puct=1.5,batch=4")
    assert player.choose(SMALL.start(), seed=0) in SMALL.start().legal
    write_model(folder / "side=3,opening=two.onnx", small_model(SMALL))
    parse_player(SMALL, f"network:simulations=20,file={folder}/side=3,opening=two.onnx,batch=4")
    with pytest.raises(NetworkError, match=r"Cannot read the network .*side=3: No such file"):
        parse_player(SMALL, f"network:file={folder}/side=3,opening=three.onnx")
    (folder / "side=3,opening=two.onnx").unlink()
    with pytest.raises(NetworkError, match="There is no network"):
        parse_player(SMALL, "network:simulations=20")
    with pytest.raises(th.OptionError, match=r"unknown setting 'magic'; settings: .*c_puct"):
        parse_player(SMALL, f"network:file={file},magic=1")
    write_model(folder / "side=3.onnx", small_model(SMALL))
    assert parse_player(SMALL, "level8:engine=network").choose(SMALL.start(), seed=0)
    with pytest.raises(th.OptionError, match="Unknown engine"):
        parse_player(SMALL, "level8:engine=magic")
