"""Verify proof files: replay each strategy against all moves of the defenders.

    python tools/check_proof.py FILE

Slow and simple, with nothing but the rules; no code is shared with the search.
"""

import re
import sys
from pathlib import Path

import teahouse as th

TAG = re.compile(r'\[(\w+) "(.*)"\]$')


class BadProofError(Exception):
    """A strategy that does not prove its claim."""


def check_text(text: str) -> list[str]:
    """Verify all strategies of a file and return their claims."""
    head, *parts = text.strip().split("\n\n")
    record = th.Record.parse(head + "\n\n*\n")
    return [check_part(record.position, part.splitlines()) for part in parts]


def check_part(start: th.Position, lines: list[str]) -> str:
    """Verify one strategy and return its claim."""
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
    start: th.Position,
    attackers: list[str],
    outcomes: list[str],
    moves: dict[str, str],
    max_plies: int = 0,
) -> int:
    """Play all moves of the defenders; raise `BadProofError` if a game does not end as claimed.

    With `max_plies`, stop after that number of plies and count an unfinished game as a draw.
    Return the number of positions visited.
    """
    game = start.game
    sides = {"+".join(game.players[player] for player in team): team for team in game.teams}
    attacking = {player for name in attackers for player in sides[name]}
    allowed = {tuple(sorted(sides[name])) if name != "draw" else () for name in outcomes}
    stack = [(start, max_plies)]
    seen = {(start.state, max_plies)}
    while stack:
        position, left = stack.pop()
        if position.over or (max_plies and left == 0):
            if tuple(sorted(position.winners)) not in allowed:
                raise BadProofError(f"{position} has another outcome: {position.winners}")
            continue
        choices = list(position.legal)
        if position.player in attacking:
            text = str(position).rpartition(" ")[0] + (f" @{left}" if max_plies else "")
            if moves.get(text) not in choices:
                raise BadProofError(f"The strategy has no legal move for {position}")
            choices = [moves[text]]
        for move in choices:
            child = position.play(move)
            key = (child.state, left - 1 if max_plies else 0)
            if key not in seen:  # no position repeats within a game
                seen.add(key)
                stack.append((child, key[1]))
    return len(seen)


if __name__ == "__main__":
    for claim in check_text(Path(sys.argv[1]).read_text(encoding="utf-8")):
        print("holds:", claim)
