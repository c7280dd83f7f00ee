"""Checks of a game's files for the analysis board, puzzles, openings and reports."""

from __future__ import annotations

import random
from collections import Counter

from teahouse.conformance.checks import STUDIED, CheckError, UsesDefault, check, require
from teahouse.conformance.samples import sample
from teahouse.core.editor import edited, editor
from teahouse.core.editor import palette as tools_of
from teahouse.core.errors import PositionError
from teahouse.core.game import Game
from teahouse.core.packages import game_text
from teahouse.lab.events import event_names
from teahouse.lab.events import events as events_of
from teahouse.search import openings as tables
from teahouse.search.puzzles import puzzle as files
from teahouse.search.puzzles.attempt import solution
from teahouse.search.puzzles.themes import theme_labels
from teahouse.search.suite import NO_LOSS, WIN

CLICKS = 60
"""Random uses of the tools of a palette."""


@check(STUDIED)
def palette(game: Game) -> None:
    """Every change by `setup.py` leads to a legal position, or a sentence says why not."""
    if editor(game.name) is None:
        raise UsesDefault("There is no setup.py: positions are set up by moves and by texts.")
    rng = random.Random(game.name)
    position = game.start(1)
    names, changed = [tool.name for tool in tools_of(position)], 0
    name_of_two, times = Counter(names).most_common(1)[0]
    require(times == 1, f"Two tools of the palette have the name {name_of_two!r}.")
    for _ in range(CLICKS):
        tool = rng.choice(tools_of(position))
        spots = tuple(rng.choice(position.scene.spots).name for _ in range(tool.clicks))
        where = f"{tool.label!r} on {', '.join(spots) or 'the board'} at {position}"
        try:
            position = edited(position, tool.name, spots)
        except PositionError as error:
            reason = str(error)
            sentence = not reason[:1].islower() and reason.endswith(".")
            require(sentence, f"{where}: the reason is no sentence: {reason!r}.")
            continue
        changed += 1
        require(game.position(str(position)) == position, f"{where}: its text has another meaning.")
        require(position.over or position.legal, f"{where}: there is no legal move.")
    require(changed, f"None of {CLICKS} uses of the palette changed the position.")


@check(STUDIED, every_variant=False)
def puzzles(game: Game) -> None:
    """`puzzles.jsonl` has positions, moves and themes that exist; `make puzzles` proves them."""
    if game_text(game.name, files.FILE) is None:
        raise UsesDefault(f"There is no {files.FILE}: the game has no puzzles.")
    try:
        found = files.puzzles(game.name)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckError(f"{files.FILE} cannot be read: {error!r}.") from None
    labels = theme_labels(game.name)
    for one in found:
        where = f"{files.FILE}, line {one.number}"
        require(one.goal in (WIN, NO_LOSS), f"{where}: unknown goal {one.goal!r}.")
        require(one.line, f"{where}: there is no right move.")
        unknown = ", ".join(theme for theme in one.themes if theme not in labels)
        require(not unknown, f"{where}: unknown themes: {unknown}.")
        try:
            solution(one)
            legal = one.position.legal
        except ValueError as error:
            raise CheckError(f"{where}: {error}") from None
        known = len(one.replies) in (0, len(legal))
        require(known, f"{where}: {len(one.replies)} replies to {len(legal)} legal moves.")


@check(STUDIED, every_variant=False)
def openings(game: Game) -> None:
    """`openings.txt` has moves from the start of each of its boards."""
    text = game_text(game.name, tables.FILE)
    if text is None:
        raise UsesDefault(f"There is no {tables.FILE}: the game has no opening table.")
    try:
        found = tables.parse_tables(game.name, text)
    except ValueError as error:
        raise CheckError(f"{tables.FILE} cannot be read: {error}") from None
    for variant, table in found.items():
        start = variant.start()
        moves = tables.listed_moves(start, table.positions.get(tables.opening_key(start), {}))
        require(moves, f"{tables.FILE} has no move from the start of {variant.options}.")


@check(STUDIED)
def events(game: Game) -> None:
    """Reports count every event of a move: `lab.py` or `themes.py` declares it."""
    declared = set(event_names(game))
    for position, move in sample(game, seed=13, size=30):
        found = set(events_of(position, move)) if move else set()
        unknown = ", ".join(sorted(found - declared))
        require(not unknown, f"The move {move} has the unknown event {unknown}: {position}.")
