"""Pictures of positions: well-formed, complete and legible for every game."""

import re
import textwrap
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pictures import SVG, by, classes, parsed, record_of
from support.variants import every_variant, ids

import teahouse as th
from teahouse.conformance.samples import random_game, sample
from teahouse.core.game import Game
from teahouse.draw import themes
from teahouse.draw.animation import motions
from teahouse.draw.layout import bounding_box, layout_scene
from teahouse.draw.movie import movie
from teahouse.draw.page import page_text
from teahouse.draw.preview import preview_svg
from teahouse.draw.spots import spot_cache
from teahouse.draw.style import RenderStyle
from teahouse.draw.symbols import symbols
from teahouse.draw.text import wrapped


@every_variant
def test_pictures_are_well_formed(game: Game) -> None:
    before: tuple[th.Position, str] | None = None
    for position, move in sample(game, seed=3, size=6):
        alone = position.svg(size=500)
        parsed(alone)
        assert "var(" not in alone
        for style in (
            {"theme": "dark", "colours": "colour-blind"},
            {"theme": "auto", "turned": True},
        ):
            parsed(position.svg(coordinates=False, tray=False, **style))
        if move:
            before = (position, move)
            drawn = position.play(move).svg(last=before, animate=True, theme="dark")
            parsed(drawn)
            assert ("<animate" in drawn) == bool(position.animations(move))
        assert len(position.svg(page=True)) < 60_000 or game.options.get("side", 0) > 6
    assert before is not None


@pytest.mark.parametrize("name", th.games())
def test_previews_show_what_a_move_changes(name: str) -> None:
    crossed = 0
    for position, move in random_game(th.load(name), seed=3):
        if not move:
            continue
        root = parsed(preview_svg(position, move))  # with all symbols that it uses
        before = {spot.name: spot for spot in position.scene.spots}
        after = {spot.name: spot for spot in position.play(move).scene.spots}
        arrived = {
            spot.name
            for spot in after.values()
            if set(spot.pieces) - set(before[spot.name].pieces if spot.name in before else ())
        }
        drawn = {one.attrib["data-at"] for one in root.iter() if "data-at" in one.attrib}
        assert drawn == arrived
        captured = [one for one in position.animations(move) if one.path[-1] not in before]
        crosses = sum(one.attrib.get("class") == "leaves" for one in root.iter())
        assert crosses <= len(captured)
        crossed += crosses
        assert all(one.attrib.get("class") != "spot" for one in root.iter())
    leaves = any(hand.captured for hand in th.load(name).start().scene.hands)
    assert crossed or not leaves


@every_variant
def test_pages_get_every_spot_and_no_style(game: Game) -> None:
    """A page's Content-Security-Policy may forbid every inline style and script."""
    for position, move in sample(game, seed=4, size=4):
        after = position.play(move) if move else position
        last = (position, move) if move else None
        svg = after.svg(page=True, prefix="b7-", last=last, animate=True)
        root = parsed(svg)
        assert not re.search(r"<style|style=|<script|\son\w+=|javascript:", svg)
        assert all(name.startswith("b7-") for name in re.findall(r'\sid="([^"]+)', svg))
        scene = after.scene
        spots = by(root, "data-spot")
        choices = {choice.name for choice in scene.choices}
        assert set(spots) == {spot.name for spot in scene.spots} | choices
        for spot in scene.spots:
            assert spots[spot.name].attrib["aria-label"] == spot.label
            assert spots[spot.name].attrib.get("data-within", "") == spot.within
        assert set(by(root, "data-hand")) == {hand.name for hand in scene.hands}
        standing = [element for element in root.iter() if "data-at" in element.attrib]
        shown = [element for element in standing if element.get("visibility") != "hidden"]
        assert len(shown) == sum(len(spot.pieces) for spot in scene.spots)


@every_variant
def test_pictures_do_not_depend_on_those_drawn_before(game: Game) -> None:
    """Rendered spots are memoised; the arguments alone determine a picture."""
    styles: list[dict[str, Any]] = [
        {"page": True},
        {"targets": True},
        {"turned": True, "prefix": "t-"},
        {"theme": "dark", "animate": True},
    ]
    for position, move in sample(game, seed=9, size=3):
        after = position.play(move) if move else position
        last = (position, move) if move else None
        memoised = [after.svg(last=last, **style) for style in styles]
        for style, svg in reversed(list(zip(styles, memoised, strict=True))):
            spot_cache.cache_clear()
            assert after.svg(last=last, **style) == svg


@every_variant
def test_rows_of_a_page_make_its_picture(game: Game) -> None:
    """Pages get boards made of memoised rows; `svg` draws the same board anew."""
    for position, move in sample(game, seed=11, size=12):
        for last in (None, (position, move)) if move else (None,):
            after = position.play(move) if last else position
            drawn = after.svg(page=True, tray=False, last=last)
            assert str(page_text(after, last)) == drawn


@given(st.text("ab- \té", max_size=60), st.integers(1, 25))
def test_texts_are_wrapped_as_by_textwrap(text: str, width: int) -> None:
    assert wrapped(text, width) == tuple(textwrap.wrap(text, width, break_on_hyphens=False))


@every_variant
def test_every_piece_has_a_symbol(game: Game) -> None:
    known = symbols(game.name)
    for position, _ in random_game(game, seed=5):
        scene = position.scene
        pieces = [piece for spot in scene.spots for piece in spot.pieces]
        pieces += [hand.piece for hand in scene.hands]
        for piece in pieces:
            assert piece.kind in known
            assert not piece.sign or piece.sign in known
        assert {f"--{colour}" for colour in scene.colours} <= set(
            re.findall(r"--[\w-]+", themes.scoped_rules(".board"))
        )


@every_variant
def test_everything_lies_within_the_picture(game: Game) -> None:
    for position, _ in sample(game, seed=6, size=5):
        for turned in (False, True):
            board = bounding_box([position.scene], turned, coordinates=True, tray=True)
            layout = layout_scene(position, board, turned, tray=True)
            for spot in position.scene.spots:
                x, y = layout.anchors[spot.name]
                radius = 100 * spot.size
                assert board.left <= x - radius and x + radius <= board.right
                assert board.top <= y - radius and y + radius <= board.bottom
            hands = [hand.name for hand in position.scene.hands]
            for name in [*hands, *(choice.name for choice in position.scene.choices)]:
                x, y = layout.anchors[name]
                half = layout.choice_widths.get(name, 60) / 2
                assert layout.view_box.left <= x - half and x + half <= layout.view_box.right
                assert board.bottom <= y <= layout.view_box.bottom


# Smallest touch target on the narrowest phone, in pixels of 320 (WCAG 2.2: 24), with exceptions for
# seats, the largest boards and layouts as wide as the table.
NARROW, TOUCH_TARGET = 320, 24
MIN_TARGET = {"oolong": 21, "toot": 14, "orochi-side=8": 18}


@every_variant
def test_spots_are_large_enough_for_fingers(game: Game) -> None:
    least = MIN_TARGET.get(ids(game), MIN_TARGET.get(game.name, TOUCH_TARGET))
    for position, _ in sample(game, seed=7, size=5):
        board = bounding_box([position.scene], False, coordinates=True, tray=False)
        smallest = min(
            2 * 100 * spot.size * NARROW / board.width
            for spot in position.scene.spots
            if spot.kind != "card"  # to be read, not clicked
        )
        assert smallest >= least


def test_selected_spots_and_targets() -> None:
    position = th.load("fillit").start()
    spots = by(parsed(position.svg(page=True)), "data-spot")
    assert not any(classes(spot) & {"target", "selected"} for spot in spots.values())
    spots = by(parsed(position.svg(page=True, targets=True)), "data-spot")
    assert {name for name, spot in spots.items() if "target" in classes(spot)} == {
        *("e1", "b3", "d3", "f3", "h3")
    }
    spots = by(parsed(position.svg(page=True, selected=["e1"], hint="Pe1-i1")), "data-spot")
    targets = {name for name, spot in spots.items() if "target" in classes(spot)}
    assert targets == {move[4:] for move in position.legal if move.startswith("Pe1")}
    assert classes(spots["e1"]) >= {"selected", "hint"}
    assert "hint" in classes(spots["i1"])
    after = position.play("Pe1-i1")
    root = parsed(after.svg(page=True, last=(position, "Pe1-i1")))
    spots = by(root, "data-spot")
    assert {name for name, spot in spots.items() if "last" in classes(spot)} == {"e1", "i1"}
    assert any(element.get("class") == "trail" for element in root.iter())


def test_choices_that_no_move_uses_are_idle() -> None:
    position = th.load("oolong").start(1)
    decline = by(parsed(position.svg(page=True)), "data-spot")["decline"]
    assert "idle" in classes(decline)
    white = by(parsed(th.load("orochi").start().svg(page=True)), "data-spot")["white"]
    assert "idle" not in classes(white)


def test_slides_replacements_and_jumps_can_be_followed() -> None:
    position = th.load("fillit").start()
    going = motions(
        position.animations("Pe1-i1"),
        layout_scene(
            position, bounding_box([position.scene], False, True, True), False, True
        ).anchors,
    )
    pawn, *chips = going
    assert (pawn.origin, pawn.target, len(pawn.points)) == ("e1", "i1", 5)
    assert [chip.target for chip in chips] == ["f1", "g1", "h1", "i1"]
    assert all(one.begin < other.begin for one, other in pairwise(chips))
    assert pawn.at(0) == pawn.points[0]
    assert pawn.at(pawn.end) == pawn.points[-1]
    halfway = pawn.at((pawn.begin + pawn.end) / 2)
    assert halfway == pytest.approx(pawn.points[2])
    svg = position.play("Pe1-i1").svg(last=(position, "Pe1-i1"), animate=True)
    assert svg.count("<animateMotion") == 5
    for name, text, move, moving in (
        ("orochi", "4/5/2ww2/2www2/6/5/4 w 5", "xd4", {"animateTransform": 2}),
        (
            "toot",
            "i16:1b2/1B2/rR2/1bbB/1BbR/2Rr/2r1 b +j16 2,2 0,0 - 1 0 21",
            "j15^j13",
            {"animateMotion": 2},  # the jumper, and the captured piece
        ),
    ):
        position = th.load(name).position(text)
        svg = position.play(move).svg(last=(position, move), animate=True)
        assert all(svg.count(f"<{element}") == count for element, count in moving.items())
    assert "Q" in re.search(r'<animateMotion path="([^"]+)', svg)[1]  # type: ignore[index]


def test_bad_arguments_are_refused() -> None:
    position = th.load("orochi", side=2).start()
    with pytest.raises(th.OptionError, match="theme must be one of light, dark, auto, got 'pink'"):
        position.svg(theme="pink")
    with pytest.raises(th.OptionError, match="colours must be one of classic, colour-blind"):
        position.svg(colours="grey")
    with pytest.raises(th.OptionError, match="Invalid prefix"):
        position.svg(prefix='"><script>')
    with pytest.raises(th.OptionError, match="Unknown spot 'z9'"):
        position.svg(selected=["z9"])
    with pytest.raises(th.IllegalMove):
        position.svg(hint="wz9")
    with pytest.raises(th.OptionError, match="Invalid prefix '1-' of a movie"):
        movie(record_of("orochi", 1), style=RenderStyle(prefix="1-"))
    with pytest.raises(th.OptionError, match="pause must be from 0 to 60"):
        movie(record_of("orochi", 1), pause=61)


def test_a_complete_click_path_may_be_selected() -> None:
    position = th.load("fillit").start()
    path = position.click_path("Pe1-i1")
    spots = by(parsed(position.svg(page=True, selected=path)), "data-spot")
    assert {name for name, spot in spots.items() if "selected" in classes(spot)} == set(path)
    assert not any("target" in classes(spot) for spot in spots.values())


def test_notebooks_show_positions() -> None:
    position = th.load("toot").start()
    one, other = position._repr_svg_(), position.play("+k13")._repr_svg_()
    parsed(one)
    ids = [set(re.findall(r'\sid="([^"]+)', svg)) for svg in (one, other)]
    assert not ids[0] & ids[1]


def test_a_game_draws_itself_from_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has its own symbols, and text that must be escaped."""
    with pytest.raises(th.OptionError, match="Unknown game"):
        th.load("maze")  # which must not be cached
    folders = [
        *import_module("teahouse.games").__path__,
        str(Path(__file__).parent / "support" / "invented"),
    ]
    monkeypatch.setattr(import_module("teahouse.games"), "__path__", folders)
    position = th.load("maze").start()
    move = position.legal[0]
    svg = position.play(move).svg(last=(position, move), page=True, targets=True, animate=True)
    root = parsed(svg)
    assert {"lantern", "flame"} <= set(re.findall(r'\sid="([^"]+)', svg))
    assert position.click_path(move)[0] in by(root, "data-spot")
    (text,) = (element for element in root.iter(f"{SVG}text") if element.get("class") == "engraved")
    assert text.text == "<L>"
    assert position.describe(move).startswith(position.game.players[position.player])
