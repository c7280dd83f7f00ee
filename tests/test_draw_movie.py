"""Animations of records: SVG movies, frames and raster images."""

import re
import sys
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from support.pictures import SVG, parsed, record_of

import teahouse as th
from teahouse.draw.movie import film, movie
from teahouse.draw.raster import animated_image, movie_images, png
from teahouse.draw.style import RenderStyle


@pytest.mark.parametrize("name", th.games())
def test_a_record_becomes_a_movie(name: str) -> None:
    record = record_of(name, 12)
    svg = movie(record, style=RenderStyle(prefix="f"))
    root = parsed(svg)
    assert svg.count('id="ffilm"') == 1
    ends = [
        float(begin) + float(duration)
        for begin, duration in re.findall(r'ffilm\.begin\+([\d.]+)s" dur="([\d.]+)s"', svg)
    ]
    total = float(root.find(f".//{SVG}animate[@id='ffilm']").attrib["dur"][:-1])  # type: ignore[union-attr]
    assert max(ends) <= total + 0.011
    assert len(svg) < 13 * len(record.position.svg())
    assert parsed(movie(record_of(name, 0))) is not None


def test_a_film_shows_every_position() -> None:
    record = record_of("toot", 8)
    moves = film(record, RenderStyle(), rate=24)
    stills = [frame for frame in moves.frames if not frame.moving]
    assert [frame.ply for frame in stills if frame.seconds >= 0.7] == [*range(9)]
    assert len(moves.frames) > len(stills)
    assert len({frame.resting for frame in moves.frames}) < len(moves.frames)
    assert all(frame.seconds > 0 for frame in moves.frames)
    parsed(moves.svg(moves.frames[-1].resting))


@pytest.mark.parametrize("name", th.games())
def test_sprites_look_like_whole_pictures(name: str) -> None:
    """Edges are sampled four times a pixel, so that single pixels may differ by a quarter."""
    style = RenderStyle("dark", tray=name != th.games()[0])  # pieces leave by the picture's edge
    moves = film(record_of(name, 4), style, rate=6)
    images = list(movie_images(moves, 160))
    chosen = [*range(0, len(images), 5), len(images) - 1]
    for number in chosen:
        frame = moves.frames[number]
        whole = png(moves.svg((*frame.resting, *frame.moving)), 160)
        expected = np.asarray(Image.open(BytesIO(whole)).convert("RGB"), dtype=int)
        different = np.abs(expected - np.asarray(images[number]))
        assert different.mean() < 0.1
        assert (different > 16).mean() < 0.002
        assert different.max() < 80


def test_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    position = th.load("orochi", side=3).start().play("wc3").play("bb2")
    image = Image.open(BytesIO(png(position.svg(), 200)))
    assert image.width == 200
    assert len(image.convert("RGB").getcolors(1 << 16) or []) > 50
    record = record_of("orochi", 2)
    for kind in ("webp", "gif", "png"):
        drawn = Image.open(BytesIO(animated_image(record, kind, width=64)))
        assert (drawn.width, drawn.n_frames > 2) == (64, True)  # type: ignore[attr-defined]
    monkeypatch.setattr("teahouse.draw.raster.MAX_PIXELS", 4 * 64 * 64 * 2)
    with Image.open(BytesIO(animated_image(record, "gif", width=64))) as drawn:
        assert drawn.n_frames <= 8  # type: ignore[attr-defined]
    monkeypatch.setattr("teahouse.draw.raster.MAX_PIXELS", 64 * 64)
    with pytest.raises(th.OptionError, match="3 positions are too many"):
        animated_image(record, "gif", width=64)
    with pytest.raises(th.OptionError, match="formats: gif, png, webp"):
        animated_image(record, "avi")
    with pytest.raises(th.OptionError, match="16 to 4096 pixels"):
        png(position.svg(), 5)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(th.OptionError, match=r"teahouse\[pictures\]"):
        png(th.load("orochi").start().svg())


@pytest.mark.parametrize("name", th.games())
def test_a_record_to_step_through(name: str) -> None:
    """At each ply the same elements are shown as in a picture of that position."""
    record = record_of(name, 6)
    html = record._repr_html_()
    assert html == record.copy()._repr_html_()
    root = parsed(re.findall(r"<svg.*?</svg>", html, re.S)[0])
    for ply in range(len(record.positions)):
        shown = []
        for element in root:
            plies = element.attrib.get("data-plies", f"0-{ply}").split()
            if any(int(one) <= ply <= int(other) for one, other in (e.split("-") for e in plies)):
                shown += [*element] if "data-plies" in element.attrib else [element]
        names = [element.attrib.get("data-at") for element in shown]
        expected = parsed(record.svg(ply, prefix="x"))
        assert sorted(filter(None, names)) == sorted(
            element.attrib["data-at"] for element in expected.iter() if "data-at" in element.attrib
        )
    assert "display" not in record_of(name, 0)._repr_html_().split("<div")[1]


def test_the_last_caption_has_the_result() -> None:
    record = record_of(th.games()[0], 3)
    record.comments[3] = "Too early."
    assert "Too early</div>" in record._repr_html_()
    first = record.game.players[0]
    record.end(first)
    assert f"Too early. {first} wins</div>" in record._repr_html_()
