"""Checks of `rules.py` and `notation.py`: starts, moves, ends, position texts and records."""

from __future__ import annotations

import os
import pickle
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from teahouse.conformance.checks import CheckError, check, require
from teahouse.conformance.samples import random_game, sample
from teahouse.core.catalog import load
from teahouse.core.contract import contract_error
from teahouse.core.defaults import rules as default_rules
from teahouse.core.errors import IllegalMove, OptionError, PositionError, RecordError
from teahouse.core.game import Game, game_info
from teahouse.core.position import Position
from teahouse.core.record import Record

INTERPRETED = "TEAHOUSE_INTERPRETED"
BAD_VALUES = ("nonsense", -1, 10**9, 2.5, b"", "\n")
GARBAGE = "abcxyzABC0189 -+*/,.;#'\"\n\t\0é–"


@check(every_variant=False)
def contract(game: Game) -> None:
    """The package has INFO and the required functions."""
    error = contract_error(game.name)
    require(error is None, f"{game.name}: {error}.")


@check(every_variant=False)
def options(game: Game) -> None:
    """Unknown options and values that are not allowed raise `OptionError`."""
    declared = dict.fromkeys(game_info(game.name).options, BAD_VALUES)
    for option, values in {"colour": ("red",), **declared}.items():
        for value in values:
            try:
                load(game.name, **{option: value})
            except OptionError as error:
                named = option in str(error)
                require(named, f"The error for {option}={value!r} does not name the option.")
            else:
                raise CheckError(f"{option}={value!r} is accepted.")


@check()
def start(game: Game) -> None:
    """A game starts with a legal move, at ply 0, the same for the same seed."""
    position = game.start(seed=1)
    require(position.ply == 0 and not position.over, "The start is not at ply 0, or is over.")
    require(position.winners == (), "The start has winners.")
    require(position.legal, "The start has no legal move.")
    require(0 <= position.player < len(game.players), f"Player {position.player} is unknown.")
    require(position == game.start(seed=1), "Two starts with the same seed differ.")
    members = sorted(player for team in game.teams for player in team)
    require(members == [*range(len(game.players))], "The teams do not hold each player once.")
    for name in game.players:
        single = re.fullmatch(r"\w+", name) and game.players.count(name) == 1
        require(single, f"{name!r} is not a word of its own: records name players by tags.")


@check()
def endings(game: Game) -> None:
    """Random games end, with one team as winners or with a draw."""
    teams = {tuple(sorted(team)) for team in game.teams}
    for seed in range(3):
        last, _ = random_game(game, seed)[-1]
        require(last.legal == (), f"There are legal moves after the end: {last}.")
        won = tuple(sorted(last.winners))
        require(not won or won in teams, f"The winners {won} are not a team: {last}.")


@check()
def legal_moves(game: Game) -> None:
    """Legal moves have different texts and can be played; all other texts raise `IllegalMove`."""
    others = {move for position, _ in sample(game, seed=5) for move in position.legal[:20]}
    for position, _ in sample(game, seed=4, size=6):
        before = str(position)
        moves = [position.move(text) for text in position.legal]
        require(len(set(moves)) == len(moves), f"A move is listed twice: {position}.")
        require(_listed(position) == len(moves), f"Two moves have the same text: {position}.")
        for text in position.legal[:50]:
            require(text and text == "".join(text.split()), f"The move {text!r} has a space.")
            after = position.play(text)
            require(after.ply == position.ply + 1, f"{text} does not add a ply: {position}.")
        for text in sorted(others - set(position.legal)):
            if position.normalize(text) not in position.legal:
                _require_illegal(position, text)
        require(str(position) == before, f"Playing a move changes the position: {before}.")


def _listed(position: Position) -> int:
    """Return the number of moves that the kernel `legal` lists."""
    moves = [0] * position.game.layout.max_moves
    return int(position.game.rules.legal(position.game.board, position.unpack(), moves))


def _require_illegal(position: Position, text: object) -> None:
    try:
        position.play(text)  # type: ignore[arg-type]
    except IllegalMove:
        return
    raise CheckError(f"The illegal move {text!r} can be played: {position}.")


@check()
def illegal_moves(game: Game) -> None:
    """Arbitrary text and other values raise `IllegalMove`, never another exception."""
    rng = random.Random(1)
    position = game.start(seed=2)
    for _ in range(60):
        text = "".join(rng.choices(GARBAGE, k=rng.randrange(8)))
        if position.normalize(text) not in position.legal and text not in position.legal:
            _require_illegal(position, text)
    for value in (None, 7, b"a1"):
        _require_illegal(position, value)


@check()
def move_numbers(game: Game) -> None:
    """Moves are numbers from 0 to 2³¹ - 1, and a list has at most `max_moves`."""
    for position, _ in sample(game, seed=8, size=30):
        numbers = [position.move(text) for text in position.legal]
        require(all(0 <= number < 1 << 31 for number in numbers), f"Out of range: {position}.")
        require(len(numbers) <= game.layout.max_moves, f"More than max_moves: {position}.")


@check()
def position_texts(game: Game) -> None:
    """`str(position)` is one line from which the same position can be read."""
    for seed in range(2):
        for position, move in sample(game, seed):
            text = str(position)
            require("\n" not in text, f"A position text has several lines: {text!r}.")
            copy = game.position(text)
            same = copy == position and hash(copy) == hash(position)
            same = same and (copy.legal, copy.player) == (position.legal, position.player)
            same = same and (copy.over, copy.winners) == (position.over, position.winners)
            require(same, f"The text does not restore the position: {text}.")
            if move:
                require(copy.play(move) == position.play(move), f"{move} differs after {text}.")


@check()
def broken_position_texts(game: Game) -> None:
    """A broken position text raises `PositionError`, or gives a position that can be played."""
    rng = random.Random(2)
    start = game.start(seed=1)
    text = str(start.play(start.legal[0]))
    for _ in range(120):
        at = rng.randrange(len(text) + 1)
        inserted = "".join(rng.choices(GARBAGE + text, k=rng.randrange(4)))
        broken = text[:at] + inserted + text[at + rng.randrange(4) :]
        try:
            position = game.position(broken)
        except PositionError:
            continue
        require_sound(position)


def require_sound(position: Position) -> None:
    """Raise `CheckError` unless a position can be written, read and played."""
    require(position.game.position(str(position)) == position, f"Not restored: {position}.")
    require(position.over == (not position.legal), f"Over, or without moves, not both: {position}.")
    for move in position.legal[:5]:
        position.play(move)


@check()
def immutable_positions(game: Game) -> None:
    """Positions are immutable values that can be compared, hashed and pickled."""
    position = game.start(seed=1)
    later = position.play(position.legal[0])
    require(position == game.start(seed=1), "Playing a move changes the position.")
    require(later != position, "A move leads to an equal position.")
    require(len({position, later, game.start(seed=1)}) == 2, "Equal positions hash differently.")
    require(pickle.loads(pickle.dumps(later)) == later, "A pickled position differs.")


@check()
def shared_state(game: Game) -> None:
    """Notation and board do not change the state that they read."""
    for position, _ in sample(game, seed=11, size=6):
        position.text()
        str(position)
        for move in position.legal:
            position.click_paths(move)
            position.describe(move)
            position.animations(move)
        unchanged = vars(position.state_view) == vars(position.unpack())
        require(unchanged, f"Drawing or describing changes the state: {position}.")


@check()
def records(game: Game) -> None:
    """A record replays, and its text restores it."""
    record = Record.new(game, seed=3)
    for position, move in random_game(game, seed=3):
        require(record.position == position, f"The record differs at ply {position.ply}.")
        if move:
            record.play(move)
    record.names = {game.players[0]: 'Anna "the {cup}"'}
    record.comments = {0: "before\nall", 2: "a } brace"}
    text = record.text()
    copy = Record.parse(text)
    require(copy == record and copy.text() == text, "The text does not restore the record.")
    require(copy.positions == record.positions, "A record that was read has other positions.")
    require(copy.result == record.result != "*", "A finished record has no result.")
    last = record.moves[-1]
    record.undo()
    require(record.result == "*", "A record has a result before its last move.")
    record.play(last)
    require(record.result == copy.result, "The result differs after the last move is repeated.")


@check()
def broken_records(game: Game) -> None:
    """A broken record raises `RecordError` with the line, or can be read."""
    rng = random.Random(3)
    record = Record.new(game, seed=3)
    for _ in range(4):
        if not record.position.over:
            record.play(record.position.legal[-1])
    text = record.text()
    for _ in range(60):
        at = rng.randrange(len(text) + 1)
        inserted = "".join(rng.choices(GARBAGE + text, k=rng.randrange(4)))
        require_readable(text[:at] + inserted + text[at + rng.randrange(10) :])


def require_readable(text: str) -> None:
    """Raise `CheckError` unless a record round-trips, or is rejected with a line number."""
    try:
        copy = Record.parse(text)
    except RecordError as error:
        lines = text.count("\n") + text.count("\r") + 1
        require(1 <= error.line <= lines, f"The error names line {error.line} of {lines}.")
        require(error.reason in str(error), "The error does not give its reason.")
    else:
        require(Record.parse(copy.text()) == copy, "A record that was read cannot be written.")


@check()
def random_moves(game: Game) -> None:
    """The kernel `random_move` returns the move that the default finds in the list."""
    from teahouse.core.jit import interpret
    from teahouse.core.random import advance, generator

    if game.rules.random_move is default_rules.random_move:
        return
    default = interpret(default_rules.random_move, game.rules)
    for seed in range(2):
        rng = generator(seed)
        for position, move in random_game(game, seed):
            for _ in range(3 if move else 0):
                rng = advance(rng)
                moves = [0] * game.layout.max_moves
                own = game.rules.random_move(game.board, position.unpack(), moves, rng)
                expected = default(game.board, position.unpack(), moves, rng)
                require(own == expected, f"random_move differs from the list: {position}.")


@check()
def own_playouts(game: Game) -> None:
    """The kernel `playout` plays the same moves as the default, which plays random moves."""
    from teahouse.core.jit import interpret
    from teahouse.core.random import generator

    if game.rules.playout is default_rules.playout:
        return
    own = interpret(game.rules.playout, game.rules)
    default = interpret(default_rules.playout, game.rules)
    moves = [0] * game.layout.max_moves
    for number, (position, _) in enumerate(random_game(game, seed=2)):
        states = [position.unpack(), position.unpack()]
        counts = [
            kernel(game.board, state, moves, generator(number))
            for kernel, state in zip((own, default), states, strict=True)
        ]
        same = counts[0] == counts[1] and vars(states[0]) == vars(states[1])
        require(same, f"playout differs from random moves: {position}.")


@check()
def playouts(game: Game) -> None:
    """Playouts count the games that positions play, move by move."""
    from teahouse.core.random import advance, bounded, game_seed, generator, setup_seed

    counts = game.playouts(2, seed=11)
    moves, wins = 0, [0] * len(game.players)
    for number in range(2):
        seed = game_seed(11, number)
        position = game.start(setup_seed(seed))
        rng = generator(seed)
        while not position.over:
            rng = advance(rng)
            position = position.play(position.legal[bounded(rng, len(position.legal))])
            moves += 1
        for player in position.winners:
            wins[player] += 1
    counted = (counts.games, counts.moves, counts.wins)
    require(counted == (2, moves, tuple(wins)), f"Playouts counted {counted}, not {moves} moves.")


@check()
def compilation(game: Game) -> None:
    """Compiled kernels play the same random games as interpreted ones."""
    position = _unfinished(game)
    _compare_compiled(
        lambda: (
            game.playouts(12, seed=9),
            game.playouts(12, seed=9, threads=3),
            position.playouts(5, seed=9),
        ),
        position,
    )


@check(every_variant=False)
def compiled_move_lists(game: Game) -> None:
    """Compiled kernels list the same moves as interpreted ones, counted by perft."""
    from teahouse.core.perft import perft

    position = _unfinished(game)
    depth = 2 if len(position.legal) < 100 else 1
    _compare_compiled(lambda: perft(position, depth), position)


def _unfinished(game: Game) -> Position:
    return next(position for position, _ in sample(game, seed=8)[1:] if not position.over)


def _compare_compiled(results: Callable[[], object], position: Position) -> None:
    compiled = results()
    with interpreted_mode():
        interpreted = results()
    require(interpreted == compiled, f"Compiled and interpreted results differ: {position}.")


@contextmanager
def interpreted_mode() -> Iterator[None]:
    """Run kernels interpreted for the duration of a block."""
    before = os.environ.get(INTERPRETED)
    os.environ[INTERPRETED] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[INTERPRETED]
        else:
            os.environ[INTERPRETED] = before
