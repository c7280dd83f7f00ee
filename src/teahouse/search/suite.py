"""Test positions with proven answers, one file for each game: `suite.txt` in its folder.

A line is `options ; position ; kind ; keeps ; moves`, and the moves are all that are right:

win this turn   after these the same player can still win before anybody else decides; of no other
                move it is known that it keeps a win
avoid the loss  after all others another side can force a win; after these none can
the only move   one move alone keeps what the position is worth

What is kept is a `win` that the side can force against all others, or `no loss`. `no loss in 8`
says that after the right moves nobody else can force a win in the next 8 decisions; what comes
after them is not known. The wrong moves lose in any case.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from teahouse.core.catalog import load
from teahouse.core.game import Game, game_info
from teahouse.core.packages import game_text
from teahouse.core.position import Position
from teahouse.search.proof.dfpn_search import DfpnSearch, Goal
from teahouse.search.proof.strategy import outcome

WIN_THIS_TURN = "win this turn"
AVOID_THE_LOSS = "avoid the loss"
THE_ONLY_MOVE = "the only move"
KINDS = (WIN_THIS_TURN, AVOID_THE_LOSS, THE_ONLY_MOVE)
WIN, NO_LOSS = "win", "no loss"
FILE = "suite.txt"
ROUND = 20  # positions that a judge lets a prover look at before it looks at its limit


@dataclass(frozen=True)
class Problem:
    """A position, what is asked there, and the right moves."""

    position: Position
    kind: str
    keeps: str
    moves: tuple[str, ...]

    def line(self) -> str:
        """The problem as a line of its file."""
        options = option_text(self.position.game)
        return " ; ".join(
            (options, str(self.position), self.kind, self.keeps, " ".join(self.moves))
        )


def option_text(game: Game) -> str:
    """The options that differ from their defaults, or `-`."""
    changed = [
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in game.options.items()
        if value != game_info(game.name).options[name].default
    ]
    return " ".join(changed) or "-"


def problems(name: str) -> list[Problem]:
    """All problems of a game's file."""
    text = game_text(name, FILE) or ""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [read(name, line) for line in lines]


def read(name: str, line: str) -> Problem:
    """The problem of one line."""
    options, position, kind, keeps, moves = line.split(" ; ")
    values = dict(pair.split("=", 1) for pair in options.split() if pair != "-")
    return Problem(load(name, **values).position(position), kind, keeps, tuple(moves.split()))


def decisions(keeps: str) -> int:
    """Within how many decisions something is kept; 0 for the whole game."""
    _, _, number = keeps.partition(" in ")
    return int(number or 0)


def wins_this_turn(position: Position, most: int) -> list[str] | None:
    """The moves that win at once or begin a win before anybody else decides.

    None if there are more than so many positions to look at.
    """
    player = position.player
    left = [most]
    known: dict[bytes, bool] = {}

    def wins(after: Position) -> bool:
        if after.over:
            return player in after.winners
        if after.player != player:
            return False
        if after.state not in known:
            left[0] -= len(after.legal)
            if left[0] < 0:
                raise OverflowError
            known[after.state] = any(wins(after.play(move)) for move in after.legal)
        return known[after.state]

    left[0] -= len(position.legal)
    try:
        return (
            [move for move in position.legal if wins(position.play(move))] if left[0] > 0 else None
        )
    except OverflowError:
        return None


def claims(position: Position, keeps: str, right: bool) -> Iterator[Goal]:
    """What has to be proven after a right or a wrong move of the player who decides here.

    All of these after a right move, one of them after a wrong one.
    """
    game = position.game
    own = next(side for side, team in enumerate(game.teams) if position.player in team)
    if keeps == WIN:
        win = Goal.win(own)
        yield win if right else win.negation(game)
        return
    for side in range(len(game.teams)):
        if side != own:
            loss = Goal.win(side)
            yield loss.negation(game) if right else loss


class Judge:
    """Tells right moves from wrong ones with provers that learn from each other's positions.

    For each claim they try so many moves at most.
    """

    def __init__(self, position: Position, memory: int, depth: int, most: int) -> None:
        self.position = position
        self._memory = memory
        self._depth = depth
        self._most = most
        self._provers: dict[Goal, DfpnSearch] = {}

    def right(self, move: str, keeps: str) -> bool | None:
        """Whether a move keeps what is to be kept; None if that takes too long to find out."""
        after = self.position.play(move)
        wrong = [
            self.holds(after, claim, decisions(keeps))
            for claim in claims(self.position, keeps, right=False)
        ]
        if True in wrong:
            return False
        return None if None in wrong else True

    def holds(self, position: Position, claim: Goal, within: int = 0) -> bool | None:
        """Whether a claim holds, within the limits."""
        if position.over:
            return outcome(position) in claim.outcomes
        denial = claim.negation(self.position.game)
        for tried in (claim,) if within else (claim, denial):
            prover = self.prover(tried)
            prover.set_root(position.state, within)
            stop = prover.generated + self._most
            settled = False
            while not settled and prover.generated < stop:
                settled = prover.run(ROUND)
            known = prover.probe(position.state, within) if settled else None
            if known or (known is False and (within or not prover.depth_limited)):
                return known is (tried == claim)
            if known is None:
                return None
        return None

    def prover(self, claim: Goal) -> DfpnSearch:
        """The prover of a claim."""
        if claim not in self._provers:
            self._provers[claim] = DfpnSearch(self.position, claim, self._memory, self._depth)
        return self._provers[claim]
