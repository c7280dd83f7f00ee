"""Animations of records: SVG movies, frames and raster images."""

import re

import pytest
from support.pictures import SVG, parsed, record_of

import teahouse as th
from teahouse.draw.movie import frames, movie
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


def test_all_frames_have_the_same_view_box() -> None:
    record = record_of("toot", 8)
    stills = list(frames(record, RenderStyle(), rate=24))
    pictures = [svg for still in stills for svg in (still.background, still.in_flight) if svg]
    assert len({re.findall(r'viewBox="([^"]+)', svg)[0] for svg in pictures}) == 1
    assert len({still.background for still in stills}) < len(stills)
    assert len(stills) > len(record.positions)
    assert all(still.seconds > 0 for still in stills)
    for svg in pictures:
        parsed(svg)


def test_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    from io import BytesIO

    from PIL import Image

    from teahouse.draw.raster import animated_image, png

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
    import sys

    from teahouse.draw.raster import png

    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(th.OptionError, match=r"teahouse\[pictures\]"):
        png(th.load("orochi").start().svg())
