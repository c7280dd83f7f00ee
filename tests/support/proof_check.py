"""A slow check of written proofs that shares nothing with the search: it plays every game through.

python tests/proof_check.py FILE
"""

import re
import sys
from pathlib import Path

import teahouse as th

TAG = re.compile(r'\[(\w+) "(.*)"\]$')


class BadProofError(Exception):
    """A proof that does not prove what it claims."""


def check_text(text: str) -> list[str]:
    """Check all proofs of a file; the claims that hold."""
    head, *parts = text.strip().split("\n\n")
    record = th.Record.parse(head + "\n\n*\n")
    return [check_part(record.position, part.splitlines()) for part in parts]


def check_part(start: th.Position, lines: list[str]) -> str:
    """Check one claim."""
    tags: dict[str, str] = {}
    moves: dict[str, str] = {}
    for line in lines:
        tag = TAG.match(line)
        if tag:
            tags[tag[1]] = tag[2]
        else:
            position, _, move = line.rpartition(" = ")
            moves[position] = move
    check_strategy(start, tags["By"].split(), tags["Ends"].split(), moves)
    return tags["Claim"]


def check_strategy(
    start: th.Position, by: list[str], ends: list[str], moves: dict[str, str], within: int = 0
) -> int:
    """Play every move of those who force nothing; every game must end as claimed.

    With `within`, only so many decisions are played, and then a game that goes on counts as a draw.
    Gives the number of positions that came up.
    """
    game = start.game
    sides = {"+".join(game.players[player] for player in team): team for team in game.teams}
    forcing = {player for name in by for player in sides[name]}
    allowed = {tuple(sorted(sides[name])) if name != "draw" else () for name in ends}
    waiting = [(start, within)]
    seen = {(start.state, within)}
    while waiting:
        position, left = waiting.pop()
        if position.over or (within and left == 0):
            if tuple(sorted(position.winners)) not in allowed:
                raise BadProofError(f"{position} ends otherwise: {position.winners}")
            continue
        choices = list(position.legal)
        if position.player in forcing:
            text = str(position).rpartition(" ")[0] + (f" @{left}" if within else "")
            if moves.get(text) not in choices:
                raise BadProofError(f"no legal move is given for {position}")
            choices = [moves[text]]
        for move in choices:
            key = (position.play(move), left - 1 if within else 0)
            if (key[0].state, key[1]) not in seen:  # no position comes again in one game
                seen.add((key[0].state, key[1]))
                waiting.append(key)
    return len(seen)


if __name__ == "__main__":
    for claim in check_text(Path(sys.argv[1]).read_text(encoding="utf-8")):
        print("holds:", claim)
