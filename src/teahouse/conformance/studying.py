"""Checks of the studied tier: rules page, perft, signature, suite, bots."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import nullcontext

from teahouse.conformance.checks import STUDIED, CheckError, Missing, UsesDefault, check, require
from teahouse.conformance.playing import interpreted_mode
from teahouse.conformance.samples import random_game, sample
from teahouse.core.catalog import load
from teahouse.core.errors import IllegalMove, OptionError, PositionError
from teahouse.core.game import Game
from teahouse.core.options import parse_options
from teahouse.core.packages import game_file, game_text, optional_module
from teahouse.core.position import Position
from teahouse.core.rules_page import (
    BLOCK,
    EXAMPLE,
    IN_SHORT,
    PICTURE,
    boards,
    in_short,
    parse_piece,
    prose,
)
from teahouse.search import suite

RULE = re.compile(r"\*\*([A-Z]\d+)\*\*")
MAX_SHORT_WORDS = 120
MAX_INTERPRETED_NODES = 30_000
MIN_PROBLEMS = 40
MIN_PROBLEMS_OF_KIND = 10
WRITE = "write it with `teahouse check {} --write`"
MAX_VERIFIED = 100_000  # positions of a tablebase
RESULTS = {"win", "no loss"}


def required_text(game: Game, file: str, how: str) -> str:
    """Return the text of a file in a game's package; raise `Missing` if there is none."""
    text = game_text(game.name, file)
    if text is None:
        raise Missing(f"There is no {file}: {how.format(game.name)}.")
    return text


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@check(STUDIED, every_variant=False)
def rules_page(game: Game) -> None:
    """`rules.md` has a short version, numbered rules, and examples that can be played."""
    page = required_text(game, "rules.md", "write the rules for players")
    require(RULE.search(page), "rules.md has no numbered rule such as **R1**.")
    short = in_short(page)
    require(short, f"rules.md has no section `## {IN_SHORT}`.")
    words = len(prose(short or "").split())
    require(words < MAX_SHORT_WORDS, f"`{IN_SHORT}` has {words} words, {MAX_SHORT_WORDS} or more.")
    require(BLOCK.search(short or ""), f"`{IN_SHORT}` has no board (```diagram or ```example).")
    require(
        any(board.kind == EXAMPLE for board in boards(page)),
        "rules.md has no ```example fence (a position or `start`, then moves).",
    )
    for board in boards(page):
        try:
            board.positions(game.name)
        except (OptionError, PositionError, IllegalMove) as error:
            raise CheckError(f"A board of rules.md cannot be drawn: {error}") from None
    for _, address in PICTURE.findall(page):
        parse_piece(address)


def parse_position(name: str, options: str, where: str) -> Position:
    """Return the position of a line `options ; position or start`."""
    values = parse_options(text for text in options.split() if text != "-")
    game = load(name, **values)
    return game.start() if where == "start" else game.position(where)


@check(STUDIED, every_variant=False)
def rule_tests(game: Game) -> None:
    """Each numbered rule of `rules.md` has a test `test_r1_…` in a file `test_*.py`."""
    page = required_text(game, "rules.md", "write the rules for players")
    required_text(game, "test_rules.py", "write a test for every rule number")
    folder = game_file(game.name, "")
    files = [file for file in folder.iterdir() if re.fullmatch(r"test_\w+\.py", file.name)]
    tests = "\n".join(file.read_text(encoding="utf-8") for file in files)
    tested = {found.upper() for found in re.findall(r"def test_([a-z]\d+)_", tests)}
    untested = sorted(set(RULE.findall(page)) - tested)
    require(not untested, f"Rules without a test: {', '.join(untested)}.")


@check(STUDIED, every_variant=False)
def perft(game: Game) -> None:
    """`perft.txt` counts the move sequences from the start and other positions."""
    lines = _lines(required_text(game, "perft.txt", WRITE))
    require(lines, "perft.txt has no line.")
    for line in lines:
        perft_line(game.name, line)


def perft_line(name: str, line: str, *, compiled: bool = False) -> None:
    """Raise `CheckError` unless a line of `perft.txt` holds.

    Small counts run interpreted unless `compiled`: that takes less time than compiling.
    """
    from teahouse.core.perft import perft

    options, where, counts = (part.strip() for part in line.split(" ; "))
    position = parse_position(name, options, where)
    expected = [int(count) for count in counts.split()]
    small = sum(expected) < MAX_INTERPRETED_NODES and not compiled
    with interpreted_mode() if small else nullcontext():
        found = [perft(position, depth + 1) for depth in range(len(expected))]
    require(found == expected, f"The perft counts are {found}: {line}")


def perft_lines(name: str) -> list[str]:
    """Return the lines of a game's `perft.txt`, none if there is no such file."""
    return _lines(game_text(name, "perft.txt") or "")


@check(STUDIED, every_variant=False)
def signature(game: Game) -> None:
    """`signature.txt` is the hash of the search tree, so that a change of behaviour is noticed."""
    expected = required_text(game, "signature.txt", WRITE).strip()
    found = search_signature(game.name)
    require(found == expected, f"The signature is {found}, not {expected}: the search differs.")


def search_signature(name: str) -> str:
    """Return the hash of the tree after a search from the start with the bots' parameters."""
    from teahouse.search.levels import profile
    from teahouse.search.mcts.search import TreeSearch

    simulations = 2_000
    game = load(name)
    search = TreeSearch(game.start(seed=1), 1, 1 << 26, simulations, profile(game).params)
    search.run(simulations)
    return search.signature()


@check(STUDIED)
def no_repetition(game: Game) -> None:
    """No position of a game repeats, which proof search relies on."""
    for seed in range(3):
        states = [position.state for position, _ in random_game(game, seed)]
        repeated = len(set(states)) < len(states)
        require(not repeated, f"A position occurs twice in the random game of seed {seed}.")


@check(STUDIED, every_variant=False)
def test_positions(game: Game) -> None:
    """`suite.txt` has at least 40 test positions, 10 of each kind."""
    required_text(game, "suite.txt", WRITE)
    problems = suite.problems(game.name)
    kinds = Counter(problem.kind for problem in problems)
    require(len(problems) >= MIN_PROBLEMS, f"suite.txt has only {len(problems)} positions.")
    require(set(kinds) <= set(suite.KINDS), f"Unknown kinds: {sorted(set(kinds))}.")
    fewest = min(kinds[kind] for kind in suite.KINDS)
    require(fewest >= MIN_PROBLEMS_OF_KIND, f"suite.txt has only {fewest} positions of a kind.")
    positions = {problem.position for problem in problems}
    require(len(positions) == len(problems), "suite.txt has a position twice.")
    if game.options:
        options = {suite.changed_options(problem.position.game) for problem in problems}
        require(len(options) >= 3, f"suite.txt has only {len(options)} sets of options.")
    for problem in problems:
        _require_problem(problem)


def _require_problem(problem: suite.Problem) -> None:
    line = problem.line()
    require(
        suite.parse_problem(problem.position.game.name, line) == problem, f"Not restored: {line}"
    )
    proper = 0 < len(problem.moves) < len(problem.position.legal)
    require(proper and set(problem.moves) < set(problem.position.legal), f"Bad moves: {line}")
    single = len(problem.moves) == 1 or problem.kind != suite.THE_ONLY_MOVE
    require(single, f"There are several only moves: {line}")
    results = RESULTS | {f"no loss in {suite.ply_limit(problem.objective)}"}
    require(problem.objective in results, f"Unknown result: {line}")


@check(STUDIED)
def evaluation(game: Game) -> None:
    """`evaluate` returns an expected score from 0 to 1, and `playout_move` a legal move."""
    if optional_module(game.name, "evaluation") is None:
        raise UsesDefault("There is no evaluation.py: rollouts are uniformly random.")
    from teahouse.core.jit import interpret
    from teahouse.core.random import advance, generator

    playout_move = interpret(game.rules.playout_move, game.rules)
    evaluate = interpret(game.rules.evaluate, game.rules)
    rng = generator(1)
    for position, _ in sample(game, seed=12, size=8):
        if position.over:
            continue
        rng = advance(rng)
        moves = [0] * game.layout.max_moves
        move = playout_move(game.board, position.unpack(), moves, rng)
        legal = {position.move(text) for text in position.legal}
        require(move in legal, f"playout_move returns the illegal move {move}: {position}.")
        for player in range(len(game.players)):
            score = evaluate(game.board, position.unpack(), player)
            require(0 <= score <= 1, f"evaluate returns {score}: {position}.")


@check(STUDIED)
def tablebase(game: Game) -> None:
    """Every position of a small tablebase follows from the rules."""
    from teahouse.search.tablebase import MODULE, compute_tablebase, position_count

    if optional_module(game.name, MODULE) is None:
        raise UsesDefault("There is no tablebase.py: positions are solved by search.")
    count = position_count(game)
    if 0 < count <= MAX_VERIFIED:
        table = compute_tablebase(game)
        assert table is not None
        wrong = table.verify(0, count)
        require(not wrong, f"{wrong} of {count} positions of the tablebase break the rules.")


@check(STUDIED, every_variant=False)
def bots(game: Game) -> None:
    """`bots.json` has eight levels with growing budgets; defaults replace it."""
    from teahouse.search.levels import LEVELS, parse_bots, profile

    parse_bots(game_text(game.name, "bots.json") or "{}")
    levels = profile(game).levels
    require(len(levels) == len(LEVELS), f"There are {len(levels)} levels, not {len(LEVELS)}.")
    budgets = [level.simulations or 0 for level in levels[:-1]]
    require(budgets == sorted(budgets), "The levels' budgets do not grow.")
    if game_text(game.name, "bots.json") is None:
        raise UsesDefault("There is no bots.json: levels have default budgets and no rating.")
