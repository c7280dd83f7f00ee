"""A game's rules as HTML: raw HTML is escaped, and examples are drawn."""

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
from teahouse.server.explore import explore, requested_record

_ID_REFERENCE = re.compile(r' id="| href="#|url\(#')
"""Where ids occur in SVG; each example gets its own prefix."""


@cache
def rules_html(name: str) -> str:
    """Return the rules of a game as safe HTML."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule(
        "fence", lambda _, tokens, index, options, env: _fence(name, tokens[index], index)
    )
    return markdown.render(load(name).rules_page)


def _fence(name: str, token: Token, index: int) -> str:
    """Return an `example` block as a figure, any other block as code."""
    info, _, option_text = token.info.strip().partition(" ")
    if info != "example":
        return f"<pre><code>{html.escape(token.content)}</code></pre>\n"
    start, *moves = token.content.strip().split("\n")
    options: dict[str, Any] = dict(parse_options(option_text.split()))
    request = {
        "game": name,
        "options": options,
        "start": None if start.strip() == "start" else start.strip(),
        "moves": " ".join(moves).split(),
    }
    explored = explore(requested_record(ms.ExploreIn.model_validate(request)), None)
    data = html.escape(json.dumps(request))
    svg = _ID_REFERENCE.sub(rf"\g<0>at-{index}-", explored["snapshot"]["svg"])
    return f'<figure class="example" data-explore="{data}">{svg}</figure>\n'
