"""What lies beside a board: seats with their hands, and choices."""

from collections.abc import Iterable, Mapping
from html import escape

from teahouse.core.position import Position
from teahouse.core.scene import Choice, Hand, Piece
from teahouse.draw.layout import LETTER, NAME, Layout
from teahouse.draw.pieces import Pen, moved, number


def tray(
    position: Position, pen: Pen, layout: Layout, pointed: Mapping[str, list[str]]
) -> Iterable[str]:
    """The markup of everything beside the board."""
    for _, team in layout.seats:
        yield from _names(position, pen, layout, team)
    for hand in position.scene.hands:
        yield _hand(hand, pen, layout)
    for choice in position.scene.choices:
        yield _choice(choice, pen, layout, pointed.get(choice.name, []))


def _names(position: Position, pen: Pen, layout: Layout, team: tuple[int, ...]) -> Iterable[str]:
    """The names of a team; a mark stands before the one who decides, or has won."""
    scale = layout.board.scale
    (x, y) = next(at for at, players in layout.seats if players == team)
    for player in team:
        name = position.game.players[player]
        turn = player in position.winners if position.over else player == position.player
        classes = "seat-name turn" if turn else "seat-name"
        sign = "winner" if position.over else "turn"
        if turn:
            yield pen.use(sign, f'class="turn-dot" {moved((x + 12 * scale, y), scale)}')
        place = f'x="{number(x + 32 * scale)}" y="{number(y + 11 * scale)}"'
        size = f'font-size="{number(NAME * scale)}"'
        yield f'<text class="{classes}" {place} {size}>{escape(name)}</text>'
        x += (len(name) * LETTER + 56) * scale


def _hand(hand: Hand, pen: Pen, layout: Layout) -> str:
    scale = layout.board.scale
    one = Piece(hand.piece.kind, hand.piece.player, turned=hand.piece.turned)
    height = min(hand.piece.count, 3) if pen.is_flat(one) else 1
    stack = "".join(
        f"<g {moved((0, 5 - 8 * level))}>{pen.inside(one)}</g>" for level in range(max(1, height))
    )
    small = moved((0, 0), 0.56)
    crossed = '<path class="crossed" d="M-30 30 30-30"/>' if hand.away else ""
    away = " away" if hand.away or not hand.piece.count else ""
    return (
        f'<g class="hand{away}" data-hand="{escape(hand.name)}" data-player="{hand.player}" '
        f'role="img" aria-label="{escape(hand.label)}" {moved(layout.at[hand.name], scale)}>'
        f'<g {small} class="{pen.classes(one)}">{stack}{crossed}</g>'
        f'<text class="count" x="37" y="11" font-size="31">{hand.piece.count}</text></g>'
    )


def _choice(choice: Choice, pen: Pen, layout: Layout, classes: list[str]) -> str:
    scale = layout.board.scale
    width = layout.widths[choice.name] / scale
    shown = [name for name in classes if name != "last"]
    place = moved((40 - width / 2, 0), 0.56)
    inside = "".join(
        f'<g {place} class="{pen.classes(piece)}">{pen.inside(piece)}</g>'
        for piece in choice.pieces
    )
    place = f'x="{number(28 if choice.pieces else 0)}" y="11"'
    return (
        f'<g class="{" ".join(["choice", *shown])}" data-spot="{escape(choice.name)}" '
        f'aria-label="{escape(choice.label)}" {moved(layout.at[choice.name], scale)}>'
        f'<rect class="plate" x="{number(-width / 2)}" y="-34" width="{number(width)}" '
        f'height="68" rx="34"/>{inside}'
        f'<text class="words" {place} font-size="31">{escape(choice.label)}</text></g>'
    )
