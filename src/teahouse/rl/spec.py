"""The game and the encoding that an argument of this package stands for."""

from teahouse.core.catalog import load
from teahouse.core.encoding import encoded_rules, observation_spec
from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game

__all__ = ["encoded_rules", "observation_spec", "resolve_game"]


def resolve_game(game: str | Game, options: dict[str, object]) -> Game:
    """Return the game, loaded with the options if given by name."""
    if not isinstance(game, Game):
        return load(game, **options)
    if options:
        raise OptionError(
            f"Options can only be given with a game's name, got {quoted(options)} for {game!r}."
        )
    return game
