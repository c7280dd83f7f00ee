"""Oolong, by Black Straw Games: two teas, nine tables, and a waiter sent from seat to table."""

from collections import Counter
from typing import Any

from teahouse.core.errors import quoted
from teahouse.core.game import STUDIED, GameInfo
from teahouse.core.options import BoolOption, TextOption

EXAMPLE = "mb,ro,mg,ro,su,wb,sc,wg"


def read_markers(text: str) -> str:
    """Return a layout of the eight markers in canonical form, or raise ValueError."""
    codes = [code.strip().lower() for code in text.split(",")]
    deck = Counter(EXAMPLE.split(","))
    for code in codes:
        if code not in deck:
            raise ValueError(f"unknown marker {quoted(code, 20)}")
    if len(codes) != deck.total():
        raise ValueError(f"expected {deck.total()} markers, got {len(codes)}")
    for code, count in deck.items():
        if codes.count(code) > count:
            missing = ", ".join((deck - Counter(codes)).elements())
            raise ValueError(f"{code} appears {codes.count(code)} times; missing: {missing}")
    return ",".join(codes)


def _check(options: dict[str, Any]) -> None:
    if options["markers"] is not None and not options["specials"]:
        raise ValueError("a marker layout needs the special markers (specials=true)")


INFO = GameInfo(
    title="Oolong",
    summary="Pour tea where the waiter was sent, and claim five of the nine tables.",
    options={
        "markers": TextOption(
            default=None,
            help="The markers at N NE E SE S SW W NW; shuffled if left empty",
            allowed=f"mb, mg, su, sc, wb, wg and two ro in any order, such as {EXAMPLE}",
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
    },
    players=lambda options: ("Black", "Green"),
    check=_check,
    loser_seat="Black",  # O2
    tier=STUDIED,
)
