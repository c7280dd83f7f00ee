"""Every game with the options worth trying: its defaults, then each option's examples."""

from pathlib import Path

import teahouse as th
from teahouse.core.game import Game, game_info

FOLDER = Path(th.__file__).parent / "games"


def variants(name: str) -> list[Game]:
    """The game with its defaults first, then with other options."""
    games = [th.load(name)]
    for option, kind in game_info(name).options.items():
        for value in kind.examples:
            try:
                games.append(th.load(name, **{option: value}))
            except th.OptionError:  # does not go with the other defaults
                continue
    return list(dict.fromkeys(games))


ALL = [game for name in th.games() for game in variants(name)]


def ids(game: Game) -> str:
    """A game's name and options for test listings."""
    changed = [
        f"{name}={value}"
        for name, value in game.options.items()
        if value != game_info(game.name).options[name].default
    ]
    return "-".join([game.name, *changed]).replace("\n", "/")[:60]


# One variant for each way to sit around a game's table.
KINDS = list({(game.name, game.teams): game for game in reversed(ALL)}.values())
