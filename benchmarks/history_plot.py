"""The history of ratios as SVG: a panel for each kind of work, a line for each game."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from history import Entry

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 220, 56, 200, 30, 40
COLOURS = ("#0b6e4f", "#b3541e", "#3b5bdb", "#8d2f6b", "#5c5c5c", "#7a6a00")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 4", "10 4")


def kind_of(entry: Entry) -> str:
    """Return the kind of work: the words of a row before the game."""
    words = entry.row.split(" ")
    return " ".join(words[: 2 if words[0] in ("GPU", "own") else 1])


def plot(entries: Sequence[Entry]) -> str:
    """Return the plot of all rows that have a ratio."""
    shown = [entry for entry in entries if entry.ratio]
    kinds = list(dict.fromkeys((kind_of(entry), entry.peer) for entry in shown))
    panels = [
        _panel(
            index,
            f"{kind}, times {peer}",
            [e for e in shown if (kind_of(e), e.peer) == (kind, peer)],
        )
        for index, (kind, peer) in enumerate(kinds)
    ]
    height = HEIGHT * len(kinds)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="12" role="img">'
        "<title>Speed beside other libraries, by commit</title>"
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>{"".join(panels)}</svg>\n'
    )


def _panel(index: int, title: str, entries: Sequence[Entry]) -> str:
    commits = list(dict.fromkeys(entry.commit for entry in entries))
    ratios = [entry.ratio for entry in entries if entry.ratio]
    low, high = (
        floor(log10(min(ratios))),
        max(ceil(log10(max(ratios))), floor(log10(min(ratios))) + 1),
    )
    bottom = HEIGHT - BOTTOM

    def x(commit: str) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * commits.index(commit) / max(1, len(commits) - 1)

    def y(ratio: float) -> float:
        return bottom - (bottom - TOP) * (log10(ratio) - low) / (high - low)

    parts = [
        f'<g transform="translate(0 {index * HEIGHT})">',
        f'<text x="{LEFT}" y="18">{escape(title)}</text>',
    ]
    for power in range(low, high + 1):
        at = y(10.0**power)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
            f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g}</text>'
        )
    for commit in commits:
        parts.append(
            f'<text x="{x(commit):.1f}" y="{bottom + 18}" text-anchor="middle">{commit}</text>'
        )
    names = list(dict.fromkeys(entry.row for entry in entries))
    ends = {name: next(e for e in reversed(entries) if e.row == name).ratio or 1 for name in names}
    placed = bottom + 14.0
    for number, name in enumerate(sorted(names, key=lambda one: ends[one])):
        points = [(x(e.commit), y(e.ratio or 1)) for e in entries if e.row == name]
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
        path = " ".join(f"{left:.1f},{top:.1f}" for left, top in points)
        placed = min(placed - 12, y(ends[name]) + 4)
        label = name.split(" ", 2 if name.startswith(("GPU", "own")) else 1)[-1]
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-dasharray="{dash}"/>'
            + "".join(
                f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"/>' for a, b in points
            )
            + f'<text x="{WIDTH - RIGHT + 8}" y="{placed:.1f}" fill="{colour}">'
            f"{escape(label)}: {ends[name]:.3g}</text>"
        )
    return "".join([*parts, "</g>"])
