"""Line Up: the first line of four stones wins."""

from teahouse.core.game import GameInfo
from teahouse.core.options import IntOption

INFO = GameInfo(
    title="Line Up",
    summary="Place stones in turn; the first line of four, in any direction, wins.",
    options={"side": IntOption(4, 9, default=5, help="Cells along each edge of the board")},
    players=lambda options: ("Black", "White"),
)
