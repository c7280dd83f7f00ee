"""The maze seen from above, with a lantern of its own shape in the room one is in."""

from teahouse.core.position import Position
from teahouse.core.scene import Animation, Piece, Scene, Spot, Tense, in_tense

from . import rules

ACROSS = 8


def scene(position: Position) -> Scene:
    here = position.unpack().room
    spots = tuple(
        Spot(
            f"room {room} <&>",
            2 * (room % ACROSS),
            room // ACROSS,
            "L" if room == here else ".",
            room % ACROSS,
            room // ACROSS,
            0.45,
            label=f'room {room}, "dark" & <cold>',
            pieces=(_lantern(position),) if room == here else (),
        )
        for room in range(rules.ROOMS)
    )
    colours = ("red", "blue", "yellow", "green")[: len(position.game.players)]
    return Scene(
        spots,
        "The walk is over." if position.over else "Walk on.",
        colours=colours,
        notation_hint="" if position.over else "Type the number of a door.",
        reason="there is no door" if position.over else "",
    )


def _lantern(position: Position) -> Piece:
    return Piece("lantern", position.player, sign="flame", text="<L>")


def click_paths(position: Position, move: str) -> tuple[tuple[str, ...], ...]:
    return ((_room(position, move),),)


def describe(position: Position, move: str, tense: Tense) -> str:
    text = f"go/went to {_room(position, move)}"
    return in_tense(text, position.game.players[position.player], tense)


def animations(position: Position, move: str) -> tuple[Animation, ...]:
    here = f"room {position.unpack().room} <&>"
    return (Animation(_lantern(position), (here, _room(position, move))),)


def _room(position: Position, move: str) -> str:
    return f"room {position.game.board.doors[position.unpack().room][int(move)]} <&>"
