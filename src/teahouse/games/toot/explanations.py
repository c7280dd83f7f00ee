"""Explanations of Toot's cells, tiles, pieces, hands and choices; scores."""

from typing import Any

from teahouse.core.position import Position
from teahouse.core.scene import Score
from teahouse.games.toot import notation
from teahouse.games.toot.interaction import count

CHOICES = {
    "stop": "End your turn without another jump.",
    "sacrifice": (
        "Once a game a standing piece of yours may begin its second life: it goes, lying, to an"
        " empty tile of yours that you move elsewhere."
    ),
    "pass": "You pass only if you have no other move. Two passes in a row end the game.",
}
HANDS = {
    "tiles": "{seat} has {number} left to place, one at the beginning of each turn.",
    "pieces": "{seat} has {number} in hand. Each enters on a tile that was just placed.",
    "captured": (
        "{seat} has {number} set aside, captured once. A piece can return from here, lying down,"
        " when {seat} has no tile in hand."
    ),
    "lost": "{seat} has lost {number} for good, captured on the second life.",
}


def explain(position: Position, name: str) -> str:
    """Return what a cell, tile, piece, hand or choice is and does."""
    if name in CHOICES:
        return CHOICES[name]
    state = position.state_view
    seat, mine, hand = name.partition("'s ")
    if mine:
        player = position.game.players.index(seat)
        lost = position.game.options["pieces"] - state.remaining[player]
        number = {
            "tiles": count(state.tiles_in_hand[player], "tile"),
            "pieces": count(state.pieces_in_hand[player], "piece"),
            "captured": count(state.captured[player], "piece"),
            "lost": count(lost, "piece"),
        }[hand]
        return HANDS[hand].format(seat=seat, number=number)
    glyph = notation.cell_glyphs(state).get(name)
    if glyph is None:
        return "A free cell: it touches a tile, so a tile can be placed or moved here."
    return _tile(state, name, glyph)


def _tile(state: Any, name: str, glyph: str) -> str:
    """Return what a tile and the piece on it are (T2, T5, T6, T15)."""
    player = notation.LETTERS.index(glyph[0].lower())
    own, other = notation.SEATS[player].lower(), notation.SEATS[1 - player].lower()
    if glyph.islower():
        if name == notation.NAMES.get(state.active):
            return f"The {own} tile that was just placed: a {own} piece can enter on it."
        return f"An empty {own} tile: {own} pieces can stand here, {other} ones can jump over it."
    if glyph.endswith("="):
        return f"A {own} piece on its second life: captured again, it is lost for good."
    return (
        f"A {own} piece. It steps to an adjacent {own} tile, or jumps straight across {other} tiles"
        " and captures the pieces on them."
    )


def scores(position: Position) -> tuple[Score, ...]:
    """Return the pieces each player has left (T16)."""
    total = position.game.options["pieces"]
    return tuple(
        Score(
            player,
            str(left),
            f"{seat} has {left} of {total} pieces left, in hand, on the table or set aside."
            f" With only one, a player loses.{_captured_last(position, player)}",
        )
        for player, (seat, left) in enumerate(
            zip(position.game.players, position.state_view.remaining, strict=True)
        )
    )


def _captured_last(position: Position, player: int) -> str:
    """Return a sentence about the player who captured last (T18)."""
    if position.state_view.last_captor != 1 << player:
        return ""
    seat, limit = position.game.players[player], position.game.all_options["quiet_limit"]
    return f" {seat} captured last, which decides an equal count after {limit} quiet turns."


def deciding(position: Position) -> tuple[str, ...]:
    """Return the loser's last piece, or else the winner's pieces on the table."""
    if not position.winners:
        return ()
    (winner,) = position.winners
    state = position.state_view
    loser = 1 - winner
    if state.remaining[loser] <= 1 and (last := pieces_on_table(state, loser)):
        return last
    return pieces_on_table(state, winner)


def pieces_on_table(state: Any, player: int) -> tuple[str, ...]:
    """Return the cells of a player's pieces."""
    letter = notation.LETTERS[player].upper()
    glyphs = notation.cell_glyphs(state)
    return tuple(name for name, glyph in glyphs.items() if glyph.startswith(letter))
