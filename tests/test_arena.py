"""The arena: balanced schedules, reproducible matches, interruptions and the statistics."""

import json
import math
import os
import random
import shutil
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
from teahouse.search.arena import (
    ArenaError,
    MatchProgress,
    MatchResults,
    Player,
    Sprt,
    parse_player,
    play_against_itself,
    play_match,
)
from teahouse.search.arena.baselines import GreedyPlayer
from teahouse.search.arena.plot import elo_bars, elo_plot
from teahouse.search.arena.ratings import dispersion, expected_score, fit_elo, mean_score
from teahouse.search.arena.runner import GameResult
from teahouse.search.arena.schedule import Pairing, opening, pairs, schedule, seatings
from teahouse.search.arena.store import MatchStore

SMALL = th.load("orochi", side=2)
QUICK = ("uct:simulations=20", "random")


def without_times(results: MatchResults) -> list[tuple[Pairing, int | None, str]]:
    return [(result.pairing, result.winner, result.record) for result in results.games]


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_each_player_has_each_side_equally_often_in_a_round(game: Game) -> None:
    pairings = list(schedule(game, 3, False, 2, seed=5))
    assert len({pairing.number for pairing in pairings}) == len(pairings)
    assert len({pairing.seed for pairing in pairings}) == len(pairings)
    for number in range(2):
        for pair in pairs(3, False):
            own = [one for one in pairings if (one.round, one.pair) == (number, pair)]
            assert len({one.opening_seed for one in own}) == 1
            assert len({one.seating for one in own}) == len(own) == 2 ** len(game.teams) - 2
            for side in range(len(game.teams)):
                sitting = Counter(one.seating[side] for one in own)
                assert sitting[pair[0]] == sitting[pair[1]]
    assert len({one.opening_seed for one in pairings}) == 2


def test_gauntlet_pairs_the_first_player_with_each_other() -> None:
    assert pairs(4, True) == [(0, 1), (0, 2), (0, 3)]
    assert len(pairs(4, False)) == 6


def test_openings_do_not_end_the_game_and_schedules_are_prefixes_of_longer_ones() -> None:
    for seed in range(30):
        moves = opening(SMALL.start(), 100, seed)
        position = SMALL.start()
        for move in moves:
            position = position.play(move)
        assert not position.over
    few, many = list(schedule(SMALL, 3, False, 2, 1)), list(schedule(SMALL, 3, False, 4, 1))
    assert many[: len(few)] == few


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_matches_of_every_kind_of_game(game: Game) -> None:
    """Records replay to the winners and name the players of each seat."""
    results = play_match(game, ("random", "uct:simulations=5"), 2)
    assert len(results.games) == 2 ** len(game.teams) - 2
    for result in results.games:
        record = th.Record.parse(result.record)
        assert record.position.over
        for side, team in enumerate(game.teams):
            won = all(player in record.position.winners for player in team)
            assert won == (result.winner == side)
            for seat in team:
                player = result.pairing.seating[side]
                assert record.names[game.players[seat]] == results.players[player]
        shares = [results.points(result, player) for player in result.pairing.pair]
        assert math.isclose(sum(shares), 1)
    assert results.standings()[0].simulations + results.standings()[1].simulations > 1


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_greedy_player_wins_at_once_else_takes_the_best_evaluation(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    greedy = GreedyPlayer()
    random_game = th.Record.parse(play_match(game, ("random", "random:"), 1).games[0].record)
    for position in random_game.positions[-6:-1]:
        after = {move: position.play(move) for move in position.legal}
        chosen = greedy.choose(position, seed=position.ply)
        assert chosen == greedy.choose(position, seed=position.ply)
        wins = [move for move, then in after.items() if position.player in then.winners]
        unfinished = {
            move: game.rules.evaluate(game.board, then.unpack(), position.player)
            for move, then in after.items()
            if not then.over
        }
        if wins:
            assert chosen in wins
        elif chosen in unfinished:
            assert math.isclose(unfinished[chosen], max(unfinished.values()), abs_tol=1e-9)


def test_greedy_player_plays_the_same_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    positions = th.Record.parse(play_match(SMALL, QUICK, 1).games[0].record).positions[:-1]

    def moves() -> list[str]:
        return [GreedyPlayer().choose(position, seed=7) for position in positions]

    compiled = moves()
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    assert moves() == compiled


def test_matches_are_reproducible_with_any_number_of_processes() -> None:
    one = play_match(SMALL, QUICK, 8, seed=3)
    two = play_match(SMALL, QUICK, 8, seed=3, jobs=2)
    assert without_times(one) == without_times(two)
    assert without_times(one) != without_times(play_match(SMALL, QUICK, 8, seed=4))


class StopNow(Exception):  # noqa: N818
    pass


def test_interrupted_match_continues(tmp_path: Path) -> None:
    def stop(progress: MatchProgress) -> None:
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
    # With more games the match is extended; with fewer the first ones are reported.
    assert len(play_match(SMALL, QUICK, 10, tmp_path).games) == 10
    assert without_times(play_match(SMALL, QUICK, 8, tmp_path)) == without_times(results)


def test_match_of_version_0_1_0_continues(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parent / "data" / "0.1.0" / "match", tmp_path / "match")
    done = []
    results = play_match(
        SMALL, QUICK, 4, tmp_path / "match", progress=lambda now: done.append(now.done)
    )
    assert done == [2, 3, 4]
    assert without_times(results) == without_times(play_match(SMALL, QUICK, 4))


def test_cancelled_match_starts_no_game(tmp_path: Path) -> None:
    cancel = Event()
    play_match(SMALL, QUICK, 2, tmp_path, cancel=cancel)
    cancel.set()
    assert len(play_match(SMALL, QUICK, 8, tmp_path, cancel=cancel).games) == 2


def test_killed_command_loses_no_finished_game(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from teahouse.terminal.commands import main; main()"]
    command += ["arena", "orochi", "-o", "side=2", "uct:simulations=20", "random", "--json"]
    command += ["--games", "400", "--jobs", "2", "--folder", str(tmp_path)]
    lines = tmp_path / "games.jsonl"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while not (lines.exists() and lines.read_text().count("\n") >= 3):
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    stored = lines.read_text()
    stored = stored[: stored.rfind("\n") + 1]
    command[command.index("400")] = str(2 + 2 * ((stored.count("\n") + 1) // 2))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["games"] >= stored.count("\n")
    assert lines.read_text().startswith(stored)
    assert th.Record.parse((tmp_path / "records" / "000001.txt").read_text()).position.over


def test_folder_holds_one_match(tmp_path: Path) -> None:
    play_match(SMALL, QUICK, 2, tmp_path)
    for changed in ({"seed": 1}, {"opening": 1}, {"gauntlet": True}):
        with pytest.raises(ArenaError, match=f"another match: {next(iter(changed))} "):
            play_match(SMALL, QUICK, 2, tmp_path, **changed)
    with pytest.raises(ArenaError, match="another match: options "):
        play_match(th.load("orochi", side=3), QUICK, 2, tmp_path)

    def again(_: MatchProgress) -> None:
        play_match(SMALL, QUICK, 4, tmp_path)

    with pytest.raises(ArenaError, match="Another arena"):
        play_match(SMALL, QUICK, 4, tmp_path, progress=again)
    (tmp_path / "games.jsonl").write_text("nonsense\n")
    with pytest.raises(ArenaError, match="line 1"):
        play_match(SMALL, QUICK, 2, tmp_path)


def test_of_two_matches_that_start_at_once_in_a_new_folder_one_is_refused(tmp_path: Path) -> None:
    first, second = (MatchStore(tmp_path, {"seed": seed}) for seed in (1, 2))
    with first.locked():
        assert json.loads((tmp_path / "match.json").read_text()) == {"seed": 1}
    with pytest.raises(ArenaError, match="another match: seed 1, not 2"), second.locked():
        pass
    with first.locked():
        assert json.loads((tmp_path / "match.json").read_text()) == {"seed": 1}


class Cheat:
    def choose(self, position: th.Position, *, seed: int) -> str:
        return "nonsense"


def make_player(game: Game, text: str) -> Player:
    return Cheat() if text == "cheat" else parse_player(game, text)


def test_illegal_move_names_the_player() -> None:
    with pytest.raises(ArenaError, match="cheat: Illegal move 'nonsense'"):
        play_match(SMALL, ("cheat", "random"), 2, make_player=make_player)


@pytest.mark.parametrize(
    ("players", "message"),
    [
        (("random",), "two players"),
        (("random", "random"), "twice"),
        (("random", "level9"), "level1 to level8"),
        (("random", "uct:simulations=x"), "a number"),
        (("random", "uct:depth=3"), "unknown setting 'depth'"),
        (("random", "uct:simulations"), "NAME=VALUE"),
        (("random", "uct:seconds=-1"), "above 0"),
        (("random", "uct:seconds=nan"), "a number"),
        (("random", "search:exploration=inf"), "a number"),
    ],
)
def test_invalid_players_are_rejected(players: tuple[str, ...], message: str) -> None:
    with pytest.raises(th.OptionError, match=message):
        play_match(SMALL, players, 2, jobs=2)


def test_self_play_goes_on_with_the_same_games(tmp_path: Path) -> None:
    cancel = Event()

    def stop(found: MatchResults, wanted: int) -> None:
        if len(found.games) == 2:
            cancel.set()

    some = play_against_itself(SMALL, QUICK[0], 6, tmp_path, progress=stop, cancel=cancel)
    assert len(some.games) == 2
    rest = play_against_itself(SMALL, QUICK[0], 6, tmp_path)
    alone = play_against_itself(SMALL, QUICK[0], 6, tmp_path / "alone")
    assert without_times(rest) == without_times(alone)
    assert without_times(rest)[:2] == without_times(some)
    assert len({one.record for one in rest.games}) > 1
    for one in rest.games:
        assert set(th.Record.parse(one.record).names.values()) == {QUICK[0]}
    with pytest.raises(ArenaError, match="another match: entrants "):
        play_against_itself(SMALL, "random", 6, tmp_path)


def random_results(chance: random.Random, strengths: list[float], rounds: int) -> MatchResults:
    """Return a round robin with random winners, chosen by the players' strengths."""
    game = th.load("fillit", mode="3")
    games = []
    for pairing in schedule(game, len(strengths), False, rounds, 0):
        weights = [strengths[player] for player in pairing.seating]
        winner = chance.choices(range(len(weights)), weights)[0]
        games.append(GameResult(pairing, winner, 1, {}, ""))
    return MatchResults(game, tuple(f"e{number}" for number in range(len(strengths))), tuple(games))


def test_rating_intervals_have_their_coverage() -> None:
    truth = [0.0, 100.0, 250.0]
    inside = 0
    for seed in range(60):
        results = random_results(random.Random(seed), [10 ** (one / 400) for one in truth], 20)
        inside += sum(
            one.low <= true <= one.high
            for one, true in zip(results.elo("e0")[1:], truth[1:], strict=True)
        )
    assert 106 <= inside <= 119  # of 120; 114 expected


def test_score_intervals() -> None:
    assert mean_score([1.0] * 10, 2).high == 1
    assert 0.83 < mean_score([1.0] * 10, 2).low < 0.85  # Wilson's for 20 of 20
    plain = mean_score([0.0, 1.0] * 50, 1)
    assert (round(plain.low, 2), round(plain.high, 2)) == (0.40, 0.60)
    # If one side always wins all rounds score the same, but few rounds give a wide interval.
    assert dispersion([0.5] * 100, 2) == pytest.approx(0.01)
    assert mean_score([0.5], 2).low < 0.1
    assert mean_score([], 2).value == 0.5


def test_rating_of_two_players_follows_from_their_score() -> None:
    found, exists = fit_elo(2, {(0, 1): [30.0, 10.0]}, {(0, 1): 1.0}, anchor=1)
    assert exists
    assert found[0].value == pytest.approx(400 * math.log10(3))
    found, exists = fit_elo(2, {(0, 1): [30.0, 0.0]}, {}, anchor=1)
    assert not exists
    assert found[0].value == pytest.approx(400 * math.log10(30.25 / 0.25))


def test_expected_scores() -> None:
    assert expected_score(0, 3) == pytest.approx(0.5)
    assert expected_score(400, 2) == pytest.approx(10 / 11)
    assert expected_score(200, 3) == pytest.approx(1 - expected_score(-200, 3))
    assert len(seatings(th.load("fillit", mode="3"), (0, 1))) == 6


@pytest.mark.parametrize(("elo", "true_hypothesis"), [(0.0, "H0"), (60.0, "H1")])
def test_sprt_has_the_promised_error_rate_and_stops_early(elo: float, true_hypothesis: str) -> None:
    sprt = Sprt(0, 60)
    right, lengths = 0, []
    for seed in range(40):
        chance = random.Random(seed)
        rounds: list[float] = []
        accepted = None
        while accepted is None:
            rounds.append(sum(chance.random() < expected_score(elo, 2) for _ in range(2)) / 2)
            accepted = sprt.accepted(sprt.llr(rounds, 2, 2))
        right += accepted == true_hypothesis
        lengths.append(len(rounds))
    assert right >= 35
    assert sum(lengths) / len(lengths) < 400


def test_sprt_ends_a_match(tmp_path: Path) -> None:
    sprt = Sprt(0, 300)
    results = play_match(SMALL, QUICK, 400, tmp_path, jobs=2, sprt=sprt)
    status = results.sprt_status()
    assert status.accepted == "H1"
    assert status.llr == sprt.llr(results.round_scores(0, 1), 2, 2)
    assert len(results.games) == 2 * status.rounds < 400
    assert without_times(play_match(SMALL, QUICK, 400, sprt=sprt)) == without_times(results)
    with pytest.raises(th.OptionError, match="exactly two players"):
        play_match(SMALL, (*QUICK, "uct"), 2, sprt=sprt)
    with pytest.raises(th.OptionError, match="elo0 below elo1"):
        play_match(SMALL, QUICK, 2, sprt=Sprt(5, 5))


def test_plots_and_json_agree_with_the_standings() -> None:
    results = play_match(SMALL, ("uct:simulations=30", "uct:simulations=3", "random"), 4)
    svg = elo_plot(results)
    data = json.loads(json.dumps(results.json()))
    for row, line in zip(results.standings(), elo_bars(results.standings()), strict=True):
        assert f"{row.elo.value:+.0f}" in svg
        assert line.startswith(row.player)
        assert line.endswith(f"{row.elo.value:+.0f}")
    assert [row["player"] for row in data["players"]] == [row.player for row in results.standings()]
    assert len(data["pairs"]) == 3
