"""Random setup of Oolong's markers: shuffled, or drawn from a stock of several sets."""

from typing import Any

from teahouse.core.random import advance, bounded, generator


def shuffle_markers(state: Any, seed: int) -> None:
    """Shuffle the markers of the outer tables (O1)."""
    random = generator(seed)
    for last in range(len(state.markers) - 1, 1, -1):
        random = advance(random)
        chosen = 1 + bounded(random, last)
        marker = state.markers[last]
        state.markers[last] = state.markers[chosen]
        state.markers[chosen] = marker


def draw_markers(board: Any, state: Any, seed: int) -> None:
    """Draw the markers of the outer tables from the stock, without putting any back (O23)."""
    random = generator(seed)
    rest = 0
    for kind in range(len(board.copies)):
        rest += board.copies[kind]
    for place in range(1, len(state.markers)):
        random = advance(random)
        index = bounded(random, rest)
        rest -= 1
        for kind in range(1, len(board.copies)):
            left = int(board.copies[kind])
            for other in range(1, place):
                left -= state.markers[other] == kind
            if index < left:
                state.markers[place] = kind
                break
            index -= left
