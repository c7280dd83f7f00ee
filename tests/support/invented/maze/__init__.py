"""An invented game for tests of the search: a walk through a random maze that leads only onward."""

from teahouse.core.game import GameInfo
from teahouse.core.options import ChoiceOption, IntOption

TEAMS = {
    "two": ((0,), (1,)),
    "three": ((0,), (1,), (2,)),
    "teams": ((0, 2), (1, 3)),
}

INFO = GameInfo(
    title="Maze",
    summary="Walk to a room where you win.",
    options={
        "table": ChoiceOption(tuple(TEAMS), default="two", help="who plays"),
        "seed": IntOption(0, 1 << 30, default=0, help="which maze"),
    },
    players=lambda options: ("Ann", "Bob", "Cid", "Dee")[: sum(map(len, TEAMS[options["table"]]))],
    teams=lambda options: TEAMS[options["table"]],
)
