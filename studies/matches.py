"""Shared by the studies: matches, their folders, and tables of results."""

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from threading import Event, Timer
from typing import Any, TypeVar

from rich.progress import Progress

import teahouse as th
from teahouse.core.executor import Executor, Job, LocalExecutor
from teahouse.core.files import complete_lines
from teahouse.core.options import format_options
from teahouse.search.arena import MatchResults, parse_player, play_match
from teahouse.search.arena.runner import PlayerFactory
from teahouse.search.levels import LEVELS, player_text
from teahouse.search.threads import default_threads

ROOT = Path(__file__).parents[1]
STUDIES = ROOT / "docs" / "studies"

Options = Mapping[str, Any]
Result = TypeVar("Result")

# The larger game of Toot; without `most_pieces` most of its games are drawn.
TOOT: tuple[str, Options] = ("toot", {"tiles": 12, "pieces": 5, "most_pieces": True})


@dataclass(frozen=True)
class Match:
    """A match of a study: two players and a game with its options."""

    kind: str
    game: str
    options: tuple[tuple[str, str | bool | int], ...]
    players: tuple[str, str]
    games: int

    @property
    def key(self) -> str:
        """The options that differ from their defaults, as in `bots.json`."""
        return format_options(dict(self._changed_options), ",")

    @property
    def _changed_options(self) -> list[tuple[str, str | bool | int]]:
        defaults = th.load(self.game).options
        return [(name, value) for name, value in self.options if defaults[name] != value]

    @property
    def title(self) -> str:
        """The game with its options."""
        return f"{th.load(self.game).title} {self.key}".strip()

    @property
    def folder(self) -> str:
        """The name of the folder of its games."""
        options = ",".join(f"{name}={value}" for name, value in self._changed_options)
        return "-".join((self.game, options, *self.players)).replace(":", "_").replace(",", "_")

    @property
    def cores(self) -> int:
        """The cores that one game needs: the highest level searches on several threads."""
        if f"level{LEVELS[-1]}" in self.players:
            return default_threads()
        return 2 if "threads=2" in self.folder else 1


Results = list[tuple[Match, MatchResults]]


def play_all(
    matches: Iterable[Match],
    arguments: argparse.Namespace,
    make_player: PlayerFactory = parse_player,
) -> Results:
    """Play the selected matches, or continue them; with a limit of 0 read the stored games only."""
    cancel = Event()
    timer = Timer(arguments.limit, cancel.set)
    timer.daemon = True
    timer.start()
    if arguments.limit <= 0:
        cancel.set()
    cluster: Executor | None = None
    if arguments.ray is not None:
        from teahouse.core.executor.ray_cluster import RayExecutor

        cluster = RayExecutor(arguments.ray, notify=print)
    results = []
    for match in matches:
        if arguments.only and not any(
            part in f"{match.kind} {match.folder}" for part in arguments.only.split(",")
        ):
            continue
        game = th.load(match.game, **dict(match.options))
        folder = arguments.folder / match.folder
        executor = cluster or LocalExecutor(max(1, arguments.cores // match.cores))
        result = play_match(
            *(game, match.players, match.games, folder),
            make_player=make_player,
            cancel=cancel,
            executor=executor,
            seed=arguments.seed,
        )
        results.append((match, result))
        if result.games:
            score = result.head_to_head(0, 1)
            print(
                f"{match.kind} {match.title}: {' – '.join(match.players)} {score.value:.3f} "
                f"({score.low:.3f} – {score.high:.3f}) in {len(result.games)} games, "
                f"draws {result.draws:.2f}",
                flush=True,
            )
    return results


def table(results: Results, kind: str) -> list[str]:
    """Return the matches of a kind as a Markdown table, one game after the other."""
    lines = [
        "| game | first | second | games | draws | score of the first | 95 % interval |",
        "|---|---|---|---|---|---|---|",
    ]
    for match, result in sorted(results, key=lambda pair: pair[0].title):
        if match.kind == kind and result.games:
            score = result.head_to_head(0, 1)
            first, second = map(player_text, match.players)
            lines.append(
                f"| {match.title} | {first} | {second} | {len(result.games)} | {result.draws:.0%} "
                f"| {score.value:.1%} | {score.low:.1%} – {score.high:.1%} |"
            )
    return lines


def parse_arguments(description: str | None, games: int) -> argparse.Namespace:
    """Parse the command line of a study."""
    parser = argument_parser(description, games)
    parser.add_argument("--folder", type=Path, required=True)
    return parser.parse_args()


def argument_parser(description: str | None, games: int) -> argparse.ArgumentParser:
    """Return a parser of the arguments that all studies have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=games, help="games of each match")
    parser.add_argument("--seed", type=int, default=0, help="another seed plays other games")
    parser.add_argument("--cores", type=int, default=2, help="number of cores to use")
    parser.add_argument("--ray", metavar="ADDRESS", help="play on a Ray cluster, not on --cores")
    parser.add_argument(
        "--limit",
        type=float,
        default=1e6,
        help="seconds to play; with 0 only the stored games are reported",
    )
    parser.add_argument(
        "--only",
        default="",
        help="part of a match's folder or kind, such as level8; writes nothing",
    )
    return parser


def play_missing(
    play: Callable[..., Result],
    missing: Sequence[tuple[Any, ...]],
    result_type: type[Result],
    processes: int,
    path: Path,
) -> Iterator[Result]:
    """Play games in several processes; append each result to a CSV file when it ends.

    The incomplete last line of a run that was killed is dropped.
    """
    job: Job[tuple[Any, ...], Result] = _Plays(play)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not complete_lines(path)
    with (
        path.open("a", encoding="utf-8", newline="") as file,
        closing(LocalExecutor(processes).map(job, missing)) as played,
        Progress() as progress,
    ):
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow([field.name for field in fields(result_type)])  # type: ignore[arg-type]
        task = progress.add_task("games", total=len(missing))
        for _, result in played:
            writer.writerow(astuple(result))  # type: ignore[call-overload]
            file.flush()
            progress.advance(task)
            yield result


@dataclass(frozen=True)
class _Plays(Job[tuple[Any, ...], Result]):
    """Plays the game of each set of arguments."""

    play: Callable[..., Result]

    def run(self, task: tuple[Any, ...]) -> Result:
        return self.play(*task)
