"""Oolong, by Black Straw Games: two teas, nine tables, and a waiter sent from seat to table."""

from collections import Counter
from typing import Any

from teahouse.core.errors import quoted
from teahouse.core.game import STUDIED, GameInfo
from teahouse.core.options import BoolOption, IntOption, TextOption

EXAMPLE = "mb,ro,mg,ro,su,wb,sc,wg"
DECK = Counter(EXAMPLE.split(","))
"""One set of markers, by their codes."""


def read_markers(text: str) -> str:
    """Return a layout of the eight markers in canonical form, or raise ValueError."""
    codes = [code.strip().lower() for code in text.split(",")]
    for code in codes:
        if code not in DECK:
            raise ValueError(f"unknown marker {quoted(code, 20)}")
    if len(codes) != DECK.total():
        raise ValueError(f"expected {DECK.total()} markers, got {len(codes)}")
    return ",".join(codes)


def _check(options: dict[str, Any]) -> None:
    stock = options["stock"]
    if not options["specials"] and stock > 1:
        raise ValueError("a stock of markers needs the special markers (specials=true)")
    if options["markers"] is None:
        return
    if not options["specials"]:
        raise ValueError("a marker layout needs the special markers (specials=true)")
    codes = Counter(options["markers"].split(","))
    for code, count in codes.items():
        if count > stock * DECK[code]:
            missing = ", ".join((DECK - codes).elements())
            reason = (
                f"missing: {missing}" if stock == 1 else f"stock={stock} has {stock * DECK[code]}"
            )
            raise ValueError(f"markers, {code} appears {count} times; {reason}")


INFO = GameInfo(
    title="Oolong",
    summary="Pour tea where the waiter was sent, and claim five of the nine tables.",
    options={
        "markers": TextOption(
            default=None,
            help="The markers at N NE E SE S SW W NW; shuffled if left empty",
            allowed=f"mb, mg, su, sc, wb, wg and two ro in any order, such as {EXAMPLE}; they may"
            " repeat if the stock is larger",
            parser=read_markers,
            examples=(EXAMPLE,),
            label="Marker layout",
        ),
        "specials": BoolOption(
            default=True, help="Play with the eight special markers", label="Use markers"
        ),
        "markers_stay": BoolOption(
            default=False,
            help="Leave the markers at their places when tables are swapped",
            label="Markers stay when tables are swapped",
        ),
        "stock": IntOption(  # O23
            1,
            8,
            default=1,
            help="Sets of markers from which the eight are drawn",
            label="Sets of markers",
            house_rule=True,
        ),
    },
    players=lambda options: ("Black", "Green"),
    check=_check,
    loser_seat="Black",  # O2
    tier=STUDIED,
    peer="ultimate_tic_tac_toe",
)
