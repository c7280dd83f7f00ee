"""The lab: games of samples, intervals, what a report says, and interruptions."""

import csv
import io
import json
import math
import re
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Event

import lab_measures
import pytest
from support.command_runs import Run
from support.small_games import small
from support.variants import ALL, KINDS, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.lab import story
from teahouse.lab.diagnose import warnings
from teahouse.lab.events import event_names
from teahouse.lab.games import GameRun, PlayedGame
from teahouse.lab.measures import LITERATURE, measures
from teahouse.lab.openings import openings
from teahouse.lab.plan import SMALLEST, Plan, PlanCancelled, games_wanted, make_plan
from teahouse.lab.report import Report
from teahouse.lab.skill import STEP_ELO, _elo, match_kind, skill_figures, steps
from teahouse.lab.store import LabStore
from teahouse.lab.study import ReportProgress, report

TINY = Plan(
    precision=5,
    seconds=None,
    jobs=1,
    reference=2,
    simulations=16,
    samples={
        "random": 4,
        "level 1": 2,
        "level 2": 3,
        "level 2 against 1": 6,
        "level 1 after each opening": 3,
    },
    costs={},
    wanted=385,
)


def played(moves: int = 4, **values: object) -> PlayedGame:
    """Return a game of two sides in turn, won by the first one."""
    given = {
        "number": 0,
        "seed": 0,
        "seating": (1, 1),
        "moves": tuple(map(str, range(moves))),
        "sides": tuple(ply % 2 for ply in range(moves)),
        "choices": (3,) * moves,
        "winner": 0,
        "ended": True,
    }
    return PlayedGame(**{**given, **values})  # type: ignore[arg-type]


def same(one: Report, other: Report) -> bool:
    return json.loads(one.to_json()) == json.loads(other.to_json())


def test_the_story_of_a_game() -> None:
    chances = ((0.5, 0.5), (0.2, 0.8), (0.2, 0.8), (0.7, 0.3), (0.9, 0.1), (0.9, 0.1), (1.0, 0.0))
    game = played(
        6, chances=chances, sides=(0, 1, 0, 1, 0, 1), only=(2, 4), choices=(2,) * 5 + (1,)
    )
    # with both sides to move: 0.35, 0.35, 0.2, 0.45, 0.8, 0.9, and the result
    assert story.smoothed_chances(game)[2] == pytest.approx((0.2, 0.8))
    assert story.smoothed_chances(game)[4] == pytest.approx((0.8, 0.2))
    assert story.settled(game) == pytest.approx(4 / 6)
    assert story.behind(game) == pytest.approx(4 / 6)
    assert story.drama(game) == pytest.approx((2 * 0.3**0.5 + 0.6**0.5 + 0.1**0.5) / 4)
    assert story.lead_changes(game) == 1
    assert story.comeback(game) == 1
    assert story.killer_move(game) == pytest.approx(60)
    assert story.one_good_move(game) == pytest.approx(2 / 5)
    drawn = replace(game, winner=None)
    assert story.settled(drawn) is story.drama(drawn) is story.comeback(drawn) is None


def test_a_comeback_has_a_swing() -> None:
    # Both sides blunder in the same round: at its turns the winner always has a won game.
    chances = ((1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 0.0))
    game = played(3, chances=chances, sides=(0, 1, 0))
    assert story.comeback(game) == 1
    assert story.killer_move(game) == pytest.approx(100)


@pytest.mark.parametrize("name", th.games())
def test_random_games_are_the_playouts(name: str) -> None:
    game = th.load(name, **small(name))
    run = GameRun(game, "random", seed=3)
    games = [run.play(number) for number in range(6)]
    counts = game.playouts(6, seed=3)
    assert sum(len(one.moves) for one in games) == counts.moves
    assert sum(one.winner is None for one in games) == counts.draws
    for side, team in enumerate(game.teams):
        assert sum(one.winner == side for one in games) == counts.wins[team[0]]


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_a_report_of_every_kind_of_game(game: Game, tmp_path: Path) -> None:
    found = report(game, plan=TINY, folder=tmp_path)
    assert found.complete
    figures = {figure.key: figure for figure in found.figures}
    assert figures["length.mean.random"].count == 4
    assert figures["drama.lead-changes.level2"].count == 3
    assert figures["skill.depth"].count >= 6
    scores = [
        one for one in found.figures if one.key.startswith("seats.") and "draws" not in one.key
    ]
    if len(game.teams) > 2:
        assert sum(one.value for one in scores if one.sample == "random") == pytest.approx(100)
    for figure in found.figures:
        assert figure.low <= figure.value <= figure.high, figure
        assert figure.definition.endswith("."), figure
    for curve in found.curves:
        for point in curve.points:
            assert point.low <= point.value <= point.high, curve.key
            assert curve.unit != "%" or 0 <= point.low <= point.high <= 100, curve.key
    table = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["low"] != "" for row in table] == [math.isfinite(row.low) for row in found.rows]
    assert json.loads(found.to_json())["options"] == json.loads(json.dumps(game.options))
    for noted in found.games:
        assert len(noted.chances) == len(noted.record.positions)
    for heatmap in found.heatmaps:
        spots = {spot.name for spot in game.position(heatmap.position).scene.spots}
        assert heatmap.values.keys() <= spots
    assert all(opening.count for opening in found.openings)


def test_two_processes_play_the_same_games(tmp_path: Path) -> None:
    name = th.games()[0]
    game = th.load(name, **small(name))
    here = report(game, plan=TINY, folder=tmp_path / "a")
    assert same(here, report(game, plan=TINY, folder=tmp_path / "b", jobs=2))
    first, other = (GameRun(game, "level 1", seed).play(0) for seed in (0, 1))
    assert first.moves != other.moves


def test_the_time_left_is_that_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    name = th.games()[0]
    seen: list[ReportProgress] = []
    ticks = count()
    monkeypatch.setattr("teahouse.lab.study.monotonic", lambda: float(next(ticks)))
    found = report(th.load(name, **small(name)), plan=TINY, seconds=10, progress=seen.append)
    assert not found.complete
    left = [one.seconds_left for one in seen if one.seconds_left is not None]
    assert left == sorted(left, reverse=True)
    assert left[0] < 10


def test_an_interrupted_report_continues(tmp_path: Path) -> None:
    name = th.games()[0]
    game = th.load(name, **small(name))
    whole = report(game, plan=TINY, folder=tmp_path / "whole")
    cancel, folder = Event(), tmp_path / "parts"

    def stop(progress: ReportProgress) -> None:
        if progress.done == 7:
            cancel.set()

    part = report(game, plan=TINY, folder=folder, progress=stop, cancel=cancel)
    assert not part.complete
    assert "7 of them" in part.plan[-1]
    lines = sorted(folder.glob("*.jsonl"))
    torn = lines[0].read_bytes()
    lines[0].write_bytes(torn[:-20])
    seen: list[ReportProgress] = []
    assert same(report(game, plan=TINY, folder=folder, progress=seen.append), whole)
    assert seen[0].done == 6
    before = {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}
    assert same(report(game, plan=TINY, folder=folder), whole)
    assert before == {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}


def test_a_folder_of_other_games_or_with_garbage_is_refused(tmp_path: Path) -> None:
    first, other = (th.load(name) for name in th.games()[:2])
    store = LabStore(tmp_path, first, 0)
    with pytest.raises(th.OptionError, match="holds other games: game "):
        LabStore(tmp_path, other, 0)
    with pytest.raises(th.OptionError, match="holds other games: seed "):
        LabStore(tmp_path, first, 1)
    with store.locked(), pytest.raises(th.OptionError, match="Another process"):
        report(first, plan=TINY, folder=tmp_path)
    run = GameRun(first, "random")
    (tmp_path / "random.jsonl").write_text('{"number": 0}\n')
    with pytest.raises(th.OptionError, match=r"random\.jsonl, line 1 is not a game"):
        store.games(run)


def test_a_plan_is_made_from_the_time_measured(tmp_path: Path) -> None:
    name = th.games()[0]
    game = th.load(name, **small(name))
    store, run = LabStore(tmp_path, game, 0), GameRun(game, "random")
    for number in range(SMALLEST + 5):  # of a larger plan before
        store.add(run, run.play(number))
    stop = Event()
    plans: list[str] = []

    def tell(progress: ReportProgress) -> None:
        plans.append(progress.stage)
        if progress.games:
            stop.set()

    found = report(game, precision=50, seconds=5, folder=tmp_path, progress=tell, cancel=stop)
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["wanted"] == games_wanted(50) == 4
    assert min(plan["samples"].values()) >= SMALLEST
    assert all(cost > 0 for cost in plan["costs"].values())
    assert found.plan[0].startswith(f"{sum(plan['samples'].values()):,} games, planned for 5 s")
    assert found.figures[0].count == plan["samples"]["random"] == SMALLEST + 5
    assert plans == ["Loading the bots", "Measuring the time of games", "Playing"]
    with pytest.raises(PlanCancelled):
        report(game, precision=50, seconds=6, folder=tmp_path, cancel=stop)


def test_the_strongest_level_that_fits_is_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that advances by a second whenever it is read: a game takes half of one."""
    monkeypatch.setattr(GameRun, "play", lambda _run, _number: None)
    game = th.load(th.games()[0])

    def planned(seconds: float | None) -> Plan:
        clock = map(float, count()).__next__
        return make_plan(game, 2, 50, seconds, 1, 0, lambda _: None, clock=clock)

    for seconds, reference in ((None, 6), (60, 6), (43.5, 5), (42, 4), (1, 4)):
        plan = planned(seconds)
        assert plan.reference == reference, seconds
        assert plan.costs["level 1"] == 0.5
        assert plan.samples[f"level {reference}"] >= SMALLEST
    wide = make_plan(game, 2, 5, 1000, 1, 0, lambda _: None, clock=map(float, count()).__next__)
    assert wide.reference == 4
    assert SMALLEST < wide.samples["level 4"] < wide.wanted == games_wanted(5)
    assert "The time does not suffice" in wide.sentences()[1]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"ended": False, "winner": None}, "endless under these options: 30 of 30 games did not"),
        ({"choices": (1,) * 4}, "trivial under these options: 100 % of the plies"),
        ({"moves": 2}, "trivial under these options: it is over after 2.0 plies"),
        ({}, "won 100 % of 30 games; the seat decides"),
        ({"winner": None}, "100 % of 30 games were drawn"),
        ({}, "only 1 of 30 games are different"),
    ],
)
def test_endless_and_trivial_games_are_reported(changes: dict[str, object], text: str) -> None:
    game = th.load(th.games()[0])
    found = warnings(game, {"random": [played(**changes)] * 30})  # type: ignore[arg-type]
    assert any(text in warning for warning in found), found
    lively = [played(20, winner=number % 2, seed=number, choices=(5,) * 20) for number in range(30)]
    assert not warnings(game, {"random": lively})


def test_a_few_finished_games_say_nothing_about_seats() -> None:
    game = th.load(th.games()[0])
    endless = [played(20, ended=False, winner=None, seed=number) for number in range(29)]
    found = warnings(game, {"random": [*endless, played(20)]})
    assert "29 of 30 games did not end" in found[0]
    assert not any("the seat decides" in warning for warning in found)


def test_levels_of_64_percent_are_counted() -> None:
    game = next(
        game for game in ALL if len(game.teams) == 2 and not steps(game, {})
    )  # its levels have no ratings
    matches = {}
    for level in (2, 3):
        matches[level] = [
            played(
                number=number,
                seating=(level, level - 1) if number % 2 == 0 else (level - 1, level),
                winner=number % 2 if number % 50 < 32 else 1 - number % 2,
            )
            for number in range(400)
        ]
    found = steps(game, matches)
    assert [step.level for step in found] == [2, 3]
    for step in found:
        assert step.elo.value == pytest.approx(STEP_ELO, abs=1)
        assert step.elo.low < STEP_ELO < step.elo.high
    depth = next(one for one in skill_figures(game, found) if one.key == "skill.depth")
    assert depth.value == pytest.approx(2, abs=0.02)
    assert depth.count == 800
    assert match_kind(2) == "level 2 against 1"


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_openings_are_different_first_turns(game: Game) -> None:
    found = openings(game)
    assert len(found) > 1
    assert len({opening.key for opening in found}) == len(found)
    for opening in found:
        position = game.start()
        for move in opening.moves:
            position = position.play(move)


def test_measures_have_keys_of_their_own() -> None:
    for name in th.games():
        keys = [measure.key for measure in measures(th.load(name))]
        assert len(set(keys)) == len(keys)


def test_events_that_options_rule_out_are_not_measured() -> None:
    names: dict[str, set[tuple[str, ...]]] = {}
    for game in ALL:
        names.setdefault(game.name, set()).add(event_names(game))
        assert event_names(game)
    assert any(len(found) > 1 for found in names.values())


def test_a_step_whose_games_were_all_won_is_finite() -> None:
    won = _elo(1.0, 21, 2)
    assert 600 < won.value < 900
    assert won.low < won.value < won.high
    assert _elo(0.0, 21, 2).value == pytest.approx(-won.value)
    assert _elo(0.75, 40, 2).value == pytest.approx(190.8, abs=0.1)


def test_documented_measures() -> None:
    page = lab_measures.PAGE.read_text(encoding="utf-8")
    assert lab_measures.HEADING + lab_measures.table() in page, "run: python tools/lab_measures.py"
    for name in th.games():
        for measure in measures(th.load(name)):
            for source in filter(None, measure.source.split("; ")):
                assert source.partition(" (")[0] in LITERATURE


def test_the_command_prints_and_writes_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = th.games()[0]
    game = th.load(name, **small(name))
    report(game, plan=replace(TINY, seconds=60.0), folder=tmp_path)
    options = [word for key, value in small(name).items() for word in ("-o", f"{key}={value}")]
    command = ("report", name, *options, "--folder", str(tmp_path), "--seconds", "60", "-j", "1")
    run = Run(monkeypatch, capsys)
    done = run(*command, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["complete"]
    assert "Continuing after 18 games" in done.stderr
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["game"] == name
    done = run(*command, "--csv", str(tmp_path / "figures.csv"))
    assert "Score of" in done.stdout
    assert "Continuing after 18 games" in done.stderr
    assert "Continuing" not in done.stdout
    assert re.search(r"Draws, %( +(0 \+\d+|100 −\d+|\d+ \+\d+ −\d+|\d+ ± \d+))+", done.stdout)
    assert (tmp_path / "figures.csv").read_text(encoding="utf-8").startswith("key,label")
    assert run(*command, "--html", str(tmp_path / "no" / "page.html")).returncode == 2
    assert "Only one output" in run(*command, "--json", "--csv", "-").stderr


@pytest.mark.parametrize("kind", ["", "level", "level 9", "level 0", "level 2 against 11", 3])
def test_unknown_kinds_of_games_are_refused(kind: str) -> None:
    with pytest.raises((th.OptionError, TypeError)):
        GameRun(th.load(th.games()[0]), kind)


@pytest.mark.parametrize(
    "arguments", [{"precision": 0}, {"precision": "5"}, {"seconds": -1}, {"jobs": 0}, {"seed": -1}]
)
def test_bad_arguments_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(th.OptionError):
        th.report(th.load(th.games()[0]), **arguments)  # type: ignore[arg-type]
