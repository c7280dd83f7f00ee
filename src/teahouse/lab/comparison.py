"""The comparison of two rule sets: figures side by side, and significant differences in words."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from teahouse.core.game import Game
from teahouse.core.options import format_options
from teahouse.lab.figures import finite, sample_slug
from teahouse.lab.formatting import decimals, interval_text, number, with_unit

PER_GAME = "per game"
PHRASES = {
    "length.mean": "Games are {} longer|shorter",
    "length.unfinished": "Unfinished games are {} more|less frequent",
    "choice.branching": "Positions have {} more|fewer legal moves",
    "choice.forced": "Forced moves are {} more|less frequent",
    "choice.one-good": "Turns with one good move are {} more|less frequent",
    "seats.draws": "Draws are {} more|less frequent",
    "drama.settled": "Games are decided {} of their length later|earlier",
    "drama.browne": "Drama is {} higher|lower",
    "drama.behind": "Winners are behind for {} more|less of the game",
    "drama.lead-changes": "Games have {} more|fewer changes of the lead",
    "drama.comebacks": "Comebacks are {} more|less frequent",
    "drama.killer": "The biggest swing of a game is {} bigger|smaller",
}
"""What a difference of each measure means, with a word for more and one for less with b."""


@dataclass(frozen=True)
class ComparedFigure:
    """One figure of both rule sets, and its difference b − a.

    Intervals are confidence sequences, valid under continuous monitoring. Those of the differences
    hold for all figures of a comparison together with 95 %, those of a and b for each alone.
    """

    key: str
    """The measure and the sample, such as `length.mean.level4`."""
    label: str
    """The measure in words."""
    section: str
    """The section that shows it."""
    sample: str
    """The games measured: `random`, `level 4`."""
    unit: str
    """plies, %, Elo or nothing."""
    a: float
    """The mean of rule set a."""
    a_low: float
    """Lower bound of a's mean."""
    a_high: float
    """Upper bound of a's mean."""
    b: float
    """The mean of rule set b."""
    b_low: float
    """Lower bound of b's mean."""
    b_high: float
    """Upper bound of b's mean."""
    difference: float
    """b − a."""
    low: float
    """Lower bound of the difference."""
    high: float
    """Upper bound of the difference."""
    count: int
    """Pairs of games."""
    precision: float
    """Half width of the difference's interval that was asked for."""
    definition: str
    """What is measured, in a sentence or two."""
    source: str = ""
    """Where the literature defines it; empty if it is defined here."""

    @property
    def measure(self) -> str:
        """The key without the sample."""
        return self.key.removesuffix(f".{sample_slug(self.sample)}")

    @property
    def differs(self) -> bool:
        """Whether the difference is significant: its interval excludes 0."""
        return self.low > 0 or self.high < 0

    @property
    def reached(self) -> bool:
        """Whether the interval of the difference is as narrow as asked for."""
        return max(self.difference - self.low, self.high - self.difference) <= self.precision

    @property
    def sentence(self) -> str:
        """The significant difference in words, or that there is none.

        >>> figure = ComparedFigure(
        ...     *("length.mean.random", "Length", "Length", "random", "plies"),
        ...     *(20.0, 19.5, 20.5, 29.2, 28.5, 29.9, 9.2, 8.1, 10.3, 200, 2.0, ""),
        ... )
        >>> figure.sentence
        'Games are 9.2 plies longer with b in random play (8.1 to 10.3).'
        """
        where = "in random play" if self.sample == "random" else f"at {self.sample}"
        if not self.differs:
            return f"{self.label} {where}: no sure difference."
        low, high = sorted((abs(self.low), abs(self.high)))
        size = number(abs(self.difference), decimals(low, high))
        if self.unit == PER_GAME:
            text = f"{self.label}: {size} {self._either('more|fewer')} {PER_GAME}"
        else:
            unit = "percentage points" if self.unit == "%" else self.unit
            phrase = PHRASES.get(self.measure, f"{self.label}: {{}} more|less")
            text = self._either(phrase).replace("{}", with_unit(size, unit))
        return f"{text} with b {where} ({interval_text(low, high)})."

    def _either(self, phrase: str) -> str:
        """Return a phrase with the alternative that applies to b."""
        return re.sub(r"(\w+)\|(\w+)", r"\1" if self.difference > 0 else r"\2", phrase)


@dataclass(frozen=True)
class Comparison:
    """Figures of two rule sets, and their differences."""

    a: Game
    """The game by the first rule set."""
    b: Game
    """The game by the second rule set."""
    rows: tuple[ComparedFigure, ...]
    """The figures of both."""
    pairs: Mapping[str, int]
    """Pairs of games that were counted, by sample."""
    paired: bool
    """Whether games of the same number have the same seed on both sides."""
    seed: int
    """The seed of all games."""
    warnings: tuple[str, ...] = ()
    """What is wrong with a rule set, as sentences."""

    @property
    def complete(self) -> bool:
        """Whether every figure has the precision asked for."""
        return all(row.reached for row in self.rows)

    @property
    def names(self) -> tuple[str, str]:
        """What a and b are: the options that differ between them, or the games' titles."""
        if self.a.name != self.b.name:
            return self.a.title, self.b.title
        options, others = self.a.all_options, self.b.all_options
        differing = [name for name in options if options[name] != others[name]]
        a, b = (
            format_options({name: game.all_options[name] for name in differing or game.options})
            for game in (self.a, self.b)
        )
        return a or self.a.title, b or self.b.title

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each significant difference."""
        return tuple(row.sentence for row in self.rows if row.differs)

    @property
    def unreached(self) -> tuple[str, ...]:
        """A sentence for each figure whose precision was not reached."""
        return tuple(_unreached(row) for row in self.rows if not row.reached)

    def to_csv(self) -> str:
        """Return the rows as CSV with a header; bounds that are infinite are empty."""
        text = io.StringIO()
        names = [field.name for field in fields(ComparedFigure)]
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*names, "differs", "reached"])
        for row in self.rows:
            values = finite(asdict(row))
            writer.writerow([*(values[name] for name in names), row.differs, row.reached])
        return text.getvalue()

    def to_json(self) -> str:
        """Return the comparison as JSON; bounds that are infinite are null."""
        return json.dumps(self.json(), indent=2, ensure_ascii=False)

    def json(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {
            "a": {"game": self.a.name, "options": self.a.options},
            "b": {"game": self.b.name, "options": self.b.options},
            "seed": self.seed,
            "paired": self.paired,
            "complete": self.complete,
            "pairs": dict(self.pairs),
            "sentences": self.sentences,
            "unreached": self.unreached,
            "warnings": self.warnings,
            "figures": [
                {**finite(asdict(row)), "differs": row.differs, "reached": row.reached}
                for row in self.rows
            ],
        }

    def markdown(self) -> str:
        """Return the comparison as Markdown."""
        from teahouse.lab.markdown import comparison_markdown

        return comparison_markdown(self)

    def html(self) -> str:
        """Return the comparison as one HTML file that needs no network."""
        from teahouse.lab.page import comparison_page

        return comparison_page(self)


def _unreached(row: ComparedFigure) -> str:
    name = f"{row.label} ({row.sample})"
    half = max(row.difference - row.low, row.high - row.difference)
    if not math.isfinite(half):
        return f"{name}: too few games have a value, {row.count} pairs."
    return (
        f"{name}: the difference is known to ±{half:.3g} after {row.count:,} pairs of games, "
        f"not to ±{row.precision:.3g}."
    )
