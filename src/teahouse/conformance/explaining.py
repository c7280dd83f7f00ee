"""Checks of the texts of `board.py`: explanations, refusals, scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from teahouse.conformance.checks import check, require
from teahouse.conformance.samples import sample
from teahouse.core.game import Game
from teahouse.core.position import Position

MAX_LENGTH = 260
"""Characters of an explanation: one or two sentences."""
MAX_SCORE = 7
"""Characters of a score, which is shown in large type."""


def _require_sentence(text: str, what: str, position: Position) -> None:
    correct = text[:1].strip() and text.endswith((".", "?")) and len(text) <= MAX_LENGTH
    require(correct, f"{what} is not one or two sentences: {text!r}: {position}.")


@check()
def explanations(game: Game) -> None:
    """Every spot, hand and choice is explained in one or two sentences."""
    for position, _ in sample(game, seed=6):
        for name in position.scene.item_labels:
            _require_sentence(position.explain(name), f"The explanation of {name}", position)


@check()
def refusals(game: Game) -> None:
    """Every click that is not possible is refused with a reason, every other one is accepted."""
    for position, _ in sample(game, seed=7):
        for clicked in _beginnings(position):
            accepted = position.targets(clicked) | position.targets()
            for name in position.scene.item_labels:
                why = position.refuse(name, clicked)
                if name in accepted and not position.over:
                    require(not why, f"{name} after {clicked} is refused: {position}.")
                elif why:
                    _require_sentence(why, f"The refusal of {name} after {clicked}", position)
                else:
                    within = {spot.name: spot.within for spot in position.scene.spots}
                    inside = not position.over and within.get(name) in accepted
                    require(inside, f"{name} after {clicked} is not refused: {position}.")


def _beginnings(position: Position) -> Iterator[tuple[str, ...]]:
    """Yield no clicks, and the beginnings of the first and the last move's click path."""
    yield ()
    for move in {*position.legal[:1], *position.legal[-1:]}:
        path = position.click_path(move)
        for depth in range(1, len(path)):
            yield path[:depth]


@check()
def scores(game: Game) -> None:
    """Scores are short, explained, and the same within a team; deciding spots exist at the end."""
    for position, _ in sample(game, seed=6):
        scene = position.scene
        players = [score.player for score in scene.scores]
        once = max(Counter(players).values(), default=1) == 1
        require(once and set(players) <= set(range(len(game.players))), "A score has no player.")
        for score in scene.scores:
            require(0 < len(score.value) <= MAX_SCORE, f"The score {score.value!r} is too long.")
            _require_sentence(score.label, "The label of a score", position)
            hands = {"", *(hand.name for hand in scene.hands)}
            require(score.hand in hands, f"A score counts the unknown hand {score.hand!r}.")
        values = {score.player: score.value for score in scene.scores}
        for team in game.teams:
            require(len({values.get(one) for one in team}) == 1, "Partners' scores differ.")
        require(position.over or not scene.deciding, f"The game is not decided: {position}.")
        unknown = set(scene.deciding) - {spot.name for spot in scene.spots}
        require(not unknown, f"Unknown deciding spots {sorted(unknown)[:1]}: {position}.")


@check(every_variant=False)
def previews(game: Game) -> None:
    """What a move would do can be drawn."""
    from xml.etree import ElementTree  # markup that this package has written

    from teahouse.draw.preview import preview_svg

    for position, _ in sample(game, seed=6):
        for move in {*position.legal[:1], *position.legal[-1:]}:
            ElementTree.fromstring(preview_svg(position, move))  # noqa: S314  # nosec B314
