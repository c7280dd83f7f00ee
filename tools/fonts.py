"""Make the fonts of pages and pictures from their npm packages: python tools/fonts.py

Pages get WOFF2 and a stylesheet with fallbacks of the same metrics, so that nothing moves when a
font arrives; pictures (resvg) get static TrueType instances. Needs npm.
"""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

PACKAGE = Path(__file__).parents[1] / "src" / "teahouse"
PAGES, PICTURES = PACKAGE / "server" / "static" / "fonts", PACKAGE / "draw" / "fonts"
STYLESHEET = PACKAGE / "server" / "static" / "fonts.css"
UNICODES = "U+0020-007E,U+00A0-00FF,U+0131,U+0152-0153,U+02C6,U+02DA,U+02DC,U+2010-2015,U+2018-201E"
UNICODES += ",U+2020-2022,U+2026,U+2030,U+2032-2033,U+2039-203A,U+20AC,U+2122,U+2191,U+2193,U+2212"
FEATURES = ["ccmp", "locl", "kern", "mark", "mkmk", "liga", "tnum", "pnum", "rvrn"]
LETTERS = {
    " ": 180, "e": 102, "t": 75, "a": 65, "o": 62, "n": 57, "i": 57, "s": 53, "r": 50, "h": 50,
    "l": 33, "d": 33, "u": 23, "c": 22, "m": 20, "f": 20, "w": 17, "g": 16, "p": 15, "y": 14,
    "b": 13, "v": 8, "k": 6,
}  # fmt: skip
"""Frequencies of letters in English, per thousand: they weight the width of a font."""


@dataclass(frozen=True)
class Face:
    """A font of the pages, and the system font that stands in until it has loaded."""

    family: str
    package: str
    file: str
    weights: tuple[int, ...]
    """The weights of pictures; pages get the range from the first to the last."""
    fallbacks: tuple[tuple[str, float], ...]
    """System fonts of most machines that stand in, each with its weighted width in em."""


FACES = (
    Face(
        family="Figtree",
        package="@fontsource-variable/figtree@5.3.0",
        file="figtree-latin-wght-normal.woff2",
        weights=(400, 700),
        fallbacks=(("Arial", 0.4399), ("Liberation Sans", 0.4399), ("DejaVu Sans", 0.5051)),
    ),
    Face(
        family="Fraunces",
        package="@fontsource/fraunces@5.3.0",
        file="fraunces-latin-600-normal.woff2",
        weights=(600,),
        fallbacks=(("Georgia", 0.4443), ("Gelasio", 0.4443), ("DejaVu Serif Bold", 0.5642)),
    ),
)


def download(face: Face, folder: Path) -> tuple[Path, str]:
    """Return a font's file and its licence."""
    command = ["npm", "pack", "--silent", face.package]
    name = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    with tarfile.open(folder / name.strip()) as archive:
        archive.extractall(folder / face.family, filter="data")
    found = folder / face.family / "package"
    return found / "files" / face.file, (found / "LICENSE").read_text(encoding="utf-8")


def reduced(path: Path) -> TTFont:
    """Return a font with the characters of western European languages only."""
    options = subset.Options(layout_features=FEATURES, hinting=False)
    font = subset.load_font(str(path), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=subset.parse_unicodes(UNICODES.replace("U+", "")))
    subsetter.subset(font)
    return font


def width(font: TTFont) -> float:
    """Return the mean width of English text in em."""
    names, advances = font.getBestCmap(), font["hmtx"]
    total = sum(advances[names[ord(one)]][0] * count for one, count in LETTERS.items())
    return float(total / sum(LETTERS.values()) / font["head"].unitsPerEm)


def rules(face: Face, font: TTFont) -> str:
    """Return the CSS of a face and of its fallbacks, which are scaled to the same width."""
    weights = " ".join(map(str, dict.fromkeys((face.weights[0], face.weights[-1]))))
    css = f"""\
@font-face {{
  font-family: "{face.family}";
  src: url("/static/fonts/{face.family.lower()}.woff2") format("woff2");
  font-weight: {weights};
  font-display: swap;
  unicode-range: {UNICODES.replace(",", ", ")};
}}
"""
    by_width: dict[float, list[str]] = {}
    for name, em in face.fallbacks:
        by_width.setdefault(em, []).append(name)
    for number, (em, names) in enumerate(by_width.items(), 1):
        scale = width(font) / em
        size, header = font["head"].unitsPerEm * scale, font["hhea"]
        css += f"""\
@font-face {{
  font-family: "{face.family} fallback {number}";
  src: {", ".join(f'local("{name}")' for name in names)};
  font-weight: {weights};
  size-adjust: {100 * scale:.1f}%;
  ascent-override: {100 * header.ascent / size:.1f}%;
  descent-override: {-100 * header.descent / size:.1f}%;
  line-gap-override: {100 * header.lineGap / size:.1f}%;
}}
"""
    return css


def static_name(font: TTFont, face: Face, weight: int) -> None:
    """Name an instance, so that a renderer finds it by family and weight."""
    style = "Bold" if weight >= 700 else "Regular"
    for name_id, text in ((1, face.family), (2, style), (16, face.family), (17, style)):
        font["name"].setName(text, name_id, 3, 1, 0x409)
    font["OS/2"].usWeightClass = weight


def main() -> None:
    """Write all fonts and the stylesheet."""
    for folder in (PAGES, PICTURES):
        folder.mkdir(exist_ok=True)
    css = "/* Written by tools/fonts.py. */\n"
    with tempfile.TemporaryDirectory() as temporary:
        for face in FACES:
            path, licence = download(face, Path(temporary))
            font = reduced(path)
            variable = "fvar" in font
            if variable:
                limits = {"wght": (face.weights[0], face.weights[-1])}
                font = instancer.instantiateVariableFont(font, limits)
            css += rules(face, font)
            font.flavor = "woff2"
            font.save(PAGES / f"{face.family.lower()}.woff2")
            for folder in (PAGES, PICTURES):
                (folder / f"{face.family.lower()}-OFL.txt").write_text(licence, encoding="utf-8")
            for weight in face.weights:
                static = reduced(path)
                if variable:
                    static = instancer.instantiateVariableFont(static, {"wght": weight})
                static_name(static, face, weight)
                static.flavor = None
                static.save(PICTURES / f"{face.family.lower()}-{weight}.ttf")
    STYLESHEET.write_text(css, encoding="utf-8")


if __name__ == "__main__":
    main()
