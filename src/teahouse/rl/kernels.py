"""Kernels that step, show and sample games side by side, for any game.

`rules` stands for a game's `rules.py` and `planes.py` in one. Every place in a batch has a `slot`:
the draft of a move (see `core.planes`), the number of its game, and that game's random numbers.
"""

from typing import Any

import numpy as np

from teahouse.core.planes import View
from teahouse.core.playouts import SETUP
from teahouse.core.random import advance, below, game_seed, generator

rules: Any = None  # one game's, once a kernel is bound

# Besides actions: begin a place's first game, begin its next one, or leave it alone.
BEGIN_FIRST, BEGIN_NEXT, LEAVE = -2, -3, -4


def slot_type(view: View) -> np.dtype:
    """The record of a place in a batch."""
    return np.dtype(
        [
            ("random", np.int64),
            ("game", np.int64),  # its number
            ("chosen", np.int32, (view.parts - 1,)),  # actions of the draft,
            ("part", np.int32),  # and how many they are
            ("ply", np.int32),
        ],
        align=True,
    )


def begin(board: Any, state: Any, slot: Any, seed: int, game: int) -> None:
    """Begin the game with this number."""
    own_seed = game_seed(seed, game)
    rules.start(board, state, own_seed ^ SETUP)
    slot.random = generator(own_seed)
    slot.game = game
    slot.part = 0
    slot.ply = 0


def mark(board: Any, state: Any, slot: Any, moves: Any, legal: Any) -> int:
    """Mark the legal actions and no others; how many there are."""
    for action in range(len(legal)):
        legal[action] = 0
    found = rules.legal(board, state, moves)
    parts = int(slot.part)
    for index in range(found):
        if parts == 0 or _fits(board, state, slot, int(moves[index])):
            legal[rules.action(board, state, int(moves[index]), parts)] = 1
    if len(slot.chosen) == 0:
        return found  # each move is an action of its own
    count = 0
    for action in range(len(legal)):
        count += int(legal[action])
    return count


def mark_game(board: Any, state: Any, slot: Any, moves: Any, legal: Any) -> int:
    """Mark a game's legal actions, in its own way if it has one."""
    return int(rules.mark(board, state, slot, moves, legal))


def _fits(board: Any, state: Any, slot: Any, move: int) -> bool:
    """Whether a move begins with the parts that were chosen."""
    for part in range(slot.part):
        if rules.action(board, state, move, part) != slot.chosen[part]:
            return False
    return True


def pay(rewards: Any, winners: int) -> None:
    """Winners get 1 each, and the others pay for it in equal shares; nobody in a draw."""
    players = len(rewards)
    count = 0
    for player in range(players):
        count += winners >> player & 1
    share = count / (players - count) if count < players else 0.0
    for player in range(players):
        rewards[player] = 1.0 if winners >> player & 1 else -share


def step_game(
    board: Any,
    work: Any,
    at: int,
    spare: Any,
    spare_at: int,
    slot: Any,
    place: int,
    action: int,
    moves: Any,
    legal: Any,
    rewards: Any,
    seed: int,
    games: int,
    restart: int,
) -> int:
    """Take an action in the game work[at]: how many are legal then, or -1 minus that if it ended.

    A game that was over before is left alone. One that ends is begun anew, under a number that is
    greater by `games`, unless restart is 0; `spare` is room for a copy.
    """
    for player in range(len(rewards)):
        rewards[player] = 0.0
    state = work[at]
    done = False
    begun = -1
    if action == BEGIN_FIRST:
        begun = place
    elif action == BEGIN_NEXT:
        begun = slot.game + games
    elif not state.over:
        move = rules.move(board, state, slot, action)
        if move < 0:
            slot.chosen[slot.part] = action
            slot.part += 1
        else:
            slot.part = 0
            slot.ply += 1
            rules.play(board, state, move)
            if state.over:
                done = True
                spare[spare_at] = work[at]
                pay(rewards, rules.winners(board, state, moves))
                work[at] = spare[spare_at]
                if restart:
                    begun = slot.game + games
    if begun >= 0:
        begin(board, state, slot, seed, begun)
    count = int(rules.mark(board, state, slot, moves, legal))
    return -1 - count if done else count


def step_games(
    boards: Any,
    states: Any,
    spare: Any,
    slots: Any,
    actions: Any,
    moves: Any,
    legal: Any,
    counts: Any,
    players: Any,
    rewards: Any,
    done: Any,
    seed: int,
    restart: int,
    first: int,
    end: int,
) -> None:
    """Take one action in each of the games range(first, end)."""
    for index in range(first, end):
        action = int(actions[index])
        if action == LEAVE:
            continue
        count = step_game(
            boards[0],
            states,
            index,
            spare,
            0,
            slots[index],
            index,
            action,
            moves,
            legal[index],
            rewards[index],
            seed,
            len(actions),
            restart,
        )
        done[index] = count < 0
        counts[index] = max(count, -1 - count)
        players[index] = states[index].player


def see_game(board: Any, state: Any, slot: Any, viewer: int, places: Any, planes: Any) -> None:
    """Write what the viewer sees of a game."""
    for plane in range(len(planes)):
        row = planes[plane]
        for place in range(len(row)):
            row[place] = 0
    rules.see(board, state, slot, viewer, places, planes)


def see_games(
    boards: Any, states: Any, slots: Any, places: Any, planes: Any, first: int, end: int
) -> None:
    """Write what those see who decide."""
    for index in range(first, end):
        state = states[index]
        see_game(boards[0], state, slots[index], int(state.player), places, planes[index])


def draw(slot: Any, count: int) -> int:
    """How many legal actions come before the one to take by chance; -1 if there are none."""
    if count == 0:
        return -1
    random = advance(slot.random)
    slot.random = random
    return below(random, count)


def nth_legal(legal: Any, which: int) -> int:
    """The legal action with so many before it."""
    action = 0
    which -= int(legal[0])
    while which >= 0:
        action += 1
        which -= int(legal[action])
    return action


def sample_action(slot: Any, legal: Any, count: int) -> int:
    """A random legal action, -1 if there is none."""
    which = draw(slot, count)
    return nth_legal(legal, which) if which >= 0 else -1


def sample_games(slots: Any, legal: Any, counts: Any, actions: Any, first: int, end: int) -> None:
    """Draw a legal action for each game."""
    for index in range(first, end):
        actions[index] = sample_action(slots[index], legal[index], int(counts[index]))


def is_illegal(legal: Any, count: int, action: int) -> bool:
    """Whether an action may not be taken; in a game that is over all are ignored."""
    if count == 0:
        return False
    return action < 0 or action >= len(legal) or legal[action] == 0


def find_illegal(legal: Any, counts: Any, actions: Any) -> int:
    """The first game whose action is illegal, or -1."""
    for index in range(len(actions)):
        if is_illegal(legal[index], int(counts[index]), int(actions[index])):
            return index
    return -1
