"""Rules pages: sections, boards and pictures as HTML and as text."""

from __future__ import annotations

import re

import pytest
from support.html import Outline

import teahouse as th
from teahouse.core.errors import OptionError
from teahouse.core.rules_page import (
    BLOCK,
    FOLDED,
    PICTURE,
    boards,
    in_short,
    parse_board,
    parse_piece,
    prose,
)
from teahouse.core.scene import Piece
from teahouse.draw.rules_text import rules_text
from teahouse.server.web.rules_page import render_rules, rules_html

GAME = th.games()[0]
RULE = re.compile(r"\*\*([A-Z]\d+)\*\*")


@pytest.mark.parametrize("name", th.games())
def test_the_page_of_a_game(name: str) -> None:
    page, html = th.load(name).rules_page, rules_html(name)
    outline = Outline(html)
    short = in_short(page)
    assert short is not None
    assert len(prose(short).split()) < 120
    assert outline.count("section", **{"class": "in-short"}) == 1
    assert html.index("in-short") < html.index("<h2>")
    found = [board.kind for board in boards(page)]
    for kind in ("example", "diagram"):
        assert outline.count("figure", **{"class": kind}) == found.count(kind)
    assert outline.count("details") == page.count(f"### {FOLDED}\n")
    for rule in RULE.findall(page):
        assert f"<strong>{rule}</strong>" in html
    assert "<h1>" not in html
    assert not {"style", "onclick"} & {key for _, found in outline.elements for key in found}
    ids = [found["id"] for _, found in outline.elements if "id" in found]
    assert len(ids) == len(set(ids))
    labelled = [found for tag, found in outline.elements if tag == "svg" and "role" in found]
    assert len(labelled) == len(found) + len(PICTURE.findall(page))
    assert all(one["aria-label"] for one in labelled)


def test_house_rulings_are_folded_up_to_the_next_heading() -> None:
    page = "## A\none\n### House rulings\ntwo\n## B\nthree\n### House rulings\nfour\n"
    assert Outline(render_rules(GAME, page)).folded.split() == [
        *("House", "rulings", "two"),
        *("House", "rulings", "four"),
    ]


def test_pages_of_external_games_are_safe() -> None:
    page = """# G

<script>alert(1)</script> ![<b>](javascript:alert) ![picture](piece:card?nonsense=1)

```diagram
no position <b>
```
"""
    html = render_rules(GAME, page)
    assert Outline(html).count("script") == Outline(html).count("b") == 0
    assert "<pre><code>no position &lt;b&gt;" in html
    assert "picture" in html and "<svg" not in html


def test_boards_and_pictures_are_parsed() -> None:
    board = parse_board("example side=3", "start\nwb2 ba1\nwa2\n: Three\n: stones.\n")
    assert (board.kind, board.options, board.start) == ("example", {"side": "3"}, None)
    assert board.moves == ("wb2", "ba1", "wa2")
    assert board.caption == "Three stones."
    assert parse_piece("piece:card?player=1&sign=swap&count=4") == Piece("card", 1, "swap", count=4)
    for bad in ("piece:", "piece:card?colour=red", "piece:card?player=Red"):
        with pytest.raises(OptionError, match="Invalid picture"):
            parse_piece(bad)
    with pytest.raises(OptionError, match="Expected example or diagram"):
        parse_board("example", "\n")


@pytest.mark.parametrize("name", th.games())
def test_rules_for_a_terminal_draw_boards_in_characters(name: str) -> None:
    text = rules_text(th.load(name))
    assert not BLOCK.search(text)
    assert not PICTURE.search(text)
    for board in boards(th.load(name).rules_page):
        first = board.positions(name)[-1].text().splitlines()[0]
        assert f"\n{first}\n" in text
