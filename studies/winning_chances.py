"""Calibrate winning chances: how the scores of a search relate to the results of games.

    python studies/winning_chances.py --games 60
    python studies/winning_chances.py --games 60 --only orochi

Bots of level 6 play against each other. Every position of these games gives the scores of a search
with that level's budget, and its game's result. The exponent that makes the results most likely is
written to each game's `bots.json`, and a table to docs/studies/winning-chances.md.
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from levels import GAMES, VARIANTS, format_bots
from matches import STUDIES

import teahouse as th
from teahouse.core.game import non_default_options
from teahouse.core.options import format_options
from teahouse.search.chances import calibrated
from teahouse.search.levels import profile

PAGE = STUDIES / "winning-chances.md"
LEVEL = 6
EXPONENTS = [round(0.5 * 1.02**step, 3) for step in range(180)]  # 0.5 to 17
SMALLEST = 0.005
"""Chances below this count as this: no search is that sure without a proof."""

INTRODUCTION = f"""# Winning chances

```sh
python studies/winning_chances.py --games 60
```

A search averages over bad lines too, so its expected scores are too close to a draw. Bots of level
{LEVEL} played against each other; each position gave the scores of a search with that level's
budget. Winning chances are these scores raised to the exponent that makes the results of the games
most likely, scaled to add up to 1. The mean cross entropy with the results shows the gain.
Proven positions are left out.

| game | games | positions | exponent | entropy of scores | entropy of chances |
|---|---|---|---|---|---|
"""

Sample = tuple[tuple[float, ...], tuple[float, ...]]
"""Scores of the sides by a search, and by the result of the game."""


@dataclass(frozen=True)
class Fit:
    """The best exponent of a variant."""

    game: str
    key: str
    games: int
    positions: int
    exponent: float
    before: float
    """Mean cross entropy of scores with results."""
    after: float
    """The same of calibrated chances."""


def play(game: th.Game, seed: int) -> Iterator[Sample]:
    """Play a game of bots; yield a sample for each position with a choice."""
    budget = profile(game).levels[LEVEL - 1].simulations
    bot = th.bot(game, LEVEL, seed=seed, threads=1)
    position = game.start(seed)
    found = []
    while not position.over:
        if len(position.legal) > 1:
            analysis = th.analyse(position, simulations=budget, seed=seed)
            if analysis.proof is None:
                found.append(analysis.scores)
        position = position.play(bot.choose(position))
    sides = {game.side(player) for player in position.winners}
    count = len(game.teams)
    result = tuple(float(side in sides) if sides else 1 / count for side in range(count))
    yield from ((scores, result) for scores in found)


def entropy(samples: Sequence[Sample], exponent: float) -> float:
    """Return the mean cross entropy of the results with calibrated scores."""
    total = 0.0
    for scores, result in samples:
        chances = calibrated(scores, exponent)
        total -= sum(
            share * math.log(max(chance, SMALLEST))
            for chance, share in zip(chances, result, strict=True)
        )
    return total / len(samples)


def fit(game: th.Game, key: str, games: int) -> Fit:
    """Play games and return the exponent with the lowest cross entropy."""
    samples = [sample for seed in range(games) for sample in play(game, seed)]
    best = min(EXPONENTS, key=lambda exponent: entropy(samples, exponent))
    return Fit(
        game.name,
        key,
        games,
        len(samples),
        round(best, 2),
        entropy(samples, 1.0),
        entropy(samples, best),
    )


def write_exponent(found: Fit) -> None:
    """Replace the calibration of a variant in the game's `bots.json`."""
    path = GAMES / found.game / "bots.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["calibration"] = {**data.get("calibration", {}), found.key: found.exponent}
    path.write_text(format_bots(data), encoding="utf-8")


def write_row(found: Fit) -> None:
    """Write the row of a variant into the table; the others keep theirs."""
    rows = {}
    if PAGE.exists():
        lines = PAGE.read_text(encoding="utf-8").splitlines()
        known = [line for line in lines if line.startswith("| ")][1:]
        rows = {line.split(" | ")[0].removeprefix("| "): line for line in known}
    title = f"{th.load(found.game).title} {found.key}".strip()
    rows[title] = (
        f"| {title} | {found.games} | {found.positions:,} | {found.exponent:.2f} "
        f"| {found.before:.3f} | {found.after:.3f} |"
    )
    table = "\n".join(row for _, row in sorted(rows.items()))
    PAGE.write_text(f"{INTRODUCTION}{table}\n", encoding="utf-8")


def main() -> None:
    """Calibrate all variants, or some; each is written when it is finished."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60, help="games of each variant")
    parser.add_argument("--only", choices=th.games(), help="only this game")
    parser.add_argument("--options", help="only with these options, such as mode=3 or ''")
    arguments = parser.parse_args()
    for name, options in VARIANTS:
        game = th.load(name, **options)
        key = format_options(non_default_options(game), ",")
        if arguments.only in (None, name) and arguments.options in (None, key):
            found = fit(game, key, arguments.games)
            print(found, flush=True)
            write_exponent(found)
            write_row(found)


if __name__ == "__main__":
    main()
