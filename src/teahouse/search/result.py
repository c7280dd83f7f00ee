"""The result of a search: the best move, its value and line, and the statistics of every move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from teahouse.core.position import Position
from teahouse.search.mcts.outcomes import excludes
from teahouse.search.mcts.search import Child, TreeSearch
from teahouse.search.puct.search import PuctSearch
from teahouse.search.side_scores import side_scores

Proof = Literal["win", "loss", "draw"]
PROOF_RANK: dict[Proof | None, int] = {"win": 2, "draw": 1, None: 1, "loss": 0}
MIN_VISITS = 0.15  # share of the highest visit count required for LCB selection


@dataclass(frozen=True)
class AnalysedMove:
    """Statistics of a legal move, from the view of the player to move."""

    move: str
    """Its text."""
    visits: int
    """Simulations that went through it."""
    value: float
    """Expected score, 0 to 1; that of a draw if there are no visits."""
    proof: Proof | None
    """Result with best play after this move; None if unknown."""


@dataclass(frozen=True)
class Analysis:
    """Analysis of a position."""

    best: str
    """The best move found."""
    value: float
    """Expected score of the player to move, 0 to 1."""
    line: tuple[str, ...]
    """Principal variation: the best move and the expected continuation."""
    moves: tuple[AnalysedMove, ...]
    """Every legal move, best first: `best`, then by proof, then by visits, then by value."""
    simulations: int
    """Playouts or evaluations that the search made."""
    seconds: float
    """The time that it took."""
    scores: tuple[float, ...] = ()
    """Expected score of each side after the best move; they add up to 1."""

    @property
    def proof(self) -> Proof | None:
        """Proven result of the position for the player to move; None if unknown."""
        proofs = {found.proof for found in self.moves}
        if "win" in proofs:
            return "win"
        if None in proofs:
            return None
        return "draw" if "draw" in proofs else "loss"


def summarize(
    position: Position,
    search: TreeSearch | PuctSearch,
    proofs: Mapping[int, int],
    simulations: int,
    seconds: float,
) -> Analysis:
    """Return the analysis of a search's root; `proofs` adds the solver's result for some moves."""
    children = [_merge_proof(child, proofs) for child in search.children()]
    cursor = _Cursor(position, search.lcb)
    best = cursor.best(children)
    moves = [
        AnalysedMove(cursor.text(child), child.visits, cursor.value(child), cursor.proof(child))
        for child in children
    ]
    return Analysis(
        best=moves[best].move,
        value=cursor.value(children[best]),
        line=tuple(_line(position, search, children, best)),
        moves=tuple(sorted(moves, key=lambda found: _rank(found, moves[best]), reverse=True)),
        simulations=simulations,
        seconds=seconds,
        scores=side_scores(position, search, children[best], cursor.value(children[best])),
    )


def _rank(found: AnalysedMove, best: AnalysedMove) -> tuple[bool, int, int, float]:
    return found is best, PROOF_RANK[found.proof], found.visits, found.value


def principal_variations(
    position: Position,
    search: TreeSearch | PuctSearch,
    proofs: Mapping[int, int],
    moves: Sequence[str],
) -> list[tuple[str, ...]]:
    """Return the expected continuation after each of these moves, the move first."""
    children = [_merge_proof(child, proofs) for child in search.children()]
    cursor = _Cursor(position, search.lcb)
    index = {cursor.text(child): number for number, child in enumerate(children)}
    return [tuple(_line(position, search, children, index[move])) for move in moves]


def _merge_proof(child: Child, proofs: Mapping[int, int]) -> Child:
    """Return the child with the intersection of its own proof and the solver's."""
    proof = proofs.get(child.move, 0)
    return replace(child, proof=proof & child.proof or proof | child.proof)


def _line(
    position: Position, search: TreeSearch | PuctSearch, children: list[Child], best: int
) -> Iterator[str]:
    """Yield the principal variation as far as it was visited."""
    cursor = _Cursor(position, search.lcb)
    while children:
        child = children[best]
        if child.visits == 0 and cursor.depth:
            return
        yield cursor.text(child)
        cursor.play(child)
        children = search.children(child.node)
        best = cursor.best(children) if children else 0


class _Cursor:
    """A position on a line of the tree; reads its children from the view of the player to move."""

    def __init__(self, position: Position, lcb: float) -> None:
        self._game = position.game
        self._state = position.unpack()
        self._lcb = lcb
        self.depth = 0

    def play(self, child: Child) -> None:
        """Advance to the position after a move."""
        self._game.rules.play(self._game.board, self._state, child.move)
        self.depth += 1

    def text(self, child: Child) -> str:
        """Return the move in notation."""
        text: str = self._game.notation.move_text(self._game.board, self._state, child.move)
        return text

    @property
    def _side(self) -> int:
        return self._game.side(self._state.player)

    def proof(self, child: Child) -> Proof | None:
        """Return the proven result of a move, if any."""
        sides = len(self._game.teams)
        if child.proof == 1 << self._side:
            return "win"
        if child.proof == 1 << sides:
            return "draw"
        return "loss" if excludes(child.proof, sides, self._side) else None

    def value(self, child: Child) -> float:
        """Return the expected score, clamped to what the proof allows."""
        sides = len(self._game.teams)
        value = child.value if child.visits else 1 / sides
        scores = {
            1.0 if side == self._side else 1 / sides if side == sides else 0.0
            for side in range(sides + 1)
            if child.proof >> side & 1
        }
        return min(max(value, min(scores)), max(scores)) if scores else value

    def best(self, children: list[Child]) -> int:
        """Return the index of the move to play: a win, else a draw unless another promises more.

        Ties go to the one with the highest lower confidence bound or, without such bounds, to the
        most visited; then to the one with the highest prior. Among lost moves prefer those after
        which the most sides may still win: these get in each other's way.
        """
        proofs = [self.proof(child) for child in children]
        enough = MIN_VISITS * max(child.visits for child in children) if self._lcb else math.inf

        def bound(child: Child) -> float:
            if child.visits < max(1, enough):
                return -math.inf
            return self.value(child) - self._lcb / math.sqrt(child.visits)

        def most_promising(proof: Proof | None) -> int | None:
            def rank(index: int) -> tuple[int, float, int, float]:
                child = children[index]
                winners = child.proof.bit_count() if proof == "loss" else 0
                return winners, bound(child), child.visits, child.prior

            indices = [index for index, found in enumerate(proofs) if found == proof]
            return max(indices, key=rank, default=None)

        won, drawn, unknown = most_promising("win"), most_promising("draw"), most_promising(None)
        if won is not None:
            return won
        if drawn is not None and (
            unknown is None or self.value(children[unknown]) <= self.value(children[drawn])
        ):
            return drawn
        if unknown is not None:
            return unknown
        return most_promising("loss") or 0
