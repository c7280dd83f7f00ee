"""Proofs as strategies: a move for every position in which those who force something decide.

Whoever doubts one plays it through: all moves of the others, the strategy's move otherwise, and
every game has to end as claimed. That takes nothing but the rules.

    [Game "orochi"]
    [Options "side=2"]
    [Start "2/3/2 w 0"]

    [Claim "White can force a win"]
    [By "White"]
    [Ends "White"]
    2/3/2 w = wb2
    …

A line is a position without the number of decisions at its end, and the move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from teahouse.core.position import Position
from teahouse.core.pyrecord import pack
from teahouse.core.record import Record
from teahouse.search.proof.dfpn_search import DRAW, DfpnSearch, Goal, side_name


@dataclass(frozen=True)
class Forced:
    """A claim about a position with the strategy that proves it."""

    claim: Goal
    position: Position
    moves: dict[str, str]
    """The move for each position, which is written without its last number.

    Where decisions are counted, `@` and the number of those left stand behind it.
    """


def strategy(
    prover: DfpnSearch,
    claim: Goal,
    start: Position,
    progress: Callable[[int], None] | None = None,
    within: int = 0,
) -> Forced:
    """Walk through all that can come up and note what keeps the claim true.

    With `within`, what the prover looks for counts only in so many decisions; a claim that denies
    it has to hold out for as long.
    """
    game = start.game
    moves: dict[str, str] = {}
    seen = {(start.state, within)}
    waiting = [(start, within)]
    while waiting:
        position, left = waiting.pop()
        if position.over:
            assert outcome(position) in claim.outcomes
            continue
        if within and left == 0:
            assert claim.attackers != prover.goal.attackers
            continue
        if _forces(claim, position):
            chosen = _kept(prover, claim, position, left)
            text = game.notation.move_text(game.board, position.unpack(), chosen)
            moves[without_ply(position) + (f" @{left}" if within else "")] = text
            followers = [_after(position, chosen)]
        else:
            followers = [_after(position, move) for move, *_ in prover.probe_moves(position.state)]
        for follower in followers:
            key = (follower.state, left - 1 if within else 0)
            if key not in seen:
                seen.add(key)
                waiting.append((follower, key[1]))
        if progress is not None and len(seen) % 256 == 0:
            progress(len(seen))
    return Forced(claim, start, moves)


def play(provers: Iterable[tuple[Goal, DfpnSearch]], position: Position) -> str:
    """A move that keeps every claim true, as far as that lies with the player who decides.

    One who has nothing to force plays what is hardest to answer: what took the most work.
    """
    game = position.game
    for claim, prover in provers:
        if _forces(claim, position):
            move = _kept(prover, claim, position)
            break
    else:
        claim, prover = next(iter(provers))
        move = max(prover.probe_moves(position.state), key=lambda found: found[2])[0]
    text: str = game.notation.move_text(game.board, position.unpack(), move)
    return text


def written(proofs: Iterable[Forced]) -> Iterator[str]:
    """The lines of a file with these proofs, which are about one position."""
    for number, proof in enumerate(proofs):
        game = proof.position.game
        if number == 0:
            head = Record(game, proof.position).text().splitlines()
            yield from (
                line for line in head if line.startswith(("[Game ", "[Options ", "[Start "))
            )
        by = [side_name(game, side) for side in sorted(proof.claim.attackers)]
        ends = ["draw" if end == DRAW else side_name(game, end) for end in sorted(proof.claim.outcomes)]
        yield ""
        yield f'[Claim "{proof.claim.describe(game)}"]'
        yield f'[By "{" ".join(by)}"]'
        yield f'[Ends "{" ".join(ends)}"]'
        for position, move in proof.moves.items():
            yield f"{position} = {move}"


def without_ply(position: Position) -> str:
    """A position's text without the number of decisions at its end."""
    return str(position).rpartition(" ")[0]


def _forces(claim: Goal, position: Position) -> bool:
    """Whether it is the decision of those who force something."""
    return any(position.player in position.game.teams[side] for side in claim.attackers)


def outcome(position: Position) -> int:
    """The side that has won, or DRAW."""
    for side, team in enumerate(position.game.teams):
        if set(team) & set(position.winners):
            return side
    return DRAW


def _kept(prover: DfpnSearch, claim: Goal, position: Position, left: int = 0) -> int:
    """The move that keeps a claim true and took the least work; the table may have forgotten it."""
    wanted = claim.attackers == prover.goal.attackers
    for _ in range(3):
        good = [found for found in prover.probe_moves(position.state, left) if found[1] is wanted]
        if good:
            return min(good, key=lambda found: found[2])[0]
        prover.set_root(position.state, left)
        while not prover.run(100_000):
            pass
    raise RuntimeError("the proof does not fit into the memory given")


def _after(position: Position, move: int) -> Position:
    """The position after a move known by its number."""
    game = position.game
    state = position.unpack()
    game.rules.play(game.board, state, move)
    return Position(game, pack(state, game.layout.state), position.ply + 1)
