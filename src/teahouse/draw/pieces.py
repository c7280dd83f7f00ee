"""Pieces as markup: a shape in its colour, with what it carries, perhaps on its way."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape
from itertools import pairwise

from teahouse.core.scene import Piece
from teahouse.draw.animation import Motion
from teahouse.draw.layout import Point
from teahouse.draw.shapes import Shape


@lru_cache(maxsize=8192)  # boards put things at the same places over and over
def number(value: float) -> str:
    """A number with one digit behind the point at most, as short as it goes."""
    return f"{value:.1f}".removesuffix(".0").replace("-0.", "-.").removeprefix("0") or "0"


@lru_cache(maxsize=8192)
def moved(at: Point, scale: float = 1.0) -> str:
    """The attribute that puts something at a point."""
    scaled = "" if abs(scale - 1) < 1e-3 else f" scale({scale:.3g})"
    return f'transform="translate({number(at[0])} {number(at[1])}){scaled}"'


class Pen:
    """Writes markup for one picture: knows its shapes and colours, and which were used."""

    def __init__(self, shapes: dict[str, Shape], colours: tuple[str, ...], prefix: str) -> None:
        self.shapes = shapes
        self.colours = colours
        self.prefix = prefix
        self.used: set[str] = set()

    def use(self, shape: str, attributes: str = "") -> str:
        """A shape by its id."""
        self.used.add(shape)
        return f'<use href="#{self.prefix}{shape}"{" " * bool(attributes)}{attributes}/>'

    def colour(self, player: int | None) -> str:
        """The class of a player's colour."""
        return f"c-{'none' if player is None else self.colours[player]}"

    def classes(self, piece: Piece) -> str:
        """The classes of a piece."""
        return f"piece {piece.kind} {self.colour(piece.player)}"

    def is_flat(self, piece: Piece) -> bool:
        """Whether others can stand on a piece."""
        return piece.kind in self.shapes and "flat" in self.shapes[piece.kind].carries

    def inside(self, piece: Piece) -> str:
        """A piece where the middle of its spot is the origin."""
        turned = f"{piece.kind}-turned"
        name = turned if piece.turned and turned in self.shapes else piece.kind
        parts = [self.use(name)]
        carries = self.shapes[name].carries if name in self.shapes else {}
        if piece.player is not None and "emblem" in carries and not piece.text:
            emblem = f"emblem-{self.colours[piece.player]}"
            if emblem in self.shapes:
                parts.append(self.use(emblem, f'class="emblem" {_carried(carries["emblem"])}'))
        if piece.sign and "sign" in carries:
            parts.append(self.use(piece.sign, _carried(carries["sign"])))
        if "pips" in carries and f"pips-{piece.count}" in self.shapes:
            parts.append(self.use(f"pips-{piece.count}", 'stroke="none"'))
        if piece.text and "text" in carries:
            x, y = carries["text"]
            place = f'x="{number(x)}" y="{number(y)}"'
            parts.append(f'<text class="engraved" {place}>{escape(piece.text)}</text>')
        return "".join(parts)

    def piece(
        self, piece: Piece, name: str, at: Point, scale: float, extra: Iterable[str] = ()
    ) -> str:
        """A piece on a spot; `extra` is what sets it in motion."""
        origin = "".join(text for text in extra if text.startswith(" "))
        motion = "".join(text for text in extra if not text.startswith(" "))
        return (
            f'<g class="{self.classes(piece)}" data-at="{escape(name)}"{origin} '
            f"{moved(at, scale)}>{motion}{self.inside(piece)}</g>"
        )


def _carried(place: tuple[float, ...]) -> str:
    x, y, scale = place
    return moved((x, y), scale)


def moving(motion: Motion, at: Point, scale: float, clock: str) -> str:
    """What takes a piece along its way to where it is drawn, beginning by the clock."""
    end = motion.end
    key = f"{motion.begin / end:.3g}"
    times = f'dur="{end:.2f}s" begin="{clock}" keyTimes="0;{key};1"'
    if motion.way == "turn":
        half = f"{(motion.begin / end + 1) / 2:.3g}"
        times = times.replace(f";{key};", f";{half};")
        return (
            '<animateTransform attributeName="transform" type="scale" additive="sum" '
            f'values="0 1;0 1;1 1" {times}/>'
        )
    path = _path(motion, at, scale)
    if motion.begin == 0:
        eased = 'keyTimes="0;1" keyPoints="0;1" calcMode="spline" keySplines=".4 0 .3 1"'
        return f'<animateMotion path="{path}" dur="{end:.2f}s" begin="{clock}" {eased}/>'
    return f'<animateMotion path="{path}" {times} keyPoints="0;0;1" calcMode="linear"/>'


def leaving(motion: Motion, at: Point, scale: float, clock: str) -> str:
    """What takes a piece that is no longer there on its way, seen only while it goes."""
    end = motion.end
    seen = f'<set attributeName="visibility" to="visible" begin="{clock}" dur="{end:.2f}s"/>'
    if motion.way == "turn":
        half = f"{(motion.begin / end + 1) / 2:.3g}"
        return (
            f'{seen}<animateTransform attributeName="transform" type="scale" additive="sum" '
            f'values="1 1;0 1;0 1" keyTimes="0;{half};1" dur="{end:.2f}s" begin="{clock}"/>'
        )
    return seen + moving(motion, at, scale, clock)


def _path(motion: Motion, at: Point, scale: float) -> str:
    """A motion's way, seen from where the piece is drawn."""
    points = [((x - at[0]) / scale, (y - at[1]) / scale) for x, y in motion.points]
    words = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        aside, rise = motion.bend((x, y), (to_x, to_y))
        end = f"{number(to_x)} {number(to_y)}"
        if aside or rise:
            middle = (x + to_x) / 2 + aside, (y + to_y) / 2 - rise
            words.append(f"Q{number(middle[0])} {number(middle[1])} {end}")
        else:
            words.append(f"L{end}")
    return "".join(words)
