"""Training data: files that depend on the seed alone, datasets over them, and broken files."""

import json
import pickle
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_games import small
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.core.symmetries import Symmetries
from teahouse.rl.data import DataError, Dataset, write_records, write_selfplay
from teahouse.rl.data.generate import summarize
from teahouse.rl.data.rows import row_type
from teahouse.rl.data.store import DataFolder, header
from teahouse.search.arena import play_match

GAME = th.load("orochi", side=2)
COMPILED = th.load("orochi", side=3)  # other tests compile its batches too
SHARD = 4


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile nothing."""
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of the files that are data."""
    paths = [folder / "data.json", *sorted((folder / "rows").iterdir())]
    return {path.name: path.read_bytes() for path in paths}


def random_record(game: Game, seed: int) -> th.Record:
    rng, record = random.Random(seed), th.Record.new(game, seed)
    while not record.position.over:
        record.play(rng.choice(record.position.legal))
    return record


def test_files_depend_on_the_seed_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, games, threads in (("all", 11, 1), ("resumed", 2, 1), ("resumed", 11, 2)):
        write_selfplay(
            COMPILED, "random", games, tmp_path / name, seed=7, threads=threads, shard_games=SHARD
        )
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    write_selfplay(COMPILED, "random", 11, tmp_path / "interpreted", seed=7, shard_games=SHARD)
    content = files(tmp_path / "all")
    assert len(content) == 4
    assert files(tmp_path / "resumed") == content
    assert files(tmp_path / "interpreted") == content
    write_selfplay(COMPILED, "random", 11, tmp_path / "other", seed=8, shard_games=SHARD)
    assert files(tmp_path / "other")["000000.npy"] != content["000000.npy"]


def test_a_killed_writer_leaves_no_partial_file(tmp_path: Path) -> None:
    killed, clean = tmp_path / "killed", tmp_path / "clean"
    code = (
        "import teahouse as th; from teahouse.rl.data import write_selfplay;"
        f"write_selfplay(th.load('orochi', side=3), 'random', 1 << 30, {str(killed)!r},"
        f" shard_games={SHARD})"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        end = time.monotonic() + 60
        while not (killed / "rows" / "000003.npy").exists():
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    (killed / "rows" / ".000003.npy.torn").write_bytes(b"torn")
    found = len(list((killed / "rows").glob("*.npy")))
    write_selfplay(COMPILED, "random", SHARD * found, killed, shard_games=SHARD)
    write_selfplay(COMPILED, "random", SHARD * found, clean, shard_games=SHARD)
    assert files(killed) == files(clean)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_samples_are_what_positions_say(game: Game, tmp_path: Path) -> None:
    game = game if len(game.players) > 2 else th.load(game.name, **small(game.name))
    folder = write_selfplay(game, "random", 2, tmp_path, seed=3, shard_games=1)
    data = Dataset(tmp_path)
    assert summarize(folder)["games"] == 2
    rows = data.rows(range(len(data)))
    samples = data[:]
    for index in random.Random(1).sample(range(len(data)), 12):
        position, row, one = data.position(index), rows[index], data[index]
        chosen = row["chosen"][: row["part"]].tolist()
        assert np.array_equal(one.planes, position.planes(chosen))
        assert np.array_equal(one.legal, position.action_mask(chosen))
        assert one.legal[one.action] and one.policy[one.action] == 1
        assert one.player == position.player and one.ply == position.ply
        for field, batched in zip(one, samples, strict=True):
            assert np.array_equal(field, batched[index])
    ends = np.flatnonzero(np.diff(samples.game, append=-1))
    assert len(ends) == 2
    for end in ends:
        position, row = data.position(int(end)), rows[end]
        made = [*row["chosen"][: row["part"]].tolist(), int(row["action"])]
        over = position.play(position.move_of(made))
        assert over.over
        assert tuple(np.flatnonzero(row["rewards"] > 0)) == over.winners


@pytest.mark.usefixtures("interpreted")
def test_records_of_all_kinds_are_sources(tmp_path: Path) -> None:
    records = [random_record(GAME, seed) for seed in range(3)]
    text = tmp_path / "games.txt"
    unfinished = th.Record.new(GAME)
    text.write_text("".join(record.text() for record in [*records, unfinished]))
    expected = Dataset(records)[:]
    assert len(expected.game) == sum(len(record.moves) for record in records)
    for source in (text, write_records([*records, unfinished], tmp_path / "rows").path):
        for field, other in zip(expected, Dataset(source)[:], strict=True):
            assert np.array_equal(field, other)
    match = tmp_path / "match"
    play_match(GAME, ["random", "greedy"], 4, match, opening=2)
    stored = [th.Record.parse(path.read_text()) for path in sorted(match.glob("records/*.txt"))]
    data = Dataset(match)
    assert len(data) == len(Dataset(match / "games.jsonl")) == len(Dataset(stored))
    assert data[:].ply.min() == 2  # the opening was nobody's choice
    assert len(Dataset(match, records)) == len(data) + len(expected.game)
    with pytest.raises(DataError, match="must be of one game"):
        Dataset(records, [random_record(th.load("orochi", side=3), 1)])
    with pytest.raises(DataError, match="holds other data: records "):
        write_records(records, tmp_path / "rows")
    single: Any = records[0]
    none: Any = None
    with pytest.raises(DataError, match="A source must be a folder"):
        Dataset(single)
    with pytest.raises(DataError, match=r"Record 2 must be a teahouse\.Record"):
        Dataset([single, none])


@pytest.mark.usefixtures("interpreted")
def test_sources_with_and_without_policies_mix(tmp_path: Path) -> None:
    records = [random_record(GAME, 1)]
    plain = Dataset(records)
    rows = plain.rows(range(len(plain)))
    searched = np.zeros(len(rows), row_type(GAME, policy=True))
    for name in rows.dtype.names or ():
        searched[name] = rows[name]
    searched["policy"] = 0.25
    folder = DataFolder.create(tmp_path, header(GAME, policy=True, player="search"))
    folder.write(0, searched)
    for sources, first in (((tmp_path, records), 0), ((records, tmp_path), len(rows))):
        policies = Dataset(*sources)[:].policy
        stored = policies[first : first + len(rows)]
        assert (stored == 0.25).all()
        assert policies.sum() == stored.sum() + len(rows)


@pytest.mark.usefixtures("interpreted")
def test_players_of_the_arena_write_records_and_rows(tmp_path: Path) -> None:
    for games in (2, 3):
        folder = write_selfplay(GAME, "greedy", games, tmp_path, seed=5, shard_games=2)
        assert summarize(folder)["games"] == games
    assert len(list(tmp_path.glob("records/*.txt"))) == 3
    assert np.array_equal(Dataset(tmp_path)[:].planes, Dataset(tmp_path / "records")[:].planes)
    with pytest.raises(DataError, match="plays on the CPU"):
        write_selfplay(GAME, "greedy", 3, tmp_path, device="cuda")
    with pytest.raises(DataError, match="holds other data: player "):
        write_selfplay(GAME, "random", 3, tmp_path)


@pytest.mark.usefixtures("interpreted")
def test_batches_are_shuffled_by_the_seed_on_any_number_of_workers(tmp_path: Path) -> None:
    write_selfplay(GAME, "random", 6, tmp_path, shard_games=SHARD)
    data = pickle.loads(pickle.dumps(Dataset(tmp_path)))

    def order(**arguments: object) -> list[tuple[int, int]]:
        found = data.batches(8, **arguments)
        return [pair for one in found for pair in zip(one.game, one.ply, strict=True)]

    plain = order(seed=None)
    assert plain == sorted(plain) and len(plain) == len(data)
    assert sorted(order(seed=1)) == plain != order(seed=1)
    assert order(seed=1) == order(seed=1, workers=3)
    assert order(seed=1) != order(seed=2)
    twice = order(seed=1, epochs=2)
    assert twice[: len(plain)] == order(seed=1) and sorted(twice[len(plain) :]) == plain
    assert twice[len(plain) :] != order(seed=1)
    assert len(order(drop_last=True)) == len(data) // 8 * 8
    endless = data.batches(8, epochs=None, convert=np.float32)
    assert all(next(endless).planes.dtype == np.float32 for _ in range(3 * len(data) // 8))
    endless.close()


@pytest.mark.usefixtures("interpreted")
def test_augmented_samples_are_images_under_a_symmetry(tmp_path: Path) -> None:
    write_selfplay(GAME, "random", 3, tmp_path, shard_games=SHARD)
    data, tables = Dataset(tmp_path), Symmetries.of(GAME)
    (plain,), (images,) = (
        list(data.batches(len(data), seed=1, augment=augment)) for augment in (False, True)
    )
    used = set()
    for index in range(len(data)):
        flat = plain.planes[index].reshape(len(plain.planes[index]), -1)
        fitting = [
            symmetry
            for symmetry in range(len(tables.names))
            if np.array_equal(
                flat[:, tables.plane_source[symmetry]], images.planes[index].reshape(flat.shape)
            )
            and tables.action_image[symmetry, plain.action[index]] == images.action[index]
        ]
        assert fitting
        used.add(fitting[0])
        assert images.legal[index, images.action[index]]
        assert images.policy[index, images.action[index]] == 1
    assert len(used) > 3


@pytest.mark.usefixtures("interpreted")
def test_pytorch_loads_the_same_samples(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from teahouse.rl.data.torch import TorchDataset, loader

    write_selfplay(GAME, "random", 6, tmp_path, shard_games=SHARD)
    data, samples = TorchDataset(tmp_path), Dataset(tmp_path)[:]
    assert torch.equal(data[3].planes, torch.from_numpy(samples.planes[3]))
    for source in (data, data.data):
        (batch,) = torch.utils.data.DataLoader(source, batch_size=len(data))
        assert torch.equal(batch.policy, torch.from_numpy(samples.policy))
    shuffled = [tuple(one.game.tolist()) for one in loader(data, 8, seed=1)]
    assert shuffled == [tuple(one.game.tolist()) for one in loader(data, 8, seed=1, workers=1)]
    assert shuffled != [tuple(one.game.tolist()) for one in loader(data, 8, seed=None)]
    assert sum(map(len, shuffled)) == len(data)


@pytest.mark.usefixtures("interpreted")
def test_invalid_truncated_and_newer_files_are_refused_with_the_reason(tmp_path: Path) -> None:
    write_selfplay(GAME, "random", 3, tmp_path, shard_games=SHARD)
    facts_file, shard = tmp_path / "data.json", tmp_path / "rows" / "000000.npy"
    good, rows = facts_file.read_text(), shard.read_bytes()

    def refused(match: str) -> None:
        with pytest.raises(DataError, match=match):
            Dataset(tmp_path)

    for damaged in (rows[:-1], rows[:40], b"", b"PK\x03\x04", rows + b"x"):
        shard.write_bytes(damaged)
        refused("truncated|damaged")
    np.save(shard, np.zeros(3))
    refused("does not contain rows of orochi")
    shard.write_bytes(rows)
    facts = json.loads(good)
    for changed, match in (
        ({"format": 99, "teahouse": "9.0"}, "format 99, written by teahouse 9.0"),
        ({"format": "x"}, "no format number"),
        ({"game": "nonesuch"}, "cannot be loaded: .*nonesuch"),
        ({"options": {"side": 99}}, "cannot be loaded"),
        ({"options": {"side": 3}}, "other states, actions or planes"),
        ({"encoding": "0"}, "other states, actions or planes"),
    ):
        facts_file.write_text(json.dumps({**facts, **changed}))
        refused(match)
    facts_file.write_text(good[:30])
    refused("not valid JSON")
    facts_file.write_text(good)
    shard.unlink()
    refused("no rows yet")
    facts_file.unlink()
    refused("has no records and no data.json")
    with pytest.raises(DataError, match=r"Cannot read .* as records: No such file or directory\.$"):
        Dataset(tmp_path / "missing")
    (tmp_path / "broken.txt").write_text("[Game")
    with pytest.raises(DataError, match=r"broken.txt, line 1"):
        Dataset(tmp_path / "broken.txt")
    with pytest.raises(DataError, match="needs a source"):
        Dataset()
    for wrong in ([1.5], [10**6], [[1]]):
        with pytest.raises(IndexError):
            Dataset([random_record(GAME, 1)])[wrong]  # type: ignore[index]


@pytest.mark.usefixtures("interpreted")
def test_rows_with_impossible_values_are_named(tmp_path: Path) -> None:
    game = th.load("fillit", **small("fillit"))
    write_selfplay(game, "random", 6, tmp_path, shard_games=SHARD)
    shard = tmp_path / "rows" / "000001.npy"
    good = np.load(shard)
    before, row = len(np.load(shard.with_name("000000.npy"))), 3

    def change(field: str, value: float, inner: str | None = None) -> None:
        rows = good.copy()
        (rows if inner is None else rows[field])[inner or field][row] = value
        np.save(shard, rows)

    for changed, match in (
        (("action", -1), "in every row the action is below"),
        (("action", 10**6), "in every row the action is below"),
        (("player", 9), "in every row the player is below"),
        (("player", 1 - int(good["player"][row])), "the player is that of the state"),
        (("state", 1, "over"), "the game is not over"),
        (("part", 99), "in every row the part is below"),
        (("chosen", 10**6), "earlier parts of the move are below"),
        (("ply", -1), "the ply is not negative"),
        (("rewards", np.nan), "rewards are finite"),
    ):
        change(*changed)
        data = Dataset(tmp_path)
        for index in ([before + row], [0, before + row - len(data)], slice(None)):
            with pytest.raises(
                DataError, match=rf"^Row 3 of .*000001.npy is impossible: .*{match}"
            ):
                data[index]
    np.save(shard, good)
    illegal = int(np.flatnonzero(~Dataset(tmp_path)[before + row].legal)[0])
    change("action", illegal)
    with pytest.raises(
        DataError, match=rf"^Row 3 of .*000001.npy has the illegal action {illegal}"
    ):
        next(Dataset(tmp_path).batches(1000))
    np.save(shard, good)
    assert len(Dataset(tmp_path)[:].action) == before + len(good)
