"""Themes of a puzzle, computed from its solution.

A game adds its own kinds of moves with `themes.py` in its folder:

    THEMES = {"flip": "Flip a stone"}   # names and labels

    def themes(position: Position, move: str) -> Iterable[str]: …

Without it, the pieces that the answer moves are the kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from teahouse.core.packages import optional_module
from teahouse.core.position import Position
from teahouse.search.puzzles.rating import own_moves
from teahouse.search.suite import WIN

EASY = "easy"
LABELS = {
    "win": "Find the win",
    "save": "Save the game",
    "one-move": "One move",
    "two-moves": "Two moves",
    "long": "Three moves or more",
    "last-move": "Ends the game",
    "final": "Final moves",
    "endgame": "Endgame",
    "middlegame": "Middlegame",
    "sacrifice": "Sacrifice",
    "quiet": "Quiet move",
    "surprising": "Surprising move",
    EASY: "Easy",
}
FINAL_PLIES, ENDGAME_PLIES = 6, 16  # plies before the end of the source game
CHANGE = 0.02  # in static evaluation: a smaller change is quiet, a larger drop a sacrifice
SURPRISING_SHARE = 0.7  # share of wrong moves that the static evaluation prefers


def theme_labels(game: str) -> dict[str, str]:
    """Return the label of every theme of a game's puzzles."""
    own = optional_module(game, "themes")
    return LABELS | (dict(own.THEMES) if own else {})


def theme_label(game: str, theme: str) -> str:
    """Return the label of a theme; a piece without one has its name."""
    return theme_labels(game).get(theme, theme.replace("-", " ").capitalize())


def find_themes(
    start: Position, goal: str, line: Sequence[str], plies_left: int
) -> tuple[str, ...]:
    """Return the themes of a puzzle whose game lasted `plies_left` more plies."""
    return tuple(dict.fromkeys(_themes(start, goal, line, plies_left)))


def _themes(start: Position, goal: str, line: Sequence[str], plies_left: int) -> Iterator[str]:
    answers = [(at, move) for at, move in own_moves(start, line) if len(at.legal) > 1]
    yield "win" if goal == WIN else "save"
    yield {1: "one-move", 2: "two-moves"}.get(len(answers), "long")
    position, move = answers[-1]
    if position.play(move).over:
        yield "last-move"
    if plies_left <= FINAL_PLIES:
        yield "final"
    else:
        yield "endgame" if plies_left <= ENDGAME_PLIES else "middlegame"
    yield from _evaluation_themes(start, line[0])
    for position, move in answers:
        yield from move_kinds(position, move)


def _evaluation_themes(position: Position, answer: str) -> Iterator[str]:
    """Yield the themes that depend on the static evaluation of the first answer."""
    player = position.player
    children = {move: position.play(move) for move in position.legal}
    if any(child.over for child in children.values()):
        return
    values = {move: _evaluate(child, player) for move, child in children.items()}
    if len(set(values.values())) == 1:
        return  # the game has no evaluation, or it does not tell these moves apart
    change = values[answer] - _evaluate(position, player)
    if change <= -CHANGE:
        yield "sacrifice"
    elif change < CHANGE:
        yield "quiet"
    preferred = sum(value > values[answer] for value in values.values())
    if preferred >= SURPRISING_SHARE * (len(values) - 1):
        yield "surprising"


def _evaluate(position: Position, player: int) -> float:
    game = position.game
    return float(game.rules.evaluate(game.board, position.unpack(), player))


def move_kinds(position: Position, move: str) -> Iterator[str]:
    """Yield the game's own kinds of a move, or the pieces that it moves."""
    own = optional_module(position.game.name, "themes")
    if own:
        yield from own.themes(position, move)
    else:
        yield from (animation.piece.kind for animation in position.animations(move))
