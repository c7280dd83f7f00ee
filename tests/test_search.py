"""The search: proofs against brute force, the same tree on every back end, budgets and bounds."""

import random
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from variants import ALL, ids

import teahouse as th
from teahouse.core import compiling
from teahouse.core.game import Game
from teahouse.core.plain import freeze
from teahouse.search import tree
from teahouse.search.search import MOST_SIMULATIONS, Search

# One variant for each way to sit around a game's table.
KINDS = list({(game.name, game.teams): game for game in reversed(ALL)}.values())
every_kind = pytest.mark.parametrize("game", KINDS, ids=ids)

SMALL = th.load("orochi", side=2)
DRAW = -1
MOST_POSITIONS = 2500  # that brute force looks at,
MOST_DECISIONS = 30  # and how far ahead


class TooManyPositionsError(Exception):
    pass


def side_of(game: Game, player: int) -> int:
    return next(side for side, team in enumerate(game.teams) if player in team)


def solve(
    position: th.Position, seen: dict[bytes, frozenset[int]], depth: int = 0
) -> frozenset[int]:
    """The sides that can win if all play their best, by looking at every continuation."""
    game = position.game
    known = seen.get(position.state)
    if known is not None:
        return known
    if len(seen) > MOST_POSITIONS or depth > MOST_DECISIONS:
        raise TooManyPositionsError
    if position.over:
        outcomes = frozenset(side_of(game, player) for player in position.winners) or {DRAW}
    else:
        side = side_of(game, position.player)
        after = [solve(follower, seen, depth + 1) for follower in followers(position)]
        if {side} in after:
            outcomes = frozenset({side})
        elif {DRAW} in after:
            outcomes = frozenset().union(*(ends for ends in after if ends & {side, DRAW}))
        else:
            outcomes = frozenset().union(*after)
    seen[position.state] = frozenset(outcomes)
    return seen[position.state]


def followers(position: th.Position) -> list[th.Position]:
    """The positions after each legal move: as `play` gives them, but quicker."""
    game = position.game
    moves = [0] * game.layout.most_moves
    found = []
    for move in moves[: game.rules.legal(game.board, position.plain(), moves)]:
        state = position.plain()
        game.rules.play(game.board, state, move)
        found.append(th.Position(game, freeze(state, game.layout.state), position.ply + 1))
    return found


def proof_of(position: th.Position, outcomes: frozenset[int]) -> str | None:
    """What a move that leads to these outcomes is for the player who decides."""
    side = side_of(position.game, position.player)
    if outcomes == {side}:
        return "win"
    if outcomes == {DRAW}:
        return "draw"
    return None if outcomes & {side, DRAW} else "loss"


@cache
def small_solutions() -> dict[bytes, frozenset[int]]:
    seen: dict[bytes, frozenset[int]] = {}
    solve(SMALL.start(), seen)
    return seen


def late_positions(game: Game, seed: int, decisions: int) -> list[th.Position]:
    """The last positions of a random game in which there was something to decide."""
    chance = random.Random(seed)
    positions = [game.start(seed)]
    while not positions[-1].over:
        after = followers(positions[-1])
        positions.append(after[chance.randrange(len(after))])
    return positions[-1 - decisions : -1]


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_proofs_on_the_smallest_board_are_those_of_brute_force(data: st.DataObject) -> None:
    position = SMALL.start()
    for _ in range(data.draw(st.integers(0, 5))):
        after = [follower for follower in followers(position) if not follower.over]
        if after:
            position = data.draw(st.sampled_from(after))
    analysis = th.analyse(position, simulations=60_000, seed=data.draw(st.integers(0, 99)))
    proofs = [
        proof_of(position, small_solutions()[follower.state]) for follower in followers(position)
    ]
    for found, proof in zip(analysis.moves, proofs, strict=True):
        assert found.proof in (None, proof)
    # The whole board is small enough to be settled, and the best move is one that holds its value.
    best = analysis.moves[position.legal.index(analysis.best)]
    truth = proof_of(position, small_solutions()[position.state])
    assert best.proof == truth
    assert analysis.value == {"win": 1.0, "loss": 0.0}[truth or ""]


@every_kind
def test_proofs_near_the_end_are_those_of_brute_force(game: Game) -> None:
    for seed in range(2):
        seen: dict[bytes, frozenset[int]] = {}
        for position in reversed(late_positions(game, seed, decisions=6)):
            try:
                solve(position, seen)
            except TooManyPositionsError:
                break
            analysis = th.analyse(position, simulations=2_000, seed=seed)
            for found, follower in zip(analysis.moves, followers(position), strict=True):
                assert found.proof in (None, proof_of(position, seen[follower.state]))


@every_kind
def test_wins_this_turn_are_found(game: Game) -> None:
    for seed in range(5):
        (position,) = late_positions(game, seed, decisions=1)
        analysis = th.analyse(position, simulations=20 * len(position.legal), seed=seed)
        if any(position.player in follower.winners for follower in followers(position)):
            assert analysis.value == 1.0
            assert analysis.moves[position.legal.index(analysis.best)].proof == "win"


def maze(table: str, seed: int) -> th.Position:
    """The start of a game invented for these tests; it is no game of the house."""
    folders = import_module("teahouse.games").__path__
    folders.append(str(Path(__file__).parent / "invented"))
    try:
        return Game("maze", {"table": table, "seed": seed}).start()
    finally:
        folders.pop()


@pytest.mark.parametrize("table", ["two", "three", "teams"])
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_proofs_in_random_mazes_are_those_of_brute_force(table: str, seed: int) -> None:
    position = maze(table, seed)
    seen: dict[bytes, frozenset[int]] = {}
    solve(position, seen)
    analysis = th.analyse(position, simulations=20_000, seed=seed)
    truths = [proof_of(position, seen[follower.state]) for follower in followers(position)]
    for found, truth in zip(analysis.moves, truths, strict=True):
        assert found.proof in (None, truth)
    if table != "three":  # between two sides all gets known
        best = analysis.moves[position.legal.index(analysis.best)]
        assert best.proof == proof_of(position, seen[position.state])
        assert analysis.value == {"win": 1.0, "draw": 0.5, "loss": 0.0}[best.proof or ""]


def test_much_is_proven_with_three_sides() -> None:
    proofs = [
        found.proof
        for seed in range(60)
        for found in th.analyse(maze("three", seed), simulations=5_000).moves
    ]
    assert min(proofs.count("win"), proofs.count("loss"), proofs.count("draw")) >= 5


def test_losses_are_avoided() -> None:
    """The only move that does not lose is found, from every position that has one."""
    tried = 0
    for state, outcomes in small_solutions().items():
        position = th.Position(SMALL, state, 0)
        if position.over or proof_of(position, outcomes) != "win":
            continue
        good = [
            move
            for move, follower in zip(position.legal, followers(position), strict=True)
            if proof_of(position, small_solutions()[follower.state]) == "win"
        ]
        if len(good) == 1 and len(position.legal) > 1:
            assert th.analyse(position, simulations=60_000).best == good[0]
            tried += 1
    assert tried >= 20


def rows_of_children(*proofs: int) -> list[int]:
    """A root whose children have these proofs."""
    rows = [0] * tree.WIDTH * (1 + len(proofs))
    rows[tree.FIRST], rows[tree.COUNT] = 1, len(proofs)
    for child, proof in enumerate(proofs, start=1):
        rows[child * tree.WIDTH + tree.PROOF] = proof
    return rows


@pytest.mark.parametrize(
    ("proofs", "known"),
    [
        ((0b0010, 0, 0b0001), 0b0001),  # a win is a win, whatever else there is
        ((0b0010, 0), 0),  # while something is unknown there is hope
        ((0b0010, 0b0100), 0b0110),  # lost, but to whom is a matter of taste
        ((0b0010, 0b0010), 0b0010),
        ((0b0010, 0b1000), 0b1000),  # better a draw than a loss
        ((0b0011, 0b0010, 0b1000), 0b1011),  # a hope is not given up for a draw
        ((0b0011, 0b1100), 0),  # anything can happen
    ],
)
def test_proofs_with_three_sides(proofs: tuple[int, ...], known: int) -> None:
    """Bits 0 to 2 are sides, bit 3 is a draw; side 0 decides."""
    assert tree.proven(rows_of_children(*proofs), tree.ROOT, sides=3, side=0) == known


@pytest.mark.parametrize(
    ("proofs", "known"),
    [
        ((0b010, 0b001, 0), 0b001),
        ((0b010, 0), 0),
        ((0b100, 0), 0b101),  # a draw is safe, so a loss is out of the question
        ((0b101, 0b110), 0b101),
        ((0b110, 0b100), 0b100),  # nothing wins
        ((0b110, 0b010), 0b110),
        ((0b010, 0b010), 0b010),
    ],
)
def test_proofs_with_two_sides(proofs: tuple[int, ...], known: int) -> None:
    """Bits 0 and 1 are sides, bit 2 is a draw; side 0 decides."""
    assert tree.proven(rows_of_children(*proofs), tree.ROOT, sides=2, side=0) == known


@every_kind
def test_interpreted_is_compiled(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    positions = [game.start(seed=2), *late_positions(game, seed=2, decisions=4)[:1]]
    long_games = game.playouts(10).moves > 1500  # interpreted ones take their time
    half = 30 if long_games else 125

    def signatures() -> list[tuple[int, str]]:
        compiling.forget()
        found = []
        for position in positions:
            search = Search(position, seed=5, memory=1 << 20, simulations=2 * half)
            search.run(half)
            search.run(half)
            found.append((search.simulations, search.signature()))
        return found

    compiled = signatures()
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    assert signatures() == compiled
    analysis = th.analyse(positions[0], simulations=9, threads=2)
    assert analysis.simulations == 9
    compiling.forget()


@every_kind
def test_an_analysis_tells_of_every_move(game: Game) -> None:
    position = game.start(seed=3)
    analysis = th.analyse(position, simulations=1500, seed=4)
    assert tuple(found.move for found in analysis.moves) == position.legal
    assert sum(found.visits for found in analysis.moves) == analysis.simulations == 1500
    assert all(0 <= found.value <= 1 for found in analysis.moves)
    best = max(analysis.moves, key=lambda found: found.visits)
    assert (analysis.best, analysis.value) == (best.move, best.value)
    assert analysis.line[0] == analysis.best
    for move in analysis.line:
        position = position.play(move)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("simulations", [1, 2, 1000, 1001])
def test_a_budget_in_simulations_is_exact(threads: int, simulations: int) -> None:
    position = th.load("orochi").start()
    analysis = th.analyse(position, simulations=simulations, threads=threads)
    assert analysis.simulations == simulations


@pytest.mark.parametrize("simulations", [1, 2, 1000, 1001])
def test_one_thread_repeats_itself(simulations: int) -> None:
    position = th.load("orochi").start()

    def found(seed: int) -> tuple[object, ...]:
        analysis = th.analyse(position, simulations=simulations, seed=seed)
        return (analysis.best, analysis.value, analysis.line, analysis.moves)

    assert found(7) == found(7)
    assert simulations == 1 or found(7) != found(8)


def test_chunks_make_no_difference() -> None:
    at_once = Search(th.load("orochi").start(), seed=1, memory=1 << 24, simulations=1000)
    at_once.run(1000)
    bit_by_bit = Search(th.load("orochi").start(), seed=1, memory=1 << 24, simulations=1000)
    for count in (1, 0, 399, 600):
        bit_by_bit.run(count)
    assert at_once.signature() == bit_by_bit.signature()


@every_kind
def test_a_full_tree_is_searched_on(game: Game) -> None:
    position = game.start()
    search = Search(position, seed=0, memory=1 << 20, simulations=MOST_SIMULATIONS)
    assert search.memory <= 1 << 20
    while not (search.full or search.settled):
        search.run(5_000)
    before = search.simulations
    search.run(2_000)
    assert search.settled or search.simulations == before + 2_000
    tiny = Search(position, seed=0, memory=1, simulations=MOST_SIMULATIONS)  # the root's moves fit
    tiny.run(100)
    assert tiny.full
    assert sum(child.visits for child in tiny.children()) == 100
    assert th.analyse(position, simulations=500, memory=1, threads=2).simulations == 500


def test_a_settled_position_ends_the_search() -> None:
    analysis = th.analyse(SMALL.start(), simulations=MOST_SIMULATIONS)
    assert analysis.simulations < MOST_SIMULATIONS
    assert analysis.value in (0.0, 1.0)
    assert th.analyse(SMALL.start(), seconds=3600, threads=2).value == analysis.value


def test_seconds_are_used() -> None:
    analysis = th.analyse(th.load("orochi").start(), seconds=0.02)
    assert analysis.seconds >= 0.02
    assert analysis.simulations > 0


@pytest.mark.parametrize("threads", [1, 2])
def test_cancelling(threads: int) -> None:
    cancel = Event()
    shown: list[th.Analysis] = []

    def progress(analysis: th.Analysis) -> None:
        shown.append(analysis)
        cancel.set()

    analysis = th.analyse(
        th.load("orochi").start(),
        simulations=MOST_SIMULATIONS,
        threads=threads,
        progress=progress,
        cancel=cancel,
    )
    assert len(shown) == 1
    assert 0 < shown[0].simulations <= analysis.simulations < MOST_SIMULATIONS


def test_cancelling_from_another_thread() -> None:
    begun, cancel = Event(), Event()

    def wait_and_cancel() -> None:
        begun.wait()
        cancel.set()

    other = Thread(target=wait_and_cancel)
    other.start()
    analysis = th.analyse(
        th.load("orochi").start(),
        simulations=MOST_SIMULATIONS,
        progress=lambda analysis: begun.set(),
        cancel=cancel,
    )
    other.join()
    assert analysis.simulations < MOST_SIMULATIONS


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"seconds": 1, "simulations": 1}, "either seconds or simulations"),
        ({"seconds": 0}, "seconds is a number above 0"),
        ({"seconds": float("nan")}, "seconds is a number above 0"),
        ({"seconds": "1"}, "seconds is a number above 0"),
        ({"seconds": True}, "seconds is a number above 0"),
        ({"simulations": 0}, "simulations is a whole number from 1"),
        ({"simulations": 2.0}, "simulations is a whole number from 1"),
        ({"simulations": 1 << 60}, "simulations is a whole number from 1"),
        ({"threads": 0}, "threads is a whole number from 1 to 64"),
        ({"memory": 0}, "memory is a whole number from 1 to"),
        ({"seed": -1}, "seed is a whole number from 0 to"),
    ],
)
def test_bad_values_are_refused(options: dict[str, float], reason: str) -> None:
    with pytest.raises(th.OptionError, match=reason):
        th.analyse(SMALL.start(), **options)  # type: ignore[arg-type]


def test_a_finished_game_is_refused() -> None:
    (position,) = late_positions(SMALL, seed=1, decisions=1)
    over = next(follower for follower in followers(position) if follower.over)
    with pytest.raises(ValueError, match="the game is over"):
        th.analyse(over)
