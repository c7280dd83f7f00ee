"""Write the latest figures of `history.csv` into docs/benchmarks.md and README.md.

    python benchmarks/tables.py

Part of `make bench` and `make bench-gpu`. In docs/benchmarks.md a table stands between the comments
`<!-- table: NAME -->` and `<!-- end -->`; the rows of random moves
in README.md are those of the first game. The latest figures are those of the last day with any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from history import HERE, Entry, read

ROOT = HERE.parent
PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"

Figures = dict[str, Entry]
"""The latest figures by row."""

DASH = "–"
TABLE = re.compile(r"(<!-- table: (?P<name>[a-z-]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def latest(entries: Sequence[Entry], kinds: Sequence[str]) -> Figures:
    """Return the figures of these kinds of work, of the last day with any."""
    chosen = [entry for entry in entries if entry.row.startswith(tuple(f"{one} " for one in kinds))]
    day = max((entry.date for entry in chosen), default="")
    return {entry.row: entry for entry in chosen if entry.date == day}


def source(figures: Figures) -> str:
    """Return which machine, day and commits the figures are from."""
    machines, days, commits = (
        sorted({getattr(entry, name) for entry in figures.values()})
        for name in ("machine", "date", "commit")
    )
    commit = "commit" if len(commits) == 1 else "commits"
    return f"{', '.join(machines)}, {', '.join(days)}, {commit} {', '.join(commits)}."


def titles(figures: Figures, kind: str) -> list[str]:
    """Return the games of a kind of work on one thread, in the order of measurement."""
    start = f"{kind} "
    return [row.removeprefix(start) for row in figures if _is_row(row, start)]


def _is_row(row: str, start: str) -> bool:
    return row.startswith(start) and not row.endswith(" threads")


def rate(entry: Entry | None) -> str:
    """Return a figure in thousands, millions or billions per second."""
    if entry is None:
        return DASH
    for size, unit in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if entry.value >= size:
            return f"{entry.value / size:.3g} {unit}"
    return f"{entry.value:.3g}"


def times(entry: Entry | None) -> str:
    """Return the ratio to the peer."""
    return DASH if entry is None or entry.ratio is None else f"{entry.ratio:.3g}"


def peer_rate(entry: Entry) -> str:
    """Return the peer's figure, of the same run."""
    assert entry.ratio is not None
    return rate(Entry(*(("",) * 4), entry.value / entry.ratio, "", None))


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, all columns but the first aligned to the right."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def moves_table(figures: Figures) -> str:
    """Return the rates of random moves on a CPU."""
    rows = []
    for title in titles(figures, "playouts"):
        one = figures[f"playouts {title}"]
        two = figures[f"playouts {title}, 2 threads"]
        loop = figures[f"loop {title}"]
        both = f"{two.value / one.value:.2f}"
        rates = (rate(one), times(one), rate(two), both, rate(loop), times(loop))
        rows.append((title, *rates, f"{one.peer}: {peer_rate(one)}"))
    headings = ("game", "one thread", "x peer", "two threads", "x one", "with lists", "x peer")
    return table((*headings, "peer"), rows)


def search_table(figures: Figures) -> str:
    """Return the rates of tree search on a CPU."""
    rows = []
    for title in titles(figures, "search"):
        plain = figures[f"search {title}"]
        own = [figures.get(f"own search {title}{threads}") for threads in ("", ", 2 threads")]
        peer = f"{plain.peer}: {peer_rate(plain)}"
        rows.append((title, rate(plain), times(plain), *map(rate, own), peer))
    headings = ("game", "plain UCT", "x peer", "bots' search", "with two threads", "peer")
    return table(headings, rows)


def batches_table(figures: Figures) -> str:
    """Return the rates of batches on a CPU; the peer uses all cores, so two threads count."""
    rows = []
    for title in titles(figures, "batch"):
        cells = [title]
        for kind in ("batch", "planes"):
            two = figures[f"{kind} {title}, 2 threads"]
            cells += [rate(figures[f"{kind} {title}"]), rate(two), times(two)]
        rows.append(cells)
    half = ("two threads", "x Pgx Hex")
    return table(("game", "masks, one thread", *half, "and planes, one thread", *half), rows)


def gpu_moves_table(figures: Figures) -> str:
    """Return the rates of random moves on a GPU."""
    found = [(title, figures[f"GPU playouts {title}"]) for title in titles(figures, "GPU playouts")]
    rows = [(title, rate(entry), times(entry), entry.commit) for title, entry in found]
    return table(("game", "moves", "x Pgx Hex", "commit"), rows)


def gpu_batches_table(figures: Figures) -> str:
    """Return the rates of batches on a GPU."""
    rows = []
    for title in titles(figures, "GPU batch"):
        game, size = title.removesuffix(" games").rsplit(", ", 1)
        cells = [game, f"{int(size):,}"]
        for kind in ("batch", "unchecked", "planes"):
            entry = figures.get(f"GPU {kind} {title}")
            cells += [rate(entry), times(entry)]
        rows.append(cells)
    x = "x Pgx Hex"
    headings = ("game", "games", "masks", x, "masks, actions unchecked", x, "masks and planes", x)
    return table(headings, rows)


TABLES: dict[str, tuple[tuple[str, ...], Callable[[Figures], str]]] = {
    "moves": (("playouts", "loop"), moves_table),
    "search": (("search", "own search"), search_table),
    "batches": (("batch", "planes"), batches_table),
    "gpu-moves": (("GPU playouts",), gpu_moves_table),
    "gpu-batches": (("GPU batch", "GPU unchecked", "GPU planes"), gpu_batches_table),
}
"""For each name, the kinds of work in the table, and what writes it."""


def page(text: str, entries: Sequence[Entry]) -> str:
    """Return docs/benchmarks.md with the latest figures."""

    def replaced(match: re.Match[str]) -> str:
        kinds, write = TABLES[match["name"]]
        figures = latest(entries, kinds)
        return f"{match[1]}{source(figures)}\n\n{write(figures)}"

    return TABLE.sub(replaced, text)


def readme(text: str, entries: Sequence[Entry]) -> str:
    """Return the README with the latest rates of random moves."""
    for words, kind, library in (
        ("one CPU core", "playouts", "in C++ "),
        ("one GPU", "GPU playouts", ""),
    ):
        figures = latest(entries, (kind,))
        first = figures[f"{kind} {titles(figures, kind)[0]}"]
        game = first.row.removeprefix(f"{kind} ")
        maker, _, peer = first.peer.partition(" ")
        cells = f"{rate(first)} ({game}) | {peer_rate(first)}, {maker} {library}playing {peer}"
        text = re.sub(
            rf"(?m)^(\| random moves per second, \[{words}\]\([^)]*\)) \|[^|]*\|[^|]*\|",
            rf"\1 | {cells} |",
            text,
        )
    return text


def main() -> None:
    """Rewrite both files."""
    entries = read()
    for path, write in ((PAGE, page), (README, readme)):
        path.write_text(write(path.read_text(encoding="utf-8"), entries), encoding="utf-8")


if __name__ == "__main__":
    main()
