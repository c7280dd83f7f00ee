"""Ratings after simulated games of known strengths: is the order right, are chances calibrated?

    python studies/ratings.py

Writes docs/studies/ratings.md and its plot.
"""

import argparse
from collections.abc import Mapping

from matches import STUDIES
from rating_simulation import APART, Simulation, calibration_error, simulate

from teahouse.server.ratings.pools import pools

PAGE = STUDIES / "ratings.md"
PLOT = STUDIES / "ratings.svg"
SIZE, EDGE = 360, 44
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")

INTRODUCTION = """# Ratings

```sh
python studies/ratings.py
```

How accurate are ratings after {games:,} games? {people} simulated players of known strength start
without a rating. Within a year they play {games:,} games of a pool, half of them against levels,
the others against each other, mostly against opponents with a similar rating. Results are drawn
from the model with which the levels were rated, and games are rated as on a server
([how](../ratings.md)).

| column | meaning |
|---|---|
| calibration error | mean difference of predicted chances and results, in ten bins of the \
chance weighted by their size; all games count, the first ones too |
| against levels | the same for the games against levels |
| right order | pairs of players at least {apart:.0f} points apart with ratings in that order |
| mean error | mean distance of a rating from the player's strength |
| within 2 deviations | players whose strength is within two deviations of their rating |
"""
HEAD = """
| pool | rated by | calibration error | against levels | right order | mean error \
| within 2 deviations |
|---|---|---|---|---|---|---|
"""
EVEN = """
## Players of all strengths
Their strengths are spread evenly from level 1 to the highest measured level.
"""
WEAK = """
## Weaker players only
All players are in the lower half of the scale but start in its middle. Their order is as good, but
their ratings take longer to converge: games between players determine only their differences.
"""


def main() -> None:
    """Simulate all pools and write the page."""
    parser = argparse.ArgumentParser(description="Simulate rated games of known strengths.")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--people", type=int, default=60)
    arguments = parser.parse_args()
    page = INTRODUCTION.format(games=arguments.games, people=arguments.people, apart=APART)
    found: dict[str, Simulation] = {}
    for strongest, text in ((1.0, EVEN), (0.5, WEAK)):
        page += text + HEAD
        for pool in pools().values():
            result = simulate(pool, arguments.games, arguments.people, strongest=strongest)
            found.setdefault(pool.title, result)
            page += _row(pool.title, "Glicko-2" if pool.duel else "OpenSkill", result)
            print(page.splitlines()[-1], flush=True)
        if strongest == 1.0:
            PLOT.write_text(reliability_plot(found))
            page += f"\n![Predicted chances and results]({PLOT.name})\n"
    PAGE.write_text(page)


def _row(title: str, method: str, result: Simulation) -> str:
    levels = [one for one in result.predictions if one.against_level]
    right, pairs = result.order
    error = sum(abs(one) for one in result.errors) / len(result.errors)
    cells = (
        title,
        method,
        f"{100 * calibration_error(result.predictions):.1f} %",
        f"{100 * calibration_error(levels):.1f} %",
        f"{right:,} of {pairs:,}",
        f"{error:.0f}",
        f"{100 * result.within:.0f} %",
    )
    return f"| {' | '.join(cells)} |\n"


def reliability_plot(found: Mapping[str, Simulation]) -> str:
    """Return a plot of results over predicted chances as SVG; the diagonal is perfect."""

    def at(share: float) -> float:
        return round(EDGE + share * (SIZE - 2 * EDGE), 1)

    parts = [
        f'<path d="M{at(0)} {at(1)}L{at(1)} {at(0)}" stroke="#999" stroke-dasharray="5 4"/>',
        f'<path d="M{at(0)} {at(0)}V{at(1)}H{at(1)}" stroke="#333" fill="none"/>',
    ]
    for tick in (0.0, 0.5, 1.0):
        text = f"{tick:.0%}"
        parts.append(f'<text x="{at(tick)}" y="{at(1) + 18}" text-anchor="middle">{text}</text>')
        parts.append(
            f'<text x="{at(0) - 6}" y="{at(1 - tick) + 4}" text-anchor="end">{text}</text>'
        )
    for number, (title, result) in enumerate(found.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = "L".join(f"{at(one.chance)} {at(1 - one.score)}" for one in result.bins())
        parts.append(f'<path d="M{line}" stroke="{colour}" fill="none" stroke-width="1.5"/>')
        y = EDGE + 20 * number + 6
        parts.append(f'<path d="M{SIZE} {y}h18" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{SIZE + 26}" y="{y + 4}">{title}</text>')
    parts.append(f'<text x="{at(0.5)}" y="{SIZE - 6}" text-anchor="middle">predicted chance</text>')
    parts.append(f'<text x="{at(0)}" y="{EDGE - 14}" text-anchor="middle">games won</text>')
    width, height = SIZE + 420, max(SIZE, EDGE + 20 * len(found) + 10)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


if __name__ == "__main__":
    main()
