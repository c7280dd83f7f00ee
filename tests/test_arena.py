"""The arena: balanced schedules, the same match however it is played, kills, and the statistics."""

import json
import math
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Event

import pytest
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.search.arena import ArenaError, Player, Results, play_match, player
from teahouse.search.arena.match import Progress
from teahouse.search.arena.playing import Played
from teahouse.search.arena.plot import bars, plot
from teahouse.search.arena.ratings import Test, dispersion, elo, expected, score
from teahouse.search.arena.schedule import Fixture, opening, pairs, schedule, seatings

SMALL = th.load("orochi", side=2)
QUICK = ("uct:simulations=20", "random")


def without_times(results: Results) -> list[tuple[Fixture, int | None, str]]:
    return [(played.fixture, played.winner, played.record) for played in results.games]


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_each_entrant_takes_each_side_equally_often_from_the_same_openings(game: Game) -> None:
    fixtures = list(schedule(game, 3, False, 2, seed=5))
    assert len({fixture.number for fixture in fixtures}) == len(fixtures)
    assert len({fixture.seed for fixture in fixtures}) == len(fixtures)
    for bout in range(2):
        for pair in pairs(3, False):
            own = [one for one in fixtures if (one.bout, one.pair) == (bout, pair)]
            assert len({one.start_seed for one in own}) == 1
            assert len({one.sides for one in own}) == len(own) == 2 ** len(game.teams) - 2
            for side in range(len(game.teams)):
                sitting = Counter(one.sides[side] for one in own)
                assert sitting[pair[0]] == sitting[pair[1]]
    assert len({one.start_seed for one in fixtures}) == 2


def test_a_gauntlet_is_the_first_against_the_others() -> None:
    assert pairs(4, True) == [(0, 1), (0, 2), (0, 3)]
    assert len(pairs(4, False)) == 6


def test_openings_never_end_the_game_and_more_bouts_keep_the_first_ones() -> None:
    for seed in range(30):
        moves = opening(SMALL.start(), 100, seed)
        position = SMALL.start()
        for move in moves:
            position = position.play(move)
        assert not position.over
    few, many = list(schedule(SMALL, 3, False, 2, 1)), list(schedule(SMALL, 3, False, 4, 1))
    assert many[: len(few)] == few


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_matches_of_every_kind_of_table(game: Game) -> None:
    """Records replay to the stated winners, by the entrants that sat there."""
    results = play_match(game, ("random", "uct:simulations=5"), 2)
    assert len(results.games) == 2 ** len(game.teams) - 2
    for played in results.games:
        record = th.Record.parse(played.record)
        assert record.position.over
        for side, team in enumerate(game.teams):
            won = all(player in record.position.winners for player in team)
            assert won == (played.winner == side)
            for seat in team:
                entrant = played.fixture.sides[side]
                assert record.names[game.players[seat]] == results.entrants[entrant]
        shares = [results.share(played, entrant) for entrant in played.fixture.pair]
        assert math.isclose(sum(shares), 1)
    assert results.rows()[0].simulations + results.rows()[1].simulations > 1


def test_the_same_seed_is_the_same_match_however_many_processes_play() -> None:
    one = play_match(SMALL, QUICK, 8, seed=3)
    two = play_match(SMALL, QUICK, 8, seed=3, jobs=2)
    assert without_times(one) == without_times(two)
    assert without_times(one) != without_times(play_match(SMALL, QUICK, 8, seed=4))


class StopNow(Exception):  # noqa: N818
    pass


def test_a_match_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.done == 3:
            raise StopNow

    with pytest.raises(StopNow):
        play_match(SMALL, QUICK, 8, tmp_path, progress=stop)
    lines = (tmp_path / "games.jsonl").read_text()
    assert lines.count("\n") == 3
    (tmp_path / "games.jsonl").write_text(lines + '{"game": 3, "bou')  # torn by a kill
    done = []
    results = play_match(SMALL, QUICK, 8, tmp_path, progress=lambda now: done.append(now.done))
    assert done == [3, 4, 5, 6, 7, 8]
    assert (tmp_path / "games.jsonl").read_text().startswith(lines)
    assert without_times(results) == without_times(play_match(SMALL, QUICK, 8))
    # More games may be asked for later; fewer look at the first ones.
    assert len(play_match(SMALL, QUICK, 10, tmp_path).games) == 10
    assert without_times(play_match(SMALL, QUICK, 8, tmp_path)) == without_times(results)


def test_a_cancelled_match_begins_no_game(tmp_path: Path) -> None:
    cancel = Event()
    play_match(SMALL, QUICK, 2, tmp_path, cancel=cancel)
    cancel.set()
    assert len(play_match(SMALL, QUICK, 8, tmp_path, cancel=cancel).games) == 2


def test_a_killed_command_loses_no_finished_game(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from teahouse.terminal.commands import main; main()"]
    command += ["arena", "orochi", "-o", "side=2", "uct:simulations=20", "random", "--json"]
    command += ["--games", "400", "--jobs", "2", "--folder", str(tmp_path)]
    lines = tmp_path / "games.jsonl"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while not (lines.exists() and lines.read_text().count("\n") >= 3):
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    kept = lines.read_text()
    kept = kept[: kept.rfind("\n") + 1]
    command[command.index("400")] = str(2 + 2 * ((kept.count("\n") + 1) // 2))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["games"] >= kept.count("\n")
    assert lines.read_text().startswith(kept)
    assert th.Record.parse((tmp_path / "records" / "000001.txt").read_text()).position.over


def test_a_folder_holds_one_match(tmp_path: Path) -> None:
    play_match(SMALL, QUICK, 2, tmp_path)
    for changed in ({"seed": 1}, {"opening": 1}, {"gauntlet": True}):
        with pytest.raises(ArenaError, match=f"another {next(iter(changed))}"):
            play_match(SMALL, QUICK, 2, tmp_path, **changed)
    with pytest.raises(ArenaError, match="another options"):
        play_match(th.load("orochi", side=3), QUICK, 2, tmp_path)

    def again(_: Progress) -> None:
        play_match(SMALL, QUICK, 4, tmp_path)

    with pytest.raises(ArenaError, match="Another arena"):
        play_match(SMALL, QUICK, 4, tmp_path, progress=again)
    (tmp_path / "games.jsonl").write_text("nonsense\n")
    with pytest.raises(ArenaError, match="line 1"):
        play_match(SMALL, QUICK, 2, tmp_path)


class Cheat:
    def choose(self, position: th.Position, *, seed: int) -> str:
        return "nonsense"


def with_a_cheat(game: Game, text: str) -> Player:
    return Cheat() if text == "cheat" else player(game, text)


def test_a_bot_that_fails_is_named_with_what_it_did() -> None:
    with pytest.raises(ArenaError, match="cheat: Illegal move 'nonsense'"):
        play_match(SMALL, ("cheat", "random"), 2, make_player=with_a_cheat)


@pytest.mark.parametrize(
    ("entrants", "said"),
    [
        (("random",), "two entrants"),
        (("random", "random"), "twice"),
        (("random", "level9"), "level1 to level8"),
        (("random", "uct:simulations=x"), "a number"),
        (("random", "uct:depth=3"), "no setting 'depth'"),
        (("random", "uct:simulations"), "NAME=VALUE"),
        (("random", "uct:seconds=-1"), "above 0"),
    ],
)
def test_bad_entrants_are_named(entrants: tuple[str, ...], said: str) -> None:
    with pytest.raises(th.OptionError, match=said):
        play_match(SMALL, entrants, 2, jobs=2)


def drawn_games(chance: random.Random, strengths: list[float], bouts: int) -> Results:
    """A round robin between three entrants with these chances of winning, by lot."""
    game = th.load("fillit", mode="3")
    games = []
    for fixture in schedule(game, len(strengths), False, bouts, 0):
        weights = [strengths[entrant] for entrant in fixture.sides]
        winner = chance.choices(range(len(weights)), weights)[0]
        games.append(Played(fixture, winner, 1, {}, ""))
    return Results(game, tuple(f"e{number}" for number in range(len(strengths))), tuple(games))


def test_ratings_and_intervals_hold_the_truth_as_often_as_they_say() -> None:
    truth = [0.0, 100.0, 250.0]
    inside = 0
    for seed in range(100):
        results = drawn_games(random.Random(seed), [10 ** (one / 400) for one in truth], 20)
        inside += sum(
            one.low <= true <= one.high
            for one, true in zip(results.elo("e0")[1:], truth[1:], strict=True)
        )
    assert 180 <= inside <= 198  # of 200; 190 expected


def test_score_intervals() -> None:
    assert score([1.0] * 10, 2).high == 1
    assert 0.83 < score([1.0] * 10, 2).low < 0.85  # Wilson's for 20 of 20
    plain = score([0.0, 1.0] * 50, 1)
    assert (round(plain.low, 2), round(plain.high, 2)) == (0.40, 0.60)
    # Sides that always win make the pairs' scores exact, but few pairs prove little.
    assert dispersion([0.5] * 100, 2) == pytest.approx(0.01)
    assert score([0.5], 2).low < 0.1
    assert score([], 2).value == 0.5


def test_two_entrants_have_the_rating_of_their_score() -> None:
    found, exists = elo(2, {(0, 1): [30.0, 10.0]}, {(0, 1): 1.0}, anchor=1)
    assert exists
    assert found[0].value == pytest.approx(400 * math.log10(3))
    found, exists = elo(2, {(0, 1): [30.0, 0.0]}, {}, anchor=1)
    assert not exists
    assert found[0].value == pytest.approx(400 * math.log10(30.25 / 0.25))


def test_expected_scores() -> None:
    assert expected(0, 3) == pytest.approx(0.5)
    assert expected(400, 2) == pytest.approx(10 / 11)
    assert expected(200, 3) == pytest.approx(1 - expected(-200, 3))
    assert len(seatings(th.load("fillit", mode="3"), (0, 1))) == 6


@pytest.mark.parametrize(("true", "verdict"), [(0.0, "low"), (60.0, "high")])
def test_the_sequential_test_is_seldom_wrong_and_stops_early(true: float, verdict: str) -> None:
    test = Test(0, 60)
    right, lengths = 0, []
    for seed in range(60):
        chance = random.Random(seed)
        bouts: list[float] = []
        said = None
        while said is None:
            bouts.append(sum(chance.random() < expected(true, 2) for _ in range(2)) / 2)
            said = test.verdict(test.ratio(bouts, 2, 2))
        right += said == verdict
        lengths.append(len(bouts))
    assert right >= 53
    assert sum(lengths) / len(lengths) < 400


def test_the_sequential_test_ends_a_match(tmp_path: Path) -> None:
    test = Test(0, 300)
    results = play_match(SMALL, QUICK, 400, tmp_path, jobs=2, test=test)
    verdict, _, bouts = results.decided()
    assert verdict == "high"
    assert len(results.games) == 2 * bouts < 400
    assert without_times(play_match(SMALL, QUICK, 400, test=test)) == without_times(results)
    with pytest.raises(th.OptionError, match="two entrants"):
        play_match(SMALL, (*QUICK, "uct"), 2, test=test)


def test_plots_and_json_say_what_the_table_says() -> None:
    results = play_match(SMALL, ("uct:simulations=30", "uct:simulations=3", "random"), 4)
    picture = plot(results)
    said = json.loads(json.dumps(results.json()))
    for row, line in zip(results.rows(), bars(results.rows()), strict=True):
        assert f"{row.elo.value:+.0f}" in picture
        assert line.startswith(row.entrant)
        assert line.endswith(f"{row.elo.value:+.0f}")
    assert [one["entrant"] for one in said["entrants"]] == [row.entrant for row in results.rows()]
    assert len(said["pairs"]) == 3
