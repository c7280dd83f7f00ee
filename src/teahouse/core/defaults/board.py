"""Functions that a game's `board.py` may leave out: all but `scene`."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from teahouse.core.scene import Animation, Board, Choice, Scene, Tense, in_tense

if TYPE_CHECKING:
    from teahouse.core.position import Position


FUNCTIONS = ("scene", "click_paths", "describe", "animations", "explain", "refuse")


def complete_board(module: ModuleType) -> Board:
    """Return a game's board, with defaults for the functions that its module does not define."""
    if all(hasattr(module, name) for name in FUNCTIONS):
        return cast("Board", module)
    return BoardWithDefaults(module)


class BoardWithDefaults:
    """A board whose module leaves functions out."""

    def __init__(self, module: ModuleType) -> None:
        self._own: dict[str, Any] = vars(module)

    def scene(self, position: Position) -> Scene:
        """Return the game's scene, with a choice for each move that cannot be clicked otherwise."""
        scene: Scene = self._own["scene"](position)
        if "click_paths" in self._own:
            return scene
        named = {spot.name for spot in scene.spots} | {choice.name for choice in scene.choices}
        buttons = tuple(
            Choice(move, self.describe(position, move, "imperative"))
            for move in position.legal
            if move not in named
        )
        return replace(scene, choices=(*scene.choices, *buttons)) if buttons else scene

    def click_paths(self, position: Position, move: str) -> tuple[tuple[str, ...], ...]:
        """Return one click: on the spot or the choice that is named like the move."""
        own = self._own.get("click_paths")
        return own(position, move) if own else ((move,),)

    def describe(self, position: Position, move: str, tense: Tense) -> str:
        """Return a sentence with the move's text."""
        if own := self._own.get("describe"):
            return own(position, move, tense)
        player = position.game.players[position.player]
        return in_tense(f"play/played {move}", player, tense)

    def animations(self, position: Position, move: str) -> tuple[Animation, ...]:
        """Return no movements."""
        own = self._own.get("animations")
        return own(position, move) if own else ()

    def explain(self, position: Position, name: str) -> str:
        """Return the label of a spot, hand or choice as a sentence."""
        own = self._own.get("explain")
        return own(position, name) if own else f"{position.scene.item_labels[name]}."

    def refuse(self, position: Position, clicked: tuple[str, ...], name: str) -> str:
        """Return a sentence with the prompt."""
        if own := self._own.get("refuse"):
            return own(position, clicked, name)
        label = position.scene.item_labels[name]
        return f"{label}: not possible now. {position.scene.prompt}"
