"""Comparisons of rule sets: synthetic games for the statistics, a few real ones for the rest."""

import csv
import io
import json
import random
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from support.variants import ALL
from typer.testing import CliRunner

import teahouse as th
from teahouse.core.executor import Executor, Job
from teahouse.lab.compare import CompareProgress, compare
from teahouse.lab.comparison import PHRASES, Comparison
from teahouse.lab.games import GameRun, PlayedGame
from teahouse.lab.measures import measures
from teahouse.lab.pairs import Precision, unshared_measures
from teahouse.terminal.commands import command_line

SMALL, LARGE = th.load("orochi", side=2), th.load("orochi", side=3)


class SyntheticGames(Executor):
    """Makes up games; `plies` returns the length of a game of a side, `jumbled` delays some."""

    def __init__(
        self, plies: Callable[[random.Random, str], int], salt: int = 0, jumbled: int = 1
    ) -> None:
        self.plies = plies
        self.salt = salt
        self.jumbled = jumbled
        self.made = 0

    def map(
        self, job: Job[Any, Any], tasks: Iterable[Any], cancel: Event | None = None
    ) -> Generator[tuple[Any, Any], None, None]:
        """Yield games as workers would: in another order than they were asked for."""
        waiting = iter(tasks)
        running = list(islice(waiting, self.jumbled))
        order = random.Random(self.salt)
        while running and not (cancel and cancel.is_set()):
            task = running.pop(order.randrange(len(running)))
            running += islice(waiting, 1)
            self.made += 1
            yield task, self.game(*task)

    def game(self, name: str, number: int) -> PlayedGame:
        """Return a game that depends on its name and number alone."""
        chance = random.Random(f"{self.salt} {name} {number}")
        plies = self.plies(chance, name[0])
        winner = chance.choice((0, 1, None))
        return PlayedGame(
            number=number,
            seed=number,
            seating=(0, 0),
            moves=("x",) * plies,
            sides=(0,) * plies,
            choices=tuple(chance.randint(1, 9) for _ in range(plies)),
            winner=winner,
            ended=True,
        )


def same_length(chance: random.Random, side: str) -> int:
    return round(chance.gauss(30, 6))


def longer_b(chance: random.Random, side: str) -> int:
    return round(chance.gauss(30 if side == "a" else 36, 6))


def compare_random(executor: Executor, **settings: Any) -> Comparison:
    options = {"samples": ["random"], "seconds": None, "executor": executor, **settings}
    return compare(SMALL, LARGE, **options)


def test_figures_of_equal_rules_rarely_differ_at_any_look() -> None:
    alarms: list[str] = []
    runs = 20
    for salt in range(runs):
        seen: set[str] = set()

        def look(now: CompareProgress, seen: set[str] = seen) -> None:
            if now.looked:
                seen.update(row.key for row in now.looked.rows if row.differs)

        compare_random(SyntheticGames(same_length, salt), max_pairs=128, progress=look)
        alarms += seen
    assert len(alarms) <= 0.05 * runs


def test_a_true_difference_is_found_and_said() -> None:
    found = compare_random(SyntheticGames(longer_b), figures=["length.mean"], precision=5)
    assert found.complete and found.rows[0].reached
    (sentence,) = found.sentences
    assert sentence.startswith("Games are ") and "plies longer with b in random play (" in sentence
    row = found.rows[0]
    assert row.low <= 6 <= row.high and row.high - row.low <= 2 * row.precision + 1e-9
    assert row.a_low <= 30 <= row.a_high and row.b_low <= 36 <= row.b_high


def test_intervals_of_counts_do_not_go_below_0() -> None:
    rare = SyntheticGames(lambda chance, side: 200 if chance.random() < 0.05 else 2)
    found = compare_random(rare, figures=["length.mean", "choice.branching"], max_pairs=32)
    length = next(row for row in found.rows if row.measure == "length.mean")
    assert (length.a_low, length.b_low) == (0, 0)
    assert length.low < 0 < length.a < length.a_high
    assert all(row.a_low >= 0 and row.b_low >= 0 for row in found.rows)


def test_an_interrupted_comparison_ends_with_the_same_result(tmp_path: Path) -> None:
    whole = compare_random(SyntheticGames(longer_b), precision=20)
    cancel = Event()

    class Interrupted(SyntheticGames):
        def game(self, name: str, number: int) -> PlayedGame:
            if self.made == 70:
                cancel.set()
            return super().game(name, number)

    part = compare_random(Interrupted(longer_b), precision=20, folder=tmp_path, cancel=cancel)
    assert not part.complete and part.unreached and part.pairs["random"] == 35
    lines = sorted(tmp_path.glob("*/random.jsonl"))
    with lines[0].open("a") as file:
        file.write('{"number": 99, "mo')  # a process killed while it wrote
    rest = SyntheticGames(longer_b)
    resumed = compare_random(rest, precision=20, folder=tmp_path)
    assert resumed == whole and resumed.complete
    assert rest.made <= 2 * whole.pairs["random"] - 70 + 2  # games that had begun at the end
    again = SyntheticGames(longer_b)
    assert compare_random(again, precision=20, folder=tmp_path) == whole and not again.made


def test_the_result_does_not_depend_on_the_order_in_which_games_end() -> None:
    whole = compare_random(SyntheticGames(longer_b), precision=20)
    assert compare_random(SyntheticGames(longer_b, jumbled=4), precision=20) == whole


def test_games_that_never_have_a_value_do_not_delay_the_end() -> None:
    class Unfinished(SyntheticGames):
        def game(self, name: str, number: int) -> PlayedGame:
            played = super().game(name, number)
            return PlayedGame(**{**vars(played), "ended": False, "winner": None})

    found = compare_random(Unfinished(same_length), figures=["seats", "length"])
    assert found.pairs["random"] >= 256
    assert any("too few games have a value" in sentence for sentence in found.unreached)
    assert any("endless" in warning for warning in found.warnings)


def test_games_are_evaluated_only_if_a_figure_needs_it(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"samples": ["level 1"], "max_pairs": 32, "folder": tmp_path}
    compare_random(SyntheticGames(same_length), figures=["length"], **settings)
    assert len(list(tmp_path.glob("*/level1.jsonl"))) == 2
    compare_random(SyntheticGames(same_length), figures=["drama"], **settings)
    assert len(list(tmp_path.glob("*/level1-*.jsonl"))) == 2


def test_rows_are_exported() -> None:
    found = compare_random(SyntheticGames(longer_b), max_pairs=64, figures=["length"])
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["key"] for row in rows] == [row.key for row in found.rows]
    assert float(rows[0]["difference"]) == found.rows[0].difference
    data = json.loads(found.to_json())
    assert data["figures"][0]["differs"] is True and data["sentences"] == list(found.sentences)
    assert data["a"]["options"]["side"] == 2
    for text in (found.html(), found.markdown()):
        assert found.names[0] == "side=2" and "side=3" in text


def test_real_games_are_compared(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"samples": ["random"], "seconds": None, "max_pairs": 32}
    found = th.compare(SMALL, LARGE, folder=tmp_path, **settings)
    assert found.pairs == {"random": 32} and found.paired
    assert any("longer with b in random play" in sentence for sentence in found.sentences)
    assert th.compare(SMALL, LARGE, **settings) == found


def test_games_of_a_sample_do_not_share_the_errors_of_their_evaluations() -> None:
    run = GameRun(LARGE, "random", seed=0, simulations=50)
    assert len({run.play(number).chances[0] for number in range(6)}) > 1


def test_the_same_rules_have_seeds_of_their_own() -> None:
    found = compare(SMALL, SMALL, samples=["random", "level 1"], seconds=None, max_pairs=32)
    assert not found.paired and not found.sentences
    assert {row.sample for row in found.rows} == {"random", "level 1"}
    drama = next(row for row in found.rows if row.measure == "drama.browne")
    assert drama.difference != 0
    with pytest.raises(th.OptionError, match="paired=False"):
        compare(SMALL, SMALL, paired=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"figures": ["lenght"]}, "Unknown figure 'lenght'; figures: length.mean"),
        ({"samples": ["level 9"]}, "Unknown sample 'level 9'"),
        ({"samples": []}, "No figure to compare"),
        ({"figures": ["drama"], "samples": ["random"]}, "No figure to compare"),
        ({"precision": 0}, "precision must be a number above 0"),
        ({"precision": {"length.mean": -1}}, "precision of length.mean must be"),
        ({"precision": {"length": 1}}, "Unknown figure 'length'"),
        ({"seconds": 0}, "seconds must be a number above 0"),
        ({"max_pairs": 3}, "max_pairs must be an integer of at least 32"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(th.OptionError, match=message):
        compare(SMALL, LARGE, **settings)


def test_figures_of_one_rule_set_only_are_named() -> None:
    other = th.load("orochi", side=2)
    games = [th.load(name) for name in th.games() if name != other.name]
    found = compare(
        other,
        games[0],
        samples=["random"],
        seconds=None,
        max_pairs=32,
        executor=SyntheticGames(same_length),
    )
    assert {"length.mean.random", "seats.draws.random"} <= {row.key for row in found.rows}
    assert not any(row.measure == "seats.1" for row in found.rows)
    assert any("only a has it: Score of White" in warning for warning in found.warnings)
    assert found.names == (other.title, games[0].title)


def test_half_widths_are_points_of_shares_and_percent_of_numbers() -> None:
    length, unfinished = measures(SMALL)[:2]
    precision = Precision(5, {"length.unfinished.random": 1.5})
    assert precision.half_width(length, "length.mean.random", 20, 40) == 2
    assert precision.half_width(length, "length.mean.random", 0, 0) == 0.05
    assert precision.half_width(unfinished, "length.unfinished.random", 0, 9) == 1.5
    assert precision.half_width(unfinished, "length.unfinished.level4", 0, 9) == 5


def test_every_measure_has_a_phrase() -> None:
    keys = {measure.key for name in th.games() for measure in measures(th.load(name))}
    shared = {key for key in keys if not key.startswith(("uses.", "seats."))} | {"seats.draws"}
    assert set(PHRASES) == shared


def test_the_command_prints_tables_and_sentences(tmp_path: Path) -> None:
    arguments = ["compare", "orochi", "--a", "side=2", "--b", "side=3", "--sample", "random"]
    arguments += ["--figures", "length", "--precision", "30", "--folder", str(tmp_path)]
    app = command_line(["compare"])
    page = tmp_path / "page.html"
    shown = CliRunner().invoke(app, [*arguments, "--html", str(page)], catch_exceptions=False)
    assert shown.exit_code == 0, shown.output
    assert "Games are" in shown.output and "longer with b" in shown.output
    assert "longer with b" in page.read_text(encoding="utf-8")
    answer = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert json.loads(answer.stdout)["complete"] is True


def test_what_cannot_be_compared_is_named_once() -> None:
    other_sides = [
        (a, b) for a in ALL for b in ALL if a.name == b.name and len(a.teams) < len(b.teams)
    ]
    assert other_sides
    for a, b in other_sides:
        labels = [
            label
            for text in unshared_measures(a, b)
            for label in text[:-1].split(": ")[1].split("; ")
        ]
        assert len(labels) == len({*labels})
