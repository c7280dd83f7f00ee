"""Which challenges a bot account accepts."""

from __future__ import annotations

from dataclasses import dataclass

from teahouse.client.models import Challenge, Correspondence, Realtime, TimeControl
from teahouse.core.catalog import games, load, load_untrusted
from teahouse.core.errors import OptionError
from teahouse.core.game import Game
from teahouse.core.options import option_texts
from teahouse.terminal.connect.choices import Clock, Rated


def clock_kind(time_control: TimeControl) -> Clock:
    """Return the kind of a time control."""
    if isinstance(time_control, Realtime):
        return Clock.REALTIME
    return Clock.CORRESPONDENCE if isinstance(time_control, Correspondence) else Clock.NONE


@dataclass(frozen=True)
class AcceptRules:
    """What a challenge must be like."""

    games: frozenset[str]
    clocks: frozenset[Clock]
    rated: Rated
    min_seconds: int
    """Of a real-time clock at the start."""
    bots: bool
    """Whether other bots may challenge too."""
    two_sided: bool
    """Whether the game must have two sides, as a UGI engine needs."""

    @property
    def challenged_games(self) -> list[str]:
        """The games that are accepted, at least with their default options."""
        return [name for name in self.games if not self.two_sided or has_two_sides(load(name))]

    def refusal(self, challenge: Challenge) -> str | None:
        """Return why a challenge is declined, or None if it is accepted."""
        clock = clock_kind(challenge.time_control)
        if challenge.game not in self.games:
            return f"the game is {challenge.game}"
        if clock not in self.clocks:
            return f"the clock is {clock}"
        if (
            isinstance(challenge.time_control, Realtime)
            and challenge.time_control.seconds < self.min_seconds
        ):
            return f"the clock starts at {challenge.time_control.seconds} s"
        if self.rated == Rated.RATED and not challenge.rated:
            return "the game is casual"
        if self.rated == Rated.CASUAL and challenge.rated:
            return "the game is rated"
        if not self.bots and challenge.challenger and challenge.challenger.kind == "bot":
            return "the challenger is a bot"
        return self._game_refusal(challenge)

    def _game_refusal(self, challenge: Challenge) -> str | None:
        try:
            game = load_untrusted(challenge.game, option_texts(challenge.options))
        except OptionError as error:
            return str(error)
        return "the game has not two sides" if self.two_sided and not has_two_sides(game) else None


def has_two_sides(game: Game) -> bool:
    """Return whether a game is played by two sides."""
    return len(game.teams) == 2


def check_games(names: list[str] | None) -> frozenset[str]:
    """Return the names of games, by default all; raise `OptionError` for an unknown one."""
    return frozenset(load(name).name for name in names or games())
