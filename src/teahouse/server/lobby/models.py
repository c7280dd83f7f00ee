"""Who is in the lobby, and what they propose. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from teahouse.core.game import Game, game_info
from teahouse.core.options import ChoiceOption, option_label, option_text
from teahouse.server.accounts.models import Account
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.ratings.scale import Rating

MAX_WORD = 24
"""Characters of an option's value that are shown in lists."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person or program in the lobby: an account, or a guest known by a key."""

    key: str
    """Identifies the visitor; a hash for guests."""
    name: str | None
    account: Account | None = None

    @property
    def body(self) -> dict[str, Any]:
        """What others see of the visitor."""
        return {"name": self.name, "account": self.account and self.account.body}

    @classmethod
    def of(cls, account: Account) -> Visitor:
        """Return the visitor who is signed in as an account."""
        return cls(account_key(account.id), account.name, account)


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A game that somebody proposes; it is created once all places are taken."""

    id: str
    request: ChallengeIn
    game: Game
    players: tuple[Visitor, ...]
    """Who takes part so far, the challenger first."""
    rating: Rating | None
    """The challenger's, where the game has ratings."""
    to: Account | None
    """The account that is challenged; everybody if None."""
    created: float

    @property
    def challenger(self) -> Visitor:
        """Who made the challenge."""
        return self.players[0]

    @property
    def places(self) -> int:
        """The number of seats that are not played by bots of the server."""
        return len(self.game.players) - len(self.request.bots)

    @property
    def complete(self) -> bool:
        """Whether the game can begin."""
        return len(self.players) == self.places

    @property
    def stored(self) -> bool:
        """Whether the challenge stays open while its challenger is offline."""
        slow = self.request.time_control.kind == "correspondence"
        return slow and self.challenger.account is not None

    def rated(self, rating: Rating | None) -> Challenge:
        """Return the challenge with the challenger's rating."""
        return replace(self, rating=rating)

    @property
    def body(self) -> dict[str, Any]:
        """What others see of the challenge."""
        request = self.request
        return {
            "id": self.id,
            "game": self.game.name,
            "title": self.game.title,
            "options": self.game.options,
            "option_words": option_words(self.game),
            "time_control": request.time_control.spec(),
            "rated": request.rated,
            "listed": request.listed,
            "seat": request.seat,
            "sides": list(self.game.players),
            "bots": [{"seat": bot.seat, "level": bot.level} for bot in request.bots],
            "players": [player.body for player in self.players],
            "places": self.places,
            "rating": rating_body(self.rating),
            "rating_range": request.rating_range,
            "to": None if self.to is None else self.to.name,
            "created": self.created,
        }


def account_key(account_id: str) -> str:
    """Return the key of the visitor who is signed in as an account."""
    return f"account:{account_id}"


def rating_body(rating: Rating | None) -> dict[str, Any] | None:
    """Return a rating as it is sent."""
    if rating is None:
        return None
    return {"value": round(rating.value), "provisional": rating.provisional}


def option_words(game: Game) -> list[str]:
    """Return the non-default options as short texts: "Board side 5"."""
    words = []
    for name, option in game_info(game.name).options.items():
        value = game.all_options[name]
        if value == option.default:
            continue
        label = option_label(name, option)
        if isinstance(option, ChoiceOption) and option.choice_labels:
            chosen = option.choice_labels[option.names.index(value)]
            words.append(f"{label}: {chosen}" if isinstance(value, bool) else chosen)
        elif isinstance(value, bool):
            words.append(label if value else f"{label}: no")
        elif "\n" in (text := option_text(value)) or len(text) > MAX_WORD:
            words.append(f"own {label[0].lower()}{label[1:]}")
        else:
            words.append(f"{label} {text}")
    return words
