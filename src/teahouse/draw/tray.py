"""The tray below the board: seats with their hands, and choices."""

from collections.abc import Iterable, Mapping
from html import escape

from teahouse.core.position import Position
from teahouse.core.scene import Choice, Hand, Piece
from teahouse.draw.layout import LETTER_WIDTH, NAME_SIZE, Point, SceneLayout
from teahouse.draw.pieces import SvgWriter, format_number, transform


def tray_markup(
    position: Position,
    writer: SvgWriter,
    layout: SceneLayout,
    classes: Mapping[str, list[str]],
) -> Iterable[str]:
    """Yield names, hands and choices."""
    for at, team in layout.team_labels:
        yield from _names(position, writer, at, team, layout.board.text_scale)
    for hand in position.scene.hands:
        yield _hand(hand, writer, layout)
    for choice in position.scene.choices:
        yield _choice(choice, writer, layout, classes.get(choice.name, []))


def _names(
    position: Position, writer: SvgWriter, at: Point, team: tuple[int, ...], scale: float
) -> Iterable[str]:
    """Yield a team's names, with a marker before the player to move or the winner."""
    x, y = at
    for player in team:
        name = position.game.players[player]
        marked = player in position.winners if position.over else player == position.player
        classes = "seat-name turn" if marked else "seat-name"
        if marked:
            marker = "winner" if position.over else "turn"
            placement = transform((x + 12 * scale, y), scale)
            yield writer.use(marker, f'class="turn-dot" {placement}')
        place = f'x="{format_number(x + 32 * scale)}" y="{format_number(y + 11 * scale)}"'
        size = f'font-size="{format_number(NAME_SIZE * scale)}"'
        yield f'<text class="{classes}" {place} {size}>{escape(name)}</text>'
        x += (len(name) * LETTER_WIDTH + 56) * scale


def _hand(hand: Hand, writer: SvgWriter, layout: SceneLayout) -> str:
    """Return a stack of up to three pieces with its count."""
    one = Piece(hand.piece.kind, hand.piece.player, turned=hand.piece.turned)
    height = min(hand.piece.count, 3) if writer.is_flat(one) else 1
    stack = "".join(
        f"<g {transform((0, 5 - 8 * level))}>{writer.piece_content(one)}</g>"
        for level in range(max(1, height))
    )
    crossed = '<path class="crossed" d="M-30 30 30-30"/>' if hand.captured else ""
    away = " away" if hand.captured or not hand.piece.count else ""
    placement = transform(layout.anchors[hand.name], layout.board.text_scale)
    return (
        f'<g class="hand{away}" data-hand="{escape(hand.name)}" data-player="{hand.player}" '
        f'role="img" aria-label="{escape(hand.label)}" {placement}>'
        f'<g {transform((0, 0), 0.56)} class="{writer.piece_classes(one)}">{stack}{crossed}</g>'
        f'<text class="count" x="37" y="11" font-size="31">{hand.piece.count}</text></g>'
    )


def _choice(choice: Choice, writer: SvgWriter, layout: SceneLayout, classes: list[str]) -> str:
    """Return a button with its pieces and label."""
    scale = layout.board.text_scale
    width = layout.choice_widths[choice.name] / scale
    state = [name for name in classes if name != "last"]
    place = transform((40 - width / 2, 0), 0.56)
    pieces = "".join(
        f'<g {place} class="{writer.piece_classes(piece)}">{writer.piece_content(piece)}</g>'
        for piece in choice.pieces
    )
    text_place = f'x="{format_number(28 if choice.pieces else 0)}" y="11"'
    return (
        f'<g class="{" ".join(["choice", *state])}" data-spot="{escape(choice.name)}" '
        f'aria-label="{escape(choice.label)}" {transform(layout.anchors[choice.name], scale)}>'
        f'<rect class="plate" x="{format_number(-width / 2)}" y="-34" '
        f'width="{format_number(width)}" height="68" rx="34"/>{pieces}'
        f'<text class="words" {text_place} font-size="31">{escape(choice.label)}</text></g>'
    )
