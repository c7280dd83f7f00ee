"""A game's rules for a terminal: Markdown whose boards are drawn in plain characters."""

from __future__ import annotations

import re

from teahouse.core.game import Game
from teahouse.core.rules_page import BLOCK, PICTURE, parse_board
from teahouse.draw.text import board_lines


def rules_text(game: Game) -> str:
    """Return the rules of a game as Markdown without pictures."""
    page = BLOCK.sub(lambda block: _board(game.name, block), game.rules_page)
    return PICTURE.sub(lambda picture: picture[1], page)


def _board(name: str, block: re.Match[str]) -> str:
    """Return a board in plain characters, with its moves and its caption."""
    board = parse_board(block["info"], block["body"])
    position = board.positions(name)[-1]
    played = f"After `{' '.join(board.moves)}`:\n\n" if board.moves else ""
    caption = f"\n\n*{board.caption}*" if board.caption else ""
    lines = "\n".join(board_lines(position.scene))
    return f"{played}```\n{lines}\n```{caption}"
