"""How many tiles and pieces make a good game of Toot? Bots play all counts against themselves.

    python studies/toot_counts.py --games 48 --simulations 96

Finished games are kept in docs/studies/toot-counts.csv as they end, so a run that was stopped goes
on where it was, and more games can be added later. The tables below the marked line of
docs/studies/toot-counts.md are written from them.
"""

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

import teahouse as th
from teahouse.core import jit
from teahouse.core.jit import rules
from teahouse.core.random import advance, bounded, game_seed, generator
from teahouse.search.mcts.search import TreeSearch

FOLDER = Path(__file__).parents[1] / "docs" / "studies"
TILES, PIECES = range(8, 21), range(3, 9)
OPENING = 4  # random decisions, so that games differ
BEHIND = 0.3  # who thinks so little of their chances, and wins, has come back
MEMORY = 1 << 24
ALL = 0
MARK = "<!-- written by studies/toot_counts.py from here on -->\n"


@dataclass(frozen=True)
class Result:
    """How one game went; winner -1 is a draw."""

    tiles: int
    pieces: int
    number: int
    simulations: int
    decisions: int
    winner: int
    comeback: int
    blue_left: int
    red_left: int


def play_move(boards: Any, states: Any, move: int) -> None:
    """A kernel: one move of a game."""
    rules.play(boards[0], states[0], move)


def list_moves(boards: Any, states: Any, moves: Any) -> int:
    """A kernel: the legal moves."""
    return rules.legal(boards[0], states[0], moves)


def play_game(tiles: int, pieces: int, number: int, simulations: int) -> Result:
    """One game of the bot against itself."""
    game = th.load("toot", tiles=tiles, pieces=pieces)
    boards = jit.as_records(game.layout.board)
    states = np.frombuffer(game.start().state, game.layout.state).copy()
    moves = jit.move_buffers(1, game.layout.max_moves)[0]
    play, legal = (jit.specialize(kernel, game) for kernel in (play_move, list_moves))
    random = generator(game_seed(tiles * 100 + pieces, number))
    lowest = [1.0, 1.0]
    decisions = 0
    while not states[0]["over"]:
        random = advance(random)
        player = int(states[0]["player"])
        count = legal(boards, states, moves)
        move = int(moves[bounded(random, count)])
        if decisions >= OPENING and count > 1:
            move, value = best_move(th.Position(game, states.tobytes(), 0), random, simulations)
            lowest[player] = min(lowest[player], value)
        play(boards, states, move)
        decisions += 1
    winners = th.Position(game, states.tobytes(), 0).winners
    winner = winners[0] if winners else -1
    left = states[0]["remaining"]
    comeback = int(winner >= 0 and lowest[winner] < BEHIND)
    return Result(
        tiles, pieces, number, simulations, decisions, winner, comeback, int(left[0]), int(left[1])
    )


def best_move(position: th.Position, random: int, simulations: int) -> tuple[int, float]:
    """The most visited move of a search, and what the player expects."""
    search = TreeSearch(position, random % (1 << 62), MEMORY, simulations)
    search.run(simulations)
    children = search.children()
    best = max(children, key=lambda child: child.visits)
    value = best.value if best.visits else 0.5
    return best.move, value


def kept(path: Path) -> Iterator[Result]:
    """The games played so far."""
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                if row and row[0] != "tiles" and len(row) == len(fields(Result)):
                    yield Result(*map(int, row))


def run(games: int, simulations: int, processes: int, path: Path) -> list[Result]:
    """Play the games that are missing, each written down as it ends."""
    results = [result for result in kept(path) if result.simulations == simulations]
    done = {(result.tiles, result.pieces, result.number) for result in results}
    missing = [
        (tiles, pieces, number)
        for number in range(games)
        for pieces in PIECES
        for tiles in TILES
        if pieces < tiles and (tiles, pieces, number) not in done
    ]
    FOLDER.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with (
        path.open("a", encoding="utf-8", newline="") as file,
        ProcessPoolExecutor(processes) as pool,
        Progress() as progress,
    ):
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow([field.name for field in fields(Result)])
        task = progress.add_task("games", total=len(missing))
        try:
            running = [pool.submit(play_game, *counts, simulations) for counts in missing]
            for future in as_completed(running):
                results.append(future.result())
                writer.writerow(astuple(results[-1]))
                file.flush()
                progress.advance(task)
        finally:
            pool.shutdown(cancel_futures=True)
    return results


def interval(hits: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z = 1.96
    share = hits / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    half /= 1 + z * z / games
    return max(0.0, middle - half), min(1.0, middle + half)


def shown(hits: float, games: int) -> str:
    """A share and its interval, in per cent."""
    if games == 0:
        return "–"
    low, high = interval(hits, games)
    return f"{hits / games:.0%} ({low:.0%}–{high:.0%})".replace("%", "")


def grid(title: str, cells: dict[tuple[int, int], str]) -> str:
    """A table of tiles down and pieces across; ALL stands for all of them together."""
    names = [*(f"{pieces} pieces" for pieces in PIECES), "all"]
    lines = [f"## {title}\n", f"| tiles | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for tiles in (*TILES, ALL):
        row = " | ".join(cells.get((tiles, pieces), "–") for pieces in (*PIECES, ALL))
        lines.append(f"| {tiles or 'all'} | {row} |")
    return "\n".join(lines) + "\n"


def page(results: Iterable[Result], simulations: int) -> str:
    """The study as Markdown."""
    by_counts: dict[tuple[int, int], list[Result]] = defaultdict(list)
    for result in results:
        for tiles in (result.tiles, ALL):
            for pieces in (result.pieces, ALL):
                by_counts[tiles, pieces].append(result)
    length, draws, most, first, back = ({} for _ in range(5))
    for counts, played in by_counts.items():
        games = len(played)
        lengths = np.array([result.decisions for result in played])
        half = 1.96 * lengths.std(ddof=1) / math.sqrt(games) if games > 1 else float("nan")
        length[counts] = f"{lengths.mean():.0f} ± {half:.0f}"
        draws[counts] = shown(sum(result.winner < 0 for result in played), games)
        most[counts] = shown(
            sum(result.winner < 0 and result.blue_left == result.red_left for result in played),
            games,
        )
        score = sum({-1: 0.5, 0: 1.0, 1: 0.0}[result.winner] for result in played)
        first[counts] = shown(score, games)
        decided = [result for result in played if result.winner >= 0]
        back[counts] = shown(sum(result.comeback for result in decided), len(decided))
    total = len(by_counts[ALL, ALL])
    fewest = min(map(len, by_counts.values()))
    return "\n".join(
        [
            f"{total:,} games, {fewest} or more for each pair of counts, {simulations} simulations"
            f" a decision on both sides, the first {OPENING} decisions of a game at random.\n",
            grid("Length of a game, in decisions (mean, 95 % interval)", length),
            grid("Draws, % (95 % interval)", draws),
            grid("Draws that are left with most_pieces, %", most),
            grid("Blue's score, % (draws count half)", first),
            grid(
                f"Comebacks among decided games, % (the winner once expected under {BEHIND})", back
            ),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=48, help="for each pair of counts")
    parser.add_argument("--simulations", type=int, default=96, help="for each decision")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    results = run(
        arguments.games, arguments.simulations, arguments.processes, FOLDER / "toot-counts.csv"
    )
    study = FOLDER / "toot-counts.md"
    words = study.read_text(encoding="utf-8").partition(MARK)[0] if study.exists() else ""
    study.write_text(f"{words}{MARK}\n{page(results, arguments.simulations)}", encoding="utf-8")


if __name__ == "__main__":
    main()
