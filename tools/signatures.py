"""Write the signature of every game's search, after a change of behaviour that was meant.

    python tools/signatures.py

A signature is a hash of the whole tree after some simulations from the start. `signature.txt` in a
game's folder holds it for the settings of the game's bots, and tests compare.
"""

from pathlib import Path

import teahouse as th
from teahouse.search.levels import profile
from teahouse.search.mcts.search import TreeSearch

GAMES = Path(__file__).parents[1] / "src" / "teahouse" / "games"
SIMULATIONS = 2_000


def signature(name: str) -> str:
    """The hash of a search from the start of a game."""
    game = th.load(name)
    params = profile(game).params
    search = TreeSearch(game.start(seed=1), 1, 1 << 26, SIMULATIONS, params)
    search.run(SIMULATIONS)
    return search.signature()


if __name__ == "__main__":
    for name in th.games():
        (GAMES / name / "signature.txt").write_text(signature(name) + "\n", encoding="utf-8")
