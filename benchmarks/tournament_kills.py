"""Kill the server in the middle of a Swiss tournament of bots: it ends with the right standings.

The standings are computed again from the moves of all games, in another way than the server does.

python benchmarks/tournament_kills.py [PLAYERS] [ROUNDS] [KILLS] [DATABASE]
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from support.tournament_kills import play_and_kill


def main() -> None:
    """Play, kill, compare and print."""
    given = sys.argv[1:]
    players, rounds, kills = (
        int(given[place]) if len(given) > place else default
        for place, default in enumerate((64, 6, 3))
    )
    with tempfile.TemporaryDirectory() as folder:
        database = given[3] if len(given) > 3 else f"{folder}/teahouse.db"
        tally = play_and_kill(database, players, rounds, kills, seed=1, progress=print)
    print(asdict(tally))


if __name__ == "__main__":
    main()
