"""The text of a page's board as rows of markup by layer, and the edits between two of them.

Most rows of consecutive positions are the same objects. So neither the text nor the offsets in it
are put together to find what has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from operator import attrgetter

import numpy as np

from teahouse.draw.style import Layer

Edit = tuple[int, int, str]
"""A range of the text before, and what follows it in the text after; in UTF-16 code units."""
CHUNK = 8
"""Parts that are compared at once: most of a board is unchanged."""
END = "</svg>"
_LAYERS, _SIZES = attrgetter("layers"), attrgetter("sizes")


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """Markup that belongs together, by layer."""

    layers: tuple[str, ...]
    sizes: np.ndarray
    """The UTF-16 code units of each."""


def code_units(text: str) -> int:
    """Return the number of UTF-16 code units of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def make_row(elements: Iterable[tuple[int, str]]) -> Row:
    """Return a row of elements."""
    layers = [""] * len(Layer)
    for layer, markup in elements:
        layers[layer] += markup
    return Row(tuple(layers), np.array([*map(code_units, layers)], np.int32))


EMPTY_ROW = make_row(())


class PageText:
    """The head of a picture, then layer by layer the markup of all rows."""

    __slots__ = ("_board", "_defs", "_opening", "_rows", "_sizes")

    def __init__(
        self, board: object, opening: str, defs: tuple[str, ...], rows: Sequence[Row]
    ) -> None:
        self._board = board
        """Rows of texts with the same board correspond to each other."""
        self._opening = opening
        self._defs = defs
        self._rows = rows
        self._sizes: np.ndarray | None = None

    def __str__(self) -> str:
        return "".join(self._head() + self._body())

    def _head(self) -> list[str]:
        return [self._opening, "<defs>", *self._defs, "</defs>"]

    def _body(self) -> list[str]:
        columns = zip(*map(_LAYERS, self._rows), strict=True)
        return [*filter(None, chain.from_iterable(columns)), END]

    def edits(self, before: PageText) -> list[Edit]:
        """Return what turns another text into this one."""
        if self._board is not before._board:
            return text_edits(before._head() + before._body(), self._head() + self._body())
        found, start = self._head_edits(before)
        head_size = code_units(before._opening) + _defs_size(before._defs)
        ends = before._row_sizes().T.cumsum()
        for slot, size, markup in self._changed_slots(before):
            end = head_size + ends.item(slot)
            if found and start == end - size:
                found[-1] = (*found[-1][:2], found[-1][2] + markup)
            else:
                found.append((start, end - size, markup))
            start = end
        found.append((start, head_size + ends.item(-1) + len(END), ""))
        return found

    def _changed_slots(self, before: PageText) -> list[tuple[int, int, str]]:
        """Return the changed slots in order, each with its size before and its markup now.

        Slots are numbered layer by layer. The sizes of this text are noted for the next one.
        """
        self._sizes = sizes = before._row_sizes().copy()
        rows, changed = len(self._rows), []
        for number, (row, known) in enumerate(zip(self._rows, before._rows, strict=True)):
            if row is not known:
                sizes[number] = row.sizes
                changed += [
                    (layer * rows + number, known.sizes.item(layer), markup)
                    for layer, markup in enumerate(row.layers)
                    if markup != known.layers[layer]
                ]
        return sorted(changed)

    def _head_edits(self, before: PageText) -> tuple[list[Edit], int]:
        """Return the edits of the head, and where the range begins that follows them."""
        if self._defs is not before._defs:
            *found, (start, _, _) = text_edits(before._head(), self._head())
            return found, start
        if self._opening == before._opening:
            return [], 0
        return [(0, 0, self._opening)], code_units(before._opening)

    def _row_sizes(self) -> np.ndarray:
        """Return the code units of each row in each layer."""
        if self._sizes is None:
            self._sizes = np.array([*map(_SIZES, self._rows)])
        return self._sizes


@lru_cache(maxsize=1024)
def _defs_size(defs: tuple[str, ...]) -> int:
    return sum(map(code_units, ("<defs>", *defs, "</defs>")))


def text_edits(before: list[str], after: list[str]) -> list[Edit]:
    """Return the edits of a text that is given in parts."""
    offsets = [*accumulate(map(code_units, before), initial=0)]
    return [
        (offsets[start], offsets[end], "".join(added))
        for start, end, added in _list_edits(before, after)
    ]


def _list_edits(before: list[str], after: list[str]) -> list[tuple[int, int, list[str]]]:
    """Return the edits of a list."""
    index = dict(zip(before, range(len(before)), strict=True))
    found: list[tuple[int, int, list[str]]] = []
    start = end = at = 0
    added: list[str] = []
    while at < len(after):
        if not added:
            if before[end : end + CHUNK] == after[at : at + CHUNK]:
                end, at = min(end + CHUNK, len(before)), at + CHUNK
                continue
            if end < len(before) and before[end] == after[at]:
                end, at = end + 1, at + 1
                continue
        known = index.get(after[at])
        if known is None:
            added.append(after[at])
        else:
            if end > start or added:
                found.append((start, end, added))
            start, end, added = known, known + 1, []
        at += 1
    found.append((start, end, added))
    return found
