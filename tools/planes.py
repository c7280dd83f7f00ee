"""Write the tables of actions and planes to docs/rl.md, under their heading.

python tools/planes.py
"""

from collections.abc import Iterator
from pathlib import Path

import teahouse as th
from teahouse.core.game import Game, game_info
from teahouse.core.packages import optional_module
from teahouse.rl.spec import observation_spec
from teahouse.rl.spec_text import spec_markdown

PAGE = Path(__file__).parent.parent / "docs" / "rl.md"
HEADING = "## Actions and planes\n"


def variants(name: str) -> Iterator[Game]:
    """Yield the game with its default options, and with options that change its planes."""
    known = []
    for options in (
        {},
        *({option: v} for option, kind in game_info(name).options.items() for v in kind.examples),
    ):
        try:
            game = th.load(name, **options)
        except th.OptionError:  # not valid with the other defaults
            continue
        planes = [plane.meaning for plane in observation_spec(game).planes]
        if planes not in known:
            known.append(planes)
            yield game


def tables() -> str:
    """Return the tables of all games with planes of their own."""
    names = [name for name in th.games() if optional_module(name, "planes")]
    return "\n".join(spec_markdown(game) for name in names for game in variants(name))


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    head, _, _ = page.partition(HEADING)
    PAGE.write_text(f"{head}{HEADING}{tables()}", encoding="utf-8")
