"""A game's rules page as HTML: no markup of its own passes, and examples are drawn."""

from __future__ import annotations

import html
import json
import re
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from teahouse.core.catalog import load
from teahouse.core.options import parse_options
from teahouse.server import messages as ms
from teahouse.server.explore import explored, record_of

_NAMES = re.compile(r' id="| href="#|url\(#')
"""Where shapes are named; every example's are its own."""


@cache
def rules_html(name: str) -> str:
    """The rules of a game as safe HTML."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule(
        "fence", lambda _, tokens, place, options, env: _fence(name, tokens[place], place)
    )
    return reader.render(load(name).rules_page)


def _fence(name: str, token: Token, place: int) -> str:
    word, _, given = token.info.strip().partition(" ")
    if word != "example":
        return f"<pre><code>{html.escape(token.content)}</code></pre>\n"
    start, *moves = token.content.strip().split("\n")
    options: dict[str, Any] = dict(parse_options(given.split()))
    wanted = {
        "game": name,
        "options": options,
        "start": None if start.strip() == "start" else start.strip(),
        "moves": " ".join(moves).split(),
    }
    shown = json.loads(explored(record_of(ms.Explore.model_validate(wanted)), None))
    data = html.escape(json.dumps(wanted))
    svg = _NAMES.sub(rf"\g<0>at-{place}-", shown["view"]["svg"])
    return f'<figure class="example" data-explore="{data}">{svg}</figure>\n'
