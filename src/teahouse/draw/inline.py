"""What lies beside a board, piece by piece, for a page that lays it out by itself."""

from functools import lru_cache

from teahouse.core.scene import Piece, Scene
from teahouse.draw import shapes
from teahouse.draw.pieces import Pen


def pieces(scene: Scene) -> list[Piece]:
    """The pieces of hands and choices."""
    hands = [hand.piece for hand in scene.hands]
    return hands + [piece for choice in scene.choices for piece in choice.pieces]


@lru_cache(maxsize=1024)
def small(game: str, colours: tuple[str, ...], piece: Piece) -> str:
    """A piece alone; its shapes are those of the board's picture on the same page."""
    pen = Pen(shapes.shapes(game), colours, "")
    return (
        '<svg class="board small" viewBox="-56 -56 112 112" aria-hidden="true">'
        f'<g class="{pen.classes(piece)}">{pen.inside(piece)}</g></svg>'
    )
