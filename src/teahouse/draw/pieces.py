"""Pieces as markup: a symbol in its colour, with what it carries, and SMIL animation."""

from functools import lru_cache
from html import escape
from itertools import pairwise

from teahouse.core.scene import Piece
from teahouse.draw.animation import Motion
from teahouse.draw.layout import Point
from teahouse.draw.symbols import Symbol


@lru_cache(maxsize=8192)  # boards use the same coordinates over and over
def format_number(value: float) -> str:
    """Return a number with at most one decimal, as short as possible."""
    return f"{value:.1f}".removesuffix(".0").replace("-0.", "-.").removeprefix("0") or "0"


@lru_cache(maxsize=8192)
def transform(at: Point, scale: float = 1.0) -> str:
    """Return the attribute that translates to a point and scales."""
    scaled = "" if abs(scale - 1) < 1e-3 else f" scale({scale:.3g})"
    return f'transform="translate({format_number(at[0])} {format_number(at[1])}){scaled}"'


class SvgWriter:
    """Writes the markup of one picture and collects the symbols it uses."""

    def __init__(self, symbols: dict[str, Symbol], colours: tuple[str, ...], prefix: str) -> None:
        self.symbols = symbols
        self.colours = colours
        self.prefix = prefix
        self.used_symbols: set[str] = set()

    def use(self, symbol: str, attributes: str = "") -> str:
        """Return a reference to a symbol by its id."""
        self.used_symbols.add(symbol)
        return f'<use href="#{self.prefix}{symbol}"{" " * bool(attributes)}{attributes}/>'

    def colour_class(self, player: int | None) -> str:
        """Return the class of a player's colour."""
        return f"c-{'none' if player is None else self.colours[player]}"

    def piece_classes(self, piece: Piece) -> str:
        """Return the classes of a piece."""
        return f"piece {piece.kind} {self.colour_class(piece.player)}"

    def is_flat(self, piece: Piece) -> bool:
        """Return whether other pieces can be drawn on top of a piece."""
        return piece.kind in self.symbols and "flat" in self.symbols[piece.kind].slots

    def piece_content(self, piece: Piece) -> str:
        """Return a piece centred on the origin."""
        turned = f"{piece.kind}-turned"
        name = turned if piece.turned and turned in self.symbols else piece.kind
        parts = [self.use(name)]
        slots = self.symbols[name].slots if name in self.symbols else {}
        if piece.player is not None and "emblem" in slots and not piece.text:
            emblem = f"emblem-{self.colours[piece.player]}"
            if emblem in self.symbols:
                parts.append(self.use(emblem, f'class="emblem" {_slot(slots["emblem"])}'))
        if piece.sign and "sign" in slots:
            parts.append(self.use(piece.sign, _slot(slots["sign"])))
        if "pips" in slots and f"pips-{piece.count}" in self.symbols:
            parts.append(self.use(f"pips-{piece.count}", 'stroke="none"'))
        if piece.text and "text" in slots:
            x, y = slots["text"]
            place = f'x="{format_number(x)}" y="{format_number(y)}"'
            parts.append(f'<text class="engraved" {place}>{escape(piece.text)}</text>')
        return "".join(parts)

    def piece(
        self,
        piece: Piece,
        spot: str,
        at: Point,
        scale: float,
        attributes: str = "",
        animation: str = "",
    ) -> str:
        """Return a piece on a spot, optionally animated."""
        return (
            f'<g class="{self.piece_classes(piece)}" data-at="{escape(spot)}"{attributes} '
            f"{transform(at, scale)}>{animation}{self.piece_content(piece)}</g>"
        )


def _slot(place: tuple[float, ...]) -> str:
    x, y, scale = place
    return transform((x, y), scale)


def arrival(motion: Motion, at: Point, scale: float, begin: str) -> str:
    """Return the SMIL animation that brings a piece to where it is drawn."""
    end = motion.end
    key = f"{motion.begin / end:.3g}"
    times = f'dur="{end:.2f}s" begin="{begin}" keyTimes="0;{key};1"'
    if motion.kind == "turn":
        half = f"{(motion.begin / end + 1) / 2:.3g}"
        times = times.replace(f";{key};", f";{half};")
        return (
            '<animateTransform attributeName="transform" type="scale" additive="sum" '
            f'values="0 1;0 1;1 1" {times}/>'
        )
    path = _path(motion, at, scale)
    if motion.begin == 0:
        easing = 'keyTimes="0;1" keyPoints="0;1" calcMode="spline" keySplines=".4 0 .3 1"'
        return f'<animateMotion path="{path}" dur="{end:.2f}s" begin="{begin}" {easing}/>'
    return f'<animateMotion path="{path}" {times} keyPoints="0;0;1" calcMode="linear"/>'


def departure(motion: Motion, at: Point, scale: float, begin: str) -> str:
    """Return the SMIL animation of a piece that is visible only while it leaves."""
    end = motion.end
    visible = f'<set attributeName="visibility" to="visible" begin="{begin}" dur="{end:.2f}s"/>'
    if motion.kind == "turn":
        half = f"{(motion.begin / end + 1) / 2:.3g}"
        return (
            f'{visible}<animateTransform attributeName="transform" type="scale" additive="sum" '
            f'values="1 1;0 1;0 1" keyTimes="0;{half};1" dur="{end:.2f}s" begin="{begin}"/>'
        )
    return visible + arrival(motion, at, scale, begin)


def _path(motion: Motion, at: Point, scale: float) -> str:
    """Return a motion's path data in the coordinates of the drawn piece."""
    points = [((x - at[0]) / scale, (y - at[1]) / scale) for x, y in motion.points]
    commands = [f"M{format_number(points[0][0])} {format_number(points[0][1])}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        right, up = motion.arc_offset((x, y), (to_x, to_y))
        end = f"{format_number(to_x)} {format_number(to_y)}"
        if right or up:
            control = (x + to_x) / 2 + right, (y + to_y) / 2 - up
            commands.append(f"Q{format_number(control[0])} {format_number(control[1])} {end}")
        else:
            commands.append(f"L{end}")
    return "".join(commands)
