"""Flat Monte Carlo: every move is tried by random games, the best score is played."""

from time import perf_counter

from teahouse.core.position import Position


def choose(position: Position, seconds: float = 1.0, seed: int = 0) -> str:
    """The move after which the decider does best in random games.

    The half of the moves that did worse is dropped after each round, so the last ones are told
    apart by the most games.
    """
    deadline = perf_counter() + seconds
    player = position.player
    scores = {move: [0.0, 0] for move in position.legal}
    moves = list(scores)
    games = 16
    round_number = 0
    while len(moves) > 1:
        for move in moves:
            after = position.play(move)
            if after.over:
                won, played = float(player in after.winners), 1
                if won:
                    return move
            else:
                counts = after.playouts(games, seed=seed + round_number)
                won, played = counts.wins[player] + counts.draws / 2, counts.games
            scores[move][0] += won
            scores[move][1] += played
        round_number += 1
        moves.sort(key=lambda move: scores[move][0] / scores[move][1], reverse=True)
        if perf_counter() > deadline:
            break
        if round_number > 1:
            moves = moves[: max(1, len(moves) // 2)]
        games *= 3
    return moves[0]
