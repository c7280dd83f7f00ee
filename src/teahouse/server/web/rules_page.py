"""A game's rules as HTML: raw HTML is escaped, boards and pieces are drawn, rulings are folded."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from teahouse.core.catalog import load
from teahouse.core.errors import IllegalMove, OptionError, PositionError
from teahouse.core.rules_page import (
    DIAGRAM,
    EXAMPLE,
    FOLDED,
    IN_SHORT,
    PIECE_SCHEME,
    RulesBoard,
    parse_board,
    parse_piece,
)
from teahouse.draw.inline import piece_picture

_ID_REFERENCE = re.compile(r' id="| href="#|url\(#')
"""Where ids occur in SVG; each board gets its own prefix."""


@cache
def rules_html(name: str) -> str:
    """Return the rules of a game as safe HTML, without the title."""
    return render_rules(name, load(name).rules_page)


def render_rules(name: str, page: str) -> str:
    """Return Markdown as safe HTML, with boards and pieces of a game."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule(
        "fence", lambda _, tokens, index, options, env: _fence(name, tokens, index)
    )
    markdown.add_render_rule(
        "image", lambda _, tokens, index, options, env: _image(name, tokens[index], env)
    )
    tokens = _grouped(_without_title(markdown.parse(page)))
    return str(markdown.renderer.render(list(tokens), markdown.options, {"pictures": 0}))


def _without_title(tokens: Sequence[Token]) -> Sequence[Token]:
    return tokens[3:] if tokens and tokens[0].tag == "h1" else tokens


def _grouped(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens with the short version in a section, and folded sections in `<details>`."""
    open_tags: list[tuple[str, str]] = []
    """The heading and the element of each group that is open, from the outside in."""
    skip = 0
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            while open_tags and token.tag <= open_tags[-1][0]:
                yield _html(f"</{open_tags.pop()[1]}>")
            title = tokens[index + 1].content
            if title == FOLDED:
                yield _html(f"<details><summary>{html.escape(title)}</summary>")
                open_tags.append((token.tag, "details"))
                skip = 3  # the heading is the summary
            elif title == IN_SHORT:
                yield _html('<section class="in-short">')
                open_tags.append((token.tag, "section"))
        if skip:
            skip -= 1
        else:
            yield token
    for _, element in reversed(open_tags):
        yield _html(f"</{element}>")


def _html(text: str) -> Token:
    return Token("html_block", "", 0, content=f"{text}\n")


def _fence(name: str, tokens: Sequence[Token], index: int) -> str:
    """Return a board as a figure, any other block as code; diagrams in a row have one parent."""
    token = tokens[index]
    kind = _board_kind(token)
    before, after = (
        0 <= near < len(tokens) and kind == DIAGRAM == _board_kind(tokens[near])
        for near in (index - 1, index + 1)
    )
    try:
        figure = _figure(name, parse_board(token.info, token.content), index) if kind else None
    except (OptionError, PositionError, IllegalMove):  # of an external game
        figure = None
    content = figure or f"<pre><code>{html.escape(token.content)}</code></pre>\n"
    if kind != DIAGRAM:
        return content
    row, end = "" if before else '<div class="diagrams">', "" if after else "</div>"
    return f"{row}{content}{end}\n"


def _board_kind(token: Token) -> str:
    """Return example or diagram for the block of a board, else an empty text."""
    kind = token.info.partition(" ")[0] if token.type == "fence" else ""
    return kind if kind in (EXAMPLE, DIAGRAM) else ""


def _figure(name: str, board: RulesBoard, index: int) -> str:
    positions = board.positions(name)
    last = (positions[-2], board.moves[-1]) if board.moves else None
    svg = positions[-1].svg(page=True, tray=False, last=last)
    svg = _ID_REFERENCE.sub(rf"\g<0>at-{index}-", svg)
    caption = f"<figcaption>{html.escape(board.caption)}</figcaption>" if board.caption else ""
    if board.kind != EXAMPLE:
        return f'<figure class="diagram">{svg}{caption}</figure>'
    request = {
        "game": name,
        "options": board.options,
        "start": board.start,
        "moves": board.moves,
    }
    data = html.escape(json.dumps(request))
    return f'<figure class="example" data-explore="{data}">{svg}{caption}</figure>\n'


def _image(name: str, token: Token, env: dict[str, int]) -> str:
    """Return the picture of a piece, or the text of any other image."""
    address = str(token.attrs.get("src", ""))
    if not address.startswith(PIECE_SCHEME):
        return html.escape(token.content)
    env["pictures"] += 1
    prefix = f"piece-{env['pictures']}-"
    colours = load(name).start().scene.colours
    try:
        return piece_picture(name, colours, parse_piece(address), token.content, prefix)
    except (OptionError, IndexError):  # of an external game
        return html.escape(token.content)
