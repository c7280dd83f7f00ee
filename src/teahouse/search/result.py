"""What a search has found out about a position: its best move, its value, and every move's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from teahouse.core.position import Position
from teahouse.search.mcts.outcomes import excludes
from teahouse.search.mcts.search import Child, TreeSearch

Proof = Literal["win", "loss", "draw"]
PROOF_RANK: dict[Proof | None, int] = {"win": 2, "draw": 1, None: 1, "loss": 0}


@dataclass(frozen=True)
class AnalysedMove:
    """A legal move and what the search found out about it, for the player who decides."""

    move: str
    visits: int
    value: float
    """The expected score, 0 to 1; that of a draw where there are no visits."""
    proof: Proof | None
    """How the game ends after this move if all play their best; None if that is not known."""


@dataclass(frozen=True)
class Analysis:
    """A position looked into."""

    best: str
    value: float
    """The expected score of the player who decides, 0 to 1."""
    line: tuple[str, ...]
    """The best move and what is likely to follow."""
    moves: tuple[AnalysedMove, ...]
    """Every legal move, in the order of `position.legal`."""
    simulations: int
    seconds: float

    @property
    def ranked(self) -> tuple[AnalysedMove, ...]:
        """Every legal move, best first: `best`, then by proof, then by visits, then by value."""

        def rank(found: AnalysedMove) -> tuple[bool, int, int, float]:
            proof = PROOF_RANK[found.proof]
            return found.move == self.best, proof, found.visits, found.value

        return tuple(sorted(self.moves, key=rank, reverse=True))


def summarize(
    position: Position,
    search: TreeSearch,
    proofs: Mapping[int, int],
    simulations: int,
    seconds: float,
) -> Analysis:
    """What a search says about its position, and what is known of moves besides."""
    children = [_known(child, proofs) for child in search.children()]
    view = _View(position)
    best = view.best(children)
    return Analysis(
        best=view.text(children[best]),
        value=view.value(children[best]),
        line=tuple(_line(position, search, children, best)),
        moves=tuple(
            AnalysedMove(view.text(child), child.visits, view.value(child), view.proof(child))
            for child in children
        ),
        simulations=simulations,
        seconds=seconds,
    )


def _known(child: Child, proofs: Mapping[int, int]) -> Child:
    """A move, with what is known of it from elsewhere."""
    proof = proofs.get(child.move, 0)
    return replace(child, proof=proof & child.proof or proof | child.proof)


def _line(
    position: Position, search: TreeSearch, children: list[Child], best: int
) -> Iterator[str]:
    """The moves that look best to who decides."""
    view = _View(position)
    while children:
        child = children[best]
        if child.visits == 0 and view.decisions:
            return
        yield view.text(child)
        view.play(child)
        children = search.children(child.node)
        best = view.best(children) if children else 0


class _View:
    """How the moves of a tree look to the player who decides."""

    def __init__(self, position: Position) -> None:
        self._game = position.game
        self._state = position.unpack()
        self.decisions = 0

    def play(self, child: Child) -> None:
        """Go on to the position after a move."""
        self._game.rules.play(self._game.board, self._state, child.move)
        self.decisions += 1

    def text(self, child: Child) -> str:
        text: str = self._game.notation.move_text(self._game.board, self._state, child.move)
        return text

    @property
    def _side(self) -> int:
        return self._game.side(self._state.player)

    def proof(self, child: Child) -> Proof | None:
        sides = len(self._game.teams)
        if child.proof == 1 << self._side:
            return "win"
        if child.proof == 1 << sides:
            return "draw"
        return "loss" if excludes(child.proof, sides, self._side) else None

    def value(self, child: Child) -> float:
        """The expected score, within what is proven."""
        sides = len(self._game.teams)
        value = child.value if child.visits else 1 / sides
        scores = {
            1.0 if side == self._side else 1 / sides if side == sides else 0.0
            for side in range(sides + 1)
            if child.proof >> side & 1
        }
        return min(max(value, min(scores)), max(scores)) if scores else value

    def best(self, children: list[Child]) -> int:
        """The place of the move to play: won, or else drawn if nothing promises more.

        Of moves that are as good as each other as far as is known, the one visited most. Of lost
        ones that after which most others may still win: there they stand in each other's way.
        """
        proofs = [self.proof(child) for child in children]

        def visited_most(wanted: Proof | None) -> int | None:
            def rank(place: int) -> tuple[int, int]:
                child = children[place]
                return child.proof.bit_count() if wanted == "loss" else 0, child.visits

            places = [place for place, proof in enumerate(proofs) if proof == wanted]
            return max(places, key=rank, default=None)

        won, drawn, unknown = visited_most("win"), visited_most("draw"), visited_most(None)
        if won is not None:
            return won
        if drawn is not None and (
            unknown is None or self.value(children[unknown]) <= self.value(children[drawn])
        ):
            return drawn
        if unknown is not None:
            return unknown
        return visited_most("loss") or 0
