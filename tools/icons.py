"""Draw favicon.ico from icon.svg: python tools/icons.py"""

import io
from pathlib import Path

from PIL import Image

from teahouse.draw.raster import png

STATIC = Path(__file__).parents[1] / "src" / "teahouse" / "server" / "static"
SIZES = [(16, 16), (32, 32), (48, 48)]


def main() -> None:
    """Write the icon in all sizes."""
    drawn = png((STATIC / "icon.svg").read_text(encoding="utf-8"), 256)
    Image.open(io.BytesIO(drawn)).save(STATIC / "favicon.ico", sizes=SIZES)


if __name__ == "__main__":
    main()
