"""Write the lists of actions and planes into docs/rl.md, below its last heading of the second rank.

python tools/planes.py
"""

from collections.abc import Iterator
from pathlib import Path

import teahouse as th
from teahouse.core.game import Game, game_info
from teahouse.rl.spec import observation_spec
from teahouse.rl.spec_text import spec_markdown

PAGE = Path(__file__).parent.parent / "docs" / "rl.md"
HEADING = "## Actions and planes\n"


def modes(name: str) -> Iterator[Game]:
    """The game as it is usually played, and with options by which other things are seen."""
    known = []
    for options in (
        {},
        *({option: v} for option, kind in game_info(name).options.items() for v in kind.examples),
    ):
        try:
            game = th.load(name, **options)
        except th.OptionError:  # does not go with the other defaults
            continue
        seen = [plane.meaning for plane in observation_spec(game).planes]
        if seen not in known:
            known.append(seen)
            yield game


def lists() -> str:
    """The lists of all games."""
    return "\n".join(spec_markdown(game) for name in th.games() for game in modes(name))


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    head, _, _ = page.partition(HEADING)
    PAGE.write_text(f"{head}{HEADING}{lists()}", encoding="utf-8")
