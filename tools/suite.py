"""The suites of test positions: make them, and measure bots on them.

    python tools/suite.py make GAME            write the game's suite.txt anew (some minutes)
    python tools/suite.py measure [GAME …]     how many the bot of level 8 finds
        --bot uct:simulations=10000            another bot, as the arena names them

Positions come from games between bots that err now and then. What is right is proven by the solver;
tests/suite_check.py checks the proofs. Positions that plain UCT with 1000 simulations gets wrong
for some seeds are taken first.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import teahouse as th
from teahouse.core.game import Game, game_info
from teahouse.core.options import IntOption
from teahouse.search.arena import player
from teahouse.search.mcts.params import PLAIN_UCT
from teahouse.search.suite import (
    AVOID_THE_LOSS,
    FILE,
    KINDS,
    NO_LOSS,
    THE_ONLY_MOVE,
    WIN,
    WIN_THIS_TURN,
    Judge,
    Problem,
    option_text,
    problems,
    wins_this_turn,
)

EACH_KIND = 16  # problems of a kind in a file
HARD_SHARE = 0.75  # of them that a plain search gets wrong at least once
ENOUGH = 2  # times as many candidates are looked for
SEEDS = 5  # that the plain search is tried with
SIMULATIONS = 1000
ERRS = (0.0, 0.2, 0.8)  # the shares of a player's moves that are random, one for each game
MAX_MOVES = 80  # in a position of the suite
EFFORT = 150_000  # moves that the solver tries for each move of a position
DEPTH = 60  # decisions ahead
HORIZONS = (8, 4)  # decisions to look ahead where the end of the game is too far
PATIENCE = 5  # positions in a row of a game without a problem
MEMORY = 32 << 20


@dataclass(frozen=True)
class Candidate:
    problem: Problem
    missed: int
    game: int


def variants(name: str) -> list[Game]:
    """The game with its defaults, and with other values of each option."""
    games = [th.load(name)]
    for option, kind in game_info(name).options.items():
        values = kind.examples
        if isinstance(kind, IntOption):
            between = (kind.low + kind.default) // 2, (kind.default + kind.high) // 2
            values = (kind.low, *between)
        for value in values:
            try:
                games.append(th.load(name, **{option: value}))
            except th.OptionError:  # does not go with the other defaults
                continue
    return [game for game in dict.fromkeys(games) if "\n" not in option_text(game)]


def played(game: Game, seed: int) -> list[th.Position]:
    """The positions of a game between bots that err now and then."""
    chance = random.Random(seed)
    errs = [chance.choice(ERRS) for _ in game.players]
    positions = [game.start(seed)]
    while not positions[-1].over:
        position = positions[-1]
        move = position.legal[0]
        if len(position.legal) > 1:
            move = chance.choice(position.legal)
            if chance.random() > errs[position.player]:
                move = th.analyse(position, simulations=300, seed=seed).best
        positions.append(position.play(move))
    return positions


def candidates(game: Game, number: int) -> Iterator[Problem]:
    """Problems from one game, from its end backwards until nothing more can be proven."""
    positions = played(game, number)
    if not positions[-1].winners:
        return  # a game that nobody wins seldom has anything to win or lose near its end
    taken: Counter[str] = Counter()
    failed = 0
    for position in reversed(positions[:-1]):
        if not 2 <= len(position.legal) <= MAX_MOVES:
            continue
        winning = wins_this_turn(position, 3000)
        if winning:
            if taken[WIN_THIS_TURN] < 2 and sharp(position, winning):
                taken[WIN_THIS_TURN] += 1
                yield Problem(position, WIN_THIS_TURN, WIN, tuple(winning))
            continue
        if winning is None:
            continue
        problem = kept(position)
        failed = 0 if problem else failed + 1
        if problem and taken[problem.kind] < 2:
            taken[problem.kind] += 1
            yield problem
        if failed == PATIENCE or min(taken[AVOID_THE_LOSS], taken[THE_ONLY_MOVE]) == 2:
            return


def sharp(position: th.Position, winning: list[str]) -> bool:
    """Whether wins this turn are few, and no other move is known to keep a win."""
    if 3 * len(winning) > len(position.legal):
        return False
    judge = Judge(position, MEMORY, DEPTH, EFFORT // 10)
    return not any(judge.right(move, WIN) for move in position.legal if move not in winning)


def kept(position: th.Position) -> Problem | None:
    """A problem in which some moves keep what others do not, as far ahead as can be proven."""
    judge = Judge(position, MEMORY, DEPTH, EFFORT)
    for keeps in (WIN, NO_LOSS, *(f"{NO_LOSS} in {within}" for within in HORIZONS)):
        right = judged(judge, keeps)
        if right is None or not 0 < len(right) < len(position.legal):
            if right is not None and keeps != WIN:
                return None
            continue
        if len(right) == 1:
            return Problem(position, THE_ONLY_MOVE, keeps, tuple(right))
        if keeps != WIN and 3 * len(right) <= 2 * len(position.legal):
            return Problem(position, AVOID_THE_LOSS, keeps, tuple(right))
    return None


def judged(judge: Judge, keeps: str) -> list[str] | None:
    """The right moves, if all can be told from the wrong ones."""
    right = []
    for move in judge.position.legal:
        kept = judge.right(move, keeps)
        if kept is None:
            return None
        if kept:
            right.append(move)
    return right


def missed(problem: Problem) -> int:
    """For how many seeds a plain search goes wrong."""
    return sum(
        th.analyse(problem.position, simulations=SIMULATIONS, seed=seed, params=PLAIN_UCT).best
        not in problem.moves
        for seed in range(SEEDS)
    )


def make(name: str, max_games: int) -> None:
    """Look for problems until there are enough to choose from, and write the file."""
    games = variants(name)
    found: list[Candidate] = []
    seen: set[tuple[Game, bytes]] = set()
    for number in range(max_games):
        game = games[number % len(games)]
        for problem in candidates(game, number):
            key = (game, problem.position.state)
            if key not in seen:
                seen.add(key)
                found.append(Candidate(problem, missed(problem), number))
        counts = Counter(one.problem.kind for one in found)
        hard = Counter(one.problem.kind for one in found if one.missed)
        print(f"{number + 1} games: {dict(counts)}, hard {dict(hard)}", file=sys.stderr, flush=True)
        if all(
            counts[kind] >= ENOUGH * EACH_KIND and hard[kind] >= HARD_SHARE * EACH_KIND
            for kind in KINDS
        ):
            break
    lines = [one.problem.line() for kind in KINDS for one in chosen(found, kind)]
    path = Path(th.__file__).parent / "games" / name / FILE
    head = (
        "# Positions with proven answers. Each line: options ; position ; kind ; keeps ; moves\n"
        f"# Written by python tools/suite.py make {name} --games {max_games}\n"
    )
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def chosen(found: list[Candidate], kind: str) -> list[Candidate]:
    """The problems of a kind to keep: most of them hard, from as many options as can be."""
    own = [one for one in found if one.problem.kind == kind]
    kept: list[Candidate] = []
    from_options: Counter[str] = Counter()
    for hard, share in ((True, round(HARD_SHARE * EACH_KIND)), (False, EACH_KIND)):
        left = [one for one in own if one not in kept and (one.missed > 0) >= hard]
        while left and len(kept) < share:
            best = min(
                left,
                key=lambda one: (from_options[option_text(one.problem.position.game)], one.game),
            )
            left.remove(best)
            kept.append(best)
            from_options[option_text(best.problem.position.game)] += 1
    return sorted(kept, key=lambda one: (option_text(one.problem.position.game), one.game))


def measure(names: list[str], bot: str, seed: int) -> None:
    """Print how many problems of each kind a bot finds, and those it does not."""
    for name in names:
        found: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        for problem in problems(name):
            counts[problem.kind] += 1
            move = player(problem.position.game, bot).choose(problem.position, seed=seed)
            if move in problem.moves:
                found[problem.kind] += 1
            else:
                print(f"  missed with {move}: {name} ; {problem.line()}", flush=True)
        for kind in KINDS:
            share = found[kind] / max(1, counts[kind])
            print(f"{name:<10} {kind:<16} {found[kind]:>3} of {counts[kind]:<3} {share:.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("make", "measure"))
    parser.add_argument("name", nargs="*", metavar="GAME")
    parser.add_argument("--bot", default="level8:threads=2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=150, help="to look for problems in")
    given = parser.parse_args()
    if given.what == "make":
        for name in given.name or th.games():
            make(name, given.games)
    else:
        measure(given.name or th.games(), given.bot, given.seed)


if __name__ == "__main__":
    main()
