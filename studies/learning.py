"""Measure networks: strength by training time and by simulations per move.

    python studies/learning.py --run runs/GAME
    python studies/learning.py --run runs/GAME --games 200 --cores 16
    python studies/learning.py --run runs/GAME --limit 0

A run is a folder of `teahouse train`, or one with networks of your own, `snapshots/*.onnx`. Its
networks play with the same number of simulations; the last one, or with --shipped the one in the
package, with several numbers of them. All play against their neighbours and against the search
without a network, with a fixed number of playouts. So the load of the machine does not matter.

Finished games are stored in the folder with the networks, and an interrupted run continues there;
a higher number of games adds to them. The cheapest matches come first. At the end tables and plots
are written beside the games, or to --page.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from curves import Panel, Point, curves_plot
from ladder import Rated, rate
from matches import Match, argument_parser, play_all
from trained import StoredPlayers, Trained, networks_of_run, shipped_networks

import teahouse as th
from teahouse.core.game import non_default_options
from teahouse.core.options import format_options

GAMES = 40
MIN_GAMES = 12  # of a match, to count
SIMULATIONS = (4, 16, 64, 256, 1024)
PLAYOUTS = (16, 64, 256, 1024, 4096, 16384)
RUN_SIMULATIONS = 16
FIXED_PLAYOUTS = (
    4096  # playouts of the reference search, which is 0 Elo and plays all networks of a run
)
PLAYOUTS_EACH = 1024  # playouts against one simulation with a network
COST = 40  # playouts that take as long as one simulation with a network

INTRODUCTION = f"""# Strength of learned players

How does the strength of a network grow with training time and with simulations per move? Each
plot shows one game:

- **By training time**, where a run was measured: its networks with {RUN_SIMULATIONS}
  simulations per move. Each played the previous one and the search without a network.
- **By simulations per move:** the shipped network, or the run's last one, and the search without
  a network. Each played itself with a quarter of the simulations, and they played each other with
  {PLAYOUTS_EACH:,} playouts per simulation of the network.

{FIXED_PLAYOUTS:,} playouts of the search are 0 Elo. All ratings of a game are one fit
(Bradley–Terry, with three sides Plackett–Luce) to all matches of at least {MIN_GAMES} games. Both
sides play from the same openings of two random plies; draws count half; one thread each.

```sh
python studies/learning.py --run runs/GAME
```
"""


@dataclass(frozen=True)
class Subject:
    """The networks to measure for one game: those of a run, and the one given more simulations."""

    run: tuple[Trained, ...]
    thinker: Trained

    @property
    def title(self) -> str:
        """The game with the options that differ from their defaults."""
        options = format_options(non_default_options(self.thinker.game), ", ")
        return f"{self.thinker.game.title} {options}".strip()

    def matches(self, games: int) -> Iterator[Match]:
        """Yield all matches."""
        game = self.thinker.game
        for pair in self._pairs():
            options = tuple(non_default_options(game).items())
            yield Match("learning", game.name, options, pair, games)

    def _pairs(self) -> Iterator[tuple[str, str]]:
        trained = [one.player(RUN_SIMULATIONS) for one in self.run]
        networks = [self.thinker.player(count) for count in SIMULATIONS]
        searches = [search(count) for count in PLAYOUTS]
        for chain in (trained, networks, searches):
            yield from ((after, before) for before, after in pairwise(chain))
        for player in trained:
            yield player, search(FIXED_PLAYOUTS)
        for count in SIMULATIONS:
            if count * PLAYOUTS_EACH in PLAYOUTS:
                yield self.thinker.player(count), search(count * PLAYOUTS_EACH)


def search(playouts: int) -> str:
    """Return the search without a network as a player."""
    return f"search:simulations={playouts}"


def cost(match: Match) -> int:
    """Return about how long a game takes, to play the cheapest matches first."""
    budgets = [(int(one.rpartition("=")[2]), one.startswith("network")) for one in match.players]
    return sum(count * (COST if learned else 1) for count, learned in budgets)


def subjects(runs: Sequence[Path], networks: Path, shipped: bool) -> list[Subject]:
    """Return all that is to be measured, by the titles."""
    by_run = [networks_of_run(run, networks) for run in runs]
    own = {one.game: one for one in shipped_networks(networks)} if shipped else {}
    found = [Subject(run, own.get(run[-1].game, run[-1])) for run in by_run]
    found += [
        Subject((), one)
        for game, one in own.items()
        if game not in {run[-1].game for run in by_run}
    ]
    return sorted(found, key=lambda one: one.title)


def plot(subject: Subject, rated: Mapping[str, Rated], games: int) -> str | None:
    """Return the plot of a subject, None if there are not enough games."""

    def points(players: Sequence[tuple[float, str]]) -> list[Point]:
        return [Point(x, rated[player].elo) for x, player in players if player in rated]

    minutes = points([(one.minutes, one.player(RUN_SIMULATIONS)) for one in subject.run])
    thinking = {
        "network": points([(count, subject.thinker.player(count)) for count in SIMULATIONS]),
        "search, no network": points([(count, search(count)) for count in PLAYOUTS]),
    }
    panels = [
        Panel("minutes of training", {f"network, {RUN_SIMULATIONS} simulations a move": minutes}),
        Panel(
            "simulations (playouts) a move",
            {name: found for name, found in thinking.items() if found},
        ),
    ]
    panels = [one for one in panels if any(one.series.values())]
    title = f"{subject.title}: Elo with 95 % interval, {games:,} games"
    return curves_plot(title, "Elo", panels) if panels else None


def section(subject: Subject, rated: Mapping[str, Rated], picture: str) -> list[str]:
    """Return the plot and the ratings of a subject as Markdown."""
    names = {search(count): f"search, {count:,} playouts" for count in PLAYOUTS}
    for one in (*subject.run, subject.thinker):
        for count in (*SIMULATIONS, RUN_SIMULATIONS):
            minutes = f"network of {one.minutes:g} minutes" if one.minutes else "network"
            names[one.player(count)] = f"{minutes}, {count:,} simulations"
    rows = [
        f"| {names[player]} | {one.elo.value:+.0f} | {one.elo.low:+.0f} to {one.elo.high:+.0f} "
        f"| {one.games} |"
        for player, one in sorted(rated.items(), key=lambda pair: -pair[1].elo.value)
    ]
    return [
        *(f"## {subject.title}", "", f"![Strength of networks, {subject.title}]({picture})", ""),
        *("| player | Elo | 95 % interval | games |", "|---|---|---|---|", *rows, ""),
    ]


def write_page(page: Path, found: Sequence[tuple[Subject, Mapping[str, Rated]]]) -> None:
    """Write tables and plots."""
    lines = [INTRODUCTION]
    plots = page.with_suffix("")
    plots.mkdir(parents=True, exist_ok=True)
    for subject, rated in found:
        picture = plot(subject, rated, sum(one.games for one in rated.values()) // 2)
        if picture is not None:
            name = "-".join(subject.title.lower().replace("=", " ").replace(",", "").split())
            (plots / f"{name}.svg").write_text(picture, encoding="utf-8")
            lines += section(subject, rated, f"{plots.name}/{name}.svg")
    page.write_text("\n".join(lines), encoding="utf-8")


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argument_parser(__doc__, GAMES)
    parser.add_argument("--run", type=Path, action="append", default=[], help="may be repeated")
    parser.add_argument("--shipped", action="store_true", help="measure the package's networks")
    parser.add_argument("--folder", type=Path, help="games; default: strength in the first run")
    parser.add_argument("--page", type=Path, help="default: learning.md in the folder")
    arguments = parser.parse_args()
    if arguments.folder is None:
        if not arguments.run:
            parser.error("give --run FOLDER, or --shipped and --folder FOLDER")
        arguments.folder = arguments.run[0] / "strength"
    arguments.page = arguments.page or arguments.folder / "learning.md"
    return arguments


def main() -> None:
    """Play all matches and write the page."""
    arguments = parse()
    networks = arguments.folder / "networks"
    try:
        measured = subjects(arguments.run, networks, arguments.shipped)
    except (th.OptionError, ValueError) as error:
        raise SystemExit(str(error)) from None
    games = arguments.games
    matches = {match for subject in measured for match in subject.matches(games)}
    ordered = sorted(matches, key=lambda match: (cost(match), match.folder))
    results = dict(play_all(ordered, arguments, StoredPlayers(networks)))
    if not arguments.only:
        rated = [
            (one, rate([results[m] for m in one.matches(games)], search(FIXED_PLAYOUTS), MIN_GAMES))
            for one in measured
        ]
        write_page(arguments.page, rated)
        print(f"Tables and plots: {arguments.page}")


if __name__ == "__main__":
    main()
