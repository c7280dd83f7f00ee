"""Checks of `board.py`: scenes, click paths, descriptions and animations."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence

from teahouse.conformance.checks import CheckError, check, require
from teahouse.conformance.samples import random_game, sample
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.scene import Piece

TEXT_WIDTH = 80
COLOURS = {"white", "black", "red", "blue", "yellow", "green"}


def _require_unique(texts: Sequence[str], what: str, position: Position) -> None:
    repeated = [text for text, count in Counter(texts).items() if count > 1]
    require(not repeated, f"Two {what} are {repeated[:1]}: {position}.")


@check()
def text_board(game: Game) -> None:
    """The text board is ASCII, at most 80 columns wide, and shows prompt and notation hint."""
    for position, _ in sample(game, seed=6):
        text = position.text()
        require(text.isascii(), f"The text board is not ASCII: {position}.")
        for line in text.splitlines():
            require(len(line) <= TEXT_WIDTH, f"A line has over {TEXT_WIDTH} columns: {position}.")
            require(line == line.rstrip(), f"A line ends with spaces: {position}.")
        shown = " ".join(text.split())
        require(position.status in shown, f"The text board does not show the prompt: {position}.")
        hint = position.scene.notation_hint
        require(hint in shown, f"The text board does not show the notation hint: {position}.")


@check()
def prompts(game: Game) -> None:
    """The prompt is a sentence, and a finished game has a result with a reason."""
    for position, _ in sample(game, seed=6):
        scene = position.scene
        require(scene.prompt.endswith((".", "?")), f"The prompt is no sentence: {position}.")
        require("(" not in scene.notation_hint, f"The notation hint has brackets: {position}.")
        require(bool(scene.reason) == position.over, f"The reason is wrong or missing: {position}.")
        named = position.over or game.players[position.player] in position.status
        require(named, f"The status does not name the player: {position}.")


@check()
def scenes(game: Game) -> None:
    """Names and labels are unique, and spots do not overlap."""
    for position, _ in sample(game, seed=6):
        scene = position.scene
        names = [part.name for part in scene.spots]
        names += [part.name for part in scene.choices]
        names += [part.name for part in scene.hands]
        _require_unique(names, "spots, choices or hands", position)
        _require_unique([spot.label for spot in scene.spots], "labels of spots", position)
        require(len(scene.colours) == len(game.players), "There is not one colour a player.")
        require(set(scene.colours) <= COLOURS, f"Colours are {', '.join(sorted(COLOURS))}.")
        for spot in scene.spots:
            require(spot.label and spot.size > 0, f"{spot.name} has no label or no size.")
            require(spot.within in {"", *names}, f"{spot.name} is within an unknown spot.")
        for one, other in itertools.combinations(scene.spots, 2):
            apart = math.hypot(one.x - other.x, one.y - other.y) > 0.99 * (one.size + other.size)
            if not apart and one.name != other.within:
                raise CheckError(f"{one.name} and {other.name} overlap: {position}.")


@check()
def click_paths(game: Game) -> None:
    """Each move has click paths over spots and choices; none is a prefix of another."""
    for position, _ in sample(game, seed=7):
        scene = position.scene
        names = {spot.name for spot in scene.spots} | {choice.name for choice in scene.choices}
        paths = [path for move in position.legal for path in position.click_paths(move)]
        unknown = {name for path in paths for name in path} - names
        require(not unknown, f"Click paths name {sorted(unknown)[:1]}: {position}.")
        require(len(set(paths)) == len(paths), f"Two moves have the same click path: {position}.")
        prefixes = {path[:end] for path in paths for end in range(len(path))}
        require(not prefixes & set(paths), f"A click path is a prefix of another: {position}.")
        for move in position.legal[:20]:
            simplest = position.click_path(move)
            require(simplest and simplest == position.click_paths(move)[0], f"{move}: no path.")


@check()
def descriptions(game: Game) -> None:
    """Every move is described differently, in the past tense and as an instruction."""
    for position, _ in sample(game, seed=7):
        past = [position.describe(move) for move in position.legal]
        imperative = [position.describe(move, "imperative") for move in position.legal]
        _require_unique(past, "descriptions", position)
        _require_unique(imperative, "instructions", position)
        ended = [text for text in (*past, *imperative) if text.endswith(".")]
        require(not ended, f"A description ends with a full stop: {ended[:1]}.")
        if not position.over:
            name = game.players[position.player]
            require(all(text.startswith(name) for text in past), f"No subject: {position}.")
            others = all(not text.startswith(f"{name} ") for text in imperative)
            require(others, f"An instruction has a subject: {position}.")


@check()
def animations(game: Game) -> None:
    """Animations move pieces from where they are to where they will be."""
    for position, move in random_game(game, seed=9):
        if not move:
            return
        before, after = _pieces(position), _pieces(position.play(move))
        for animation in position.animations(move):
            piece = (animation.piece.kind, animation.piece.player)
            first, last = animation.path[0], animation.path[-1]
            require(piece in before.get(first, ()), f"{move}: {piece} is not at {first}.")
            arrives = piece in after.get(last, ()) or animation.motion == "turn"
            require(arrives, f"{move}: {piece} does not arrive at {last}.")
            known = all(name in before or name in after for name in animation.path)
            require(known, f"{move}: the path {animation.path} leaves the scene.")


def _pieces(position: Position) -> dict[str, list[tuple[str, int | None]]]:
    """Return the kinds and owners of the pieces at each spot, hand and choice."""
    scene = position.scene
    holders: list[tuple[str, Iterable[Piece]]] = []
    holders += [(spot.name, spot.pieces) for spot in scene.spots]
    holders += [(hand.name, (hand.piece,)) for hand in scene.hands]
    holders += [(choice.name, choice.pieces) for choice in scene.choices]
    return {name: [(piece.kind, piece.player) for piece in pieces] for name, pieces in holders}


@check(every_variant=False)
def pictures(game: Game) -> None:
    """The start and the end of a game can be drawn as SVG."""
    from xml.etree import ElementTree  # markup that this package has written

    for position, _ in sample(game, seed=6, size=0):
        ElementTree.fromstring(position.svg())  # noqa: S314  # nosec B314
