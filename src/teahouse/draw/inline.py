"""Pieces of the tray one by one, for a page that lays out hands and choices itself."""

from functools import lru_cache
from html import escape

from teahouse.core.scene import Piece, Scene
from teahouse.draw.pieces import SvgWriter
from teahouse.draw.symbols import definitions, symbols


def tray_pieces(scene: Scene) -> list[Piece]:
    """Return the pieces of hands and choices."""
    hands = [hand.piece for hand in scene.hands]
    return hands + [piece for choice in scene.choices for piece in choice.pieces]


def piece_picture(
    game: str, colours: tuple[str, ...], piece: Piece, label: str, prefix: str
) -> str:
    """Return one piece as SVG with the symbols that it uses, for a page without a board."""
    writer = SvgWriter(symbols(game), colours, prefix)
    content = f'<g class="{writer.piece_classes(piece)}">{writer.piece_content(piece)}</g>'
    defs = definitions(game, frozenset(writer.used_symbols), prefix)
    return (
        f'<svg class="board small" viewBox="-56 -56 112 112" role="img" '
        f'aria-label="{escape(label)}"><defs>{defs}</defs>{content}</svg>'
    )


@lru_cache(maxsize=1024)
def piece_symbols(game: str, colours: tuple[str, ...], piece: Piece) -> frozenset[str]:
    """Return the symbols that a piece uses."""
    writer = SvgWriter(symbols(game), colours, "")
    writer.piece_content(piece)
    return frozenset(writer.used_symbols)


@lru_cache(maxsize=1024)
def piece_svg(game: str, colours: tuple[str, ...], piece: Piece) -> str:
    """Return one piece as SVG; it uses the symbols of the board on the same page."""
    writer = SvgWriter(symbols(game), colours, "")
    return (
        '<svg class="board small" viewBox="-56 -56 112 112" aria-hidden="true">'
        f'<g class="{writer.piece_classes(piece)}">{writer.piece_content(piece)}</g></svg>'
    )
