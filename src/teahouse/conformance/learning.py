"""Checks of `planes.py` or its default: actions, observations, symmetries."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from teahouse.conformance.checks import STUDIED, Missing, check, require
from teahouse.core.encoding import draft_type, encoded_rules, mask_game, observation_spec
from teahouse.core.game import Game
from teahouse.core.jit import interpret
from teahouse.core.packages import optional_module
from teahouse.core.pyrecord import unpack
from teahouse.core.symmetries import Symmetries
from teahouse.rl.episode import Episode

MAX_ACTIONS = 400


def random_actions(game: Game, seed: int, max_actions: int = MAX_ACTIONS) -> list[Episode]:
    """Play random actions; return a copy of the game before each of them, and its last state."""
    rng = random.Random(seed)
    episode = Episode(game, seed)
    played: list[Episode] = []
    while not episode.over and len(played) < max_actions:
        played.append(episode.copy())
        episode.step(rng.choice(episode.legal_actions))
    return [*played, episode]


def _sample(played: list[Episode], count: int) -> list[Episode]:
    """Return a few random items, and the first and the last."""
    return [played[0], *random.Random(1).sample(played, min(count, len(played))), played[-1]]


@check(STUDIED, every_variant=False)
def planes(game: Game) -> None:
    """`planes.py` gives learners actions and planes made for the game."""
    if optional_module(game.name, "planes") is None:
        raise Missing("There is no planes.py: actions are move numbers, planes the state's fields.")


@check()
def actions(game: Game) -> None:
    """Every legal move is made by legal actions, and every legal action leads to a move."""
    own = encoded_rules(game)
    write_mask = interpret(mask_game, own)
    for episode in _sample(random_actions(game, 1), 12):
        state = episode.position.unpack()
        if episode.over:
            require(not episode.legal.any(), f"Actions are legal after the end: {episode.text}.")
            continue
        draft: Any = unpack(np.zeros(1, draft_type(episode.spec))[0])
        moves = [0] * game.layout.max_moves
        listed = moves[: game.rules.legal(game.board, state, moves)]
        found = []
        stack: list[tuple[int, ...]] = [()]
        while stack:
            chosen = stack.pop()
            legal = np.zeros(episode.spec.action_count, np.uint8)
            draft.part = len(chosen)
            draft.chosen[: len(chosen)] = chosen
            scratch = [0] * game.layout.max_moves
            count = write_mask(game.board, state, draft, scratch, legal)
            require(count == legal.sum() > 0, f"The count of actions is wrong: {episode.text}.")
            for action in map(int, np.flatnonzero(legal)):
                move = own.move(game.board, state, draft, action)
                if move < 0:
                    stack.append((*chosen, action))
                    continue
                for part, number in enumerate((*chosen, action)):
                    same = own.action(game.board, state, move, part) == number
                    require(same, f"Action {number} and move {move} differ: {episode.text}.")
                found.append(move)
        require(sorted(found) == sorted(listed), f"Actions miss or repeat moves: {episode.text}.")


@check()
def observations(game: Game) -> None:
    """Observations have the declared shape, and values within the declared range."""
    spec = observation_spec(game)
    require(
        len(set(spec.cell_coordinates)) == len(spec.cell_coordinates),
        "Two cells have the same place.",
    )
    require(all(1 <= plane.max_value <= 255 for plane in spec.planes), "A plane's range is wrong.")
    for episode in random_actions(game, 2):
        for viewer in range(len(game.players)):
            observation = episode.observation(viewer)
            shape = (len(spec.planes), *spec.shape)
            require(observation.shape == shape, f"The shape is {observation.shape}, not {shape}.")
            within = observation.min() >= 0.0 and observation.max() <= 1.0
            require(within and observation.dtype == np.float32, f"Out of range: {episode.text}.")


@check()
def symmetry_group(game: Game) -> None:
    """The symmetries are a group, the identity first."""
    tables = Symmetries.of(game)
    for table in (tables.plane_source, tables.action_source, tables.action_image):
        require((table[0] == np.arange(table.shape[1])).all(), "The identity is not the first.")
        rows = {row.tobytes() for row in table}
        distinct = len(rows) == len(table) == len(set(tables.names))
        require(distinct, "Two symmetries are equal, or have the same name.")
        for one in table:
            require((np.sort(one) == table[0]).all(), "A symmetry is not a permutation.")
            closed = all(one[other].tobytes() in rows for other in table)
            require(closed, "The symmetries are not closed under composition.")


@check()
def action_texts(game: Game) -> None:
    """The texts of legal actions are different prefixes of move texts."""
    for episode in _sample(random_actions(game, 3), 8):
        if episode.over:
            continue
        texts = [episode.action_text(action) for action in episode.legal_actions]
        require(len(set(texts)) == len(texts), f"Two actions have the same text: {episode.text}.")
        legal = episode.position.legal
        known = all(any(move.startswith(text) for move in legal) for text in texts)
        require(known, f"An action's text begins no move: {episode.text}.")


@check()
def symmetric_games(game: Game) -> None:
    """A symmetry of the start maps a game to its mirror image, action by action."""
    start = Episode(game)
    kept = [
        number
        for number in range(len(Symmetries.of(game).names))
        if (transformed(start, number) == start.observation()).all()
    ]
    require(kept[0] == 0, "The identity changes the start.")
    for number in kept:
        require_symmetric(Episode(game), Episode(game), number, seed=number, max_actions=60)


def transformed(episode: Episode, number: int) -> np.ndarray:
    """Return the observation of the player to move under a symmetry."""
    seen = episode.observation()
    flat = seen.reshape(len(seen), -1)[:, Symmetries.of(episode.game).plane_source[number]]
    return flat.reshape(seen.shape)


def require_symmetric(
    episode: Episode, mirrored: Episode, number: int, seed: int = 1, max_actions: int = MAX_ACTIONS
) -> None:
    """Play random actions in one game and their images in the other, and compare."""
    rng = random.Random(seed)
    tables = Symmetries.of(episode.game)
    for _ in range(max_actions):
        same = (transformed(episode, number) == mirrored.observation()).all()
        same = same and (episode.legal[tables.action_source[number]] == mirrored.legal).all()
        same = same and (episode.player, episode.over) == (mirrored.player, mirrored.over)
        require(same, f"Symmetry {tables.names[number]} breaks: {episode.text}.")
        if episode.over:
            break
        action = rng.choice(episode.legal_actions)
        episode.step(action)
        mirrored.step(int(tables.action_image[number, action]))
    require(episode.rewards == mirrored.rewards, f"The rewards differ: {episode.text}.")
