"""The parts of a game's `rules.md` that are more than text: boards, pictures of pieces, sections.

A board is a fenced block: `example` can be played on, `diagram` is a picture. Its info string has
options, its first line `start` or a position; then come moves, and a caption after a colon:

    ```example side=3
    start
    wb2 ba1
    : Black has placed the first of two stones.
    ```

A picture of a piece is an image, `![text](piece:KIND?player=0&sign=NAME&count=3)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs

from teahouse.core.catalog import load
from teahouse.core.errors import OptionError, quoted
from teahouse.core.options import parse_options
from teahouse.core.position import Position
from teahouse.core.scene import Piece

EXAMPLE, DIAGRAM = "example", "diagram"
IN_SHORT = "In short"
"""The title of the section that says what to do and how to win."""
FOLDED = "House rulings"
"""The title of sections that are folded away on the web page."""
PIECE_SCHEME = "piece:"
BLOCK = re.compile(rf"^```(?P<info>(?:{EXAMPLE}|{DIAGRAM})\b.*)\n(?P<body>[^`]*)^```$", re.M)
PICTURE = re.compile(rf"!\[([^\]]*)\]\(({PIECE_SCHEME}[^)]*)\)")
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)


@dataclass(frozen=True)
class RulesBoard:
    """A board in the rules."""

    kind: str
    """example or diagram."""
    options: dict[str, str]
    start: str | None
    """The text of a position, or None for the game's start."""
    moves: tuple[str, ...]
    caption: str

    def positions(self, name: str) -> list[Position]:
        """Return the positions from the first to the last; raise as `load` and `play` do."""
        game = load(name, **self.options)
        positions = [game.start() if self.start is None else game.position(self.start)]
        for move in self.moves:
            positions.append(positions[-1].play(move))
        return positions


def parse_board(info: str, body: str) -> RulesBoard:
    """Parse a fenced block; raise `OptionError` if it is not one of a board."""
    kind, *options = info.split()
    lines = [line.strip() for line in body.strip().splitlines()]
    if kind not in (EXAMPLE, DIAGRAM) or not lines:
        raise OptionError(f"Expected {EXAMPLE} or {DIAGRAM} with a position, got {quoted(info)}.")
    start, *others = lines
    return RulesBoard(
        kind,
        parse_options(options),
        None if start == "start" else start,
        tuple(" ".join(line for line in others if not line.startswith(":")).split()),
        " ".join(line.removeprefix(":").strip() for line in others if line.startswith(":")),
    )


def boards(page: str) -> Iterator[RulesBoard]:
    """Yield the boards of a page."""
    for block in BLOCK.finditer(page):
        yield parse_board(block["info"], block["body"])


def parse_piece(address: str) -> Piece:
    """Parse the address of a piece's picture; raise `OptionError` if it is not one."""
    kind, _, query = address.removeprefix(PIECE_SCHEME).partition("?")
    fields = {name: values[-1] for name, values in parse_qs(query).items()}
    numbers = {"player", "count"}
    allowed = {*numbers, "sign", "text", "turned"}
    if not kind or not fields.keys() <= allowed:
        raise OptionError(
            f"Invalid picture {quoted(address)}; fields: {', '.join(sorted(allowed))}."
        )
    try:
        return Piece(
            kind,
            int(fields["player"]) if "player" in fields else None,
            fields.get("sign", ""),
            fields.get("text", ""),
            int(fields.get("count", 1)),
            "turned" in fields,
        )
    except ValueError:
        raise OptionError(
            f"Invalid picture {quoted(address)}; player and count are numbers."
        ) from None


def in_short(page: str) -> str | None:
    """Return the section of a page that says what to do and how to win, with its boards."""
    found = re.search(rf"^## {IN_SHORT}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    return found[1] if found else None


def prose(section: str) -> str:
    """Return a section without its fenced blocks."""
    return _FENCED.sub("", section)
