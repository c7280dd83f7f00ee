"""Kill the server in the middle of play, 200 times by default: no acknowledged move may be lost.

python benchmarks/server_kills.py [KILLS] [DATABASE]
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from support.kills import kill_repeatedly


def main() -> None:
    """Kill, count and print."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        database = sys.argv[2] if len(sys.argv) > 2 else f"{folder}/teahouse.db"
        tally = kill_repeatedly(
            database, kills, seed=1, progress=lambda done: print(done, end=" ", flush=True)
        )
    print()
    print(asdict(tally))


if __name__ == "__main__":
    main()
