"""A game's options: what each takes, and how values from outside become those the rules use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from teahouse.core.errors import OptionError, listing, quoted


class Option(Protocol):
    """One option of a game."""

    @property
    def default(self) -> Any: ...

    @property
    def help(self) -> str:
        """What the option does, as a sentence without a full stop."""

    @property
    def label(self) -> str:
        """A short label for forms; empty if the name will do."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""

    @property
    def examples(self) -> tuple[Any, ...]:
        """Sample values for tests."""

    def read(self, value: Any) -> Any:
        """Return the value the rules use, from a Python value or its text, or raise ValueError."""


@dataclass(frozen=True)
class IntOption:
    """A whole number within bounds."""

    low: int
    high: int
    default: int
    help: str
    label: str = ""

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    @property
    def examples(self) -> tuple[int, ...]:
        return (self.low, self.default, self.high)

    def read(self, value: Any) -> int:
        if isinstance(value, bool | float):
            raise ValueError
        number = int(value)
        if not self.low <= number <= self.high:
            raise ValueError
        return number


@dataclass(frozen=True)
class BoolOption:
    """Yes or no."""

    default: bool
    help: str
    label: str = ""

    @property
    def allowed(self) -> str:
        return "true or false"

    @property
    def examples(self) -> tuple[bool, ...]:
        return (False, True)

    def read(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        return {"true": True, "false": False}[str(value).lower()]


@dataclass(frozen=True)
class ChoiceOption:
    """One of several names."""

    names: tuple[str, ...]
    default: str
    help: str
    label: str = ""
    choice_labels: tuple[str, ...] = ()
    """The choices as people read them, in the order of `names`; the names if left out."""

    @property
    def allowed(self) -> str:
        return f"one of {listing(self.names)}"

    @property
    def examples(self) -> tuple[str, ...]:
        return self.names

    def read(self, value: Any) -> str:
        return self.names[self.names.index(value)]


@dataclass(frozen=True)
class TextOption:
    """Text that the game checks: `reader` gives the value, or a ValueError with the reason."""

    default: str | None
    help: str
    allowed: str
    reader: Callable[[str], str]
    examples: tuple[str, ...]
    label: str = ""
    files: bool = False
    """Whether `reader` also takes the path of a file, told by there being no line break in it."""

    def read(self, value: Any) -> str | None:
        if value is None or value == self.default:
            return self.default
        if not isinstance(value, str):
            raise ValueError
        return self.reader(value)


def option_label(name: str, option: Option) -> str:
    """Return an option's label for forms, by default its name."""
    return option.label or name.replace("_", " ").capitalize()


def complete(
    game: str,
    options: Mapping[str, Option],
    given: Mapping[str, Any],
    check: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Every option with its value; an OptionError names what is wrong and what is allowed."""
    unknown = [name for name in given if name not in options]
    if unknown:
        known = listing(options) or "none"
        raise OptionError(f"{game} has no option {quoted(unknown[0])}; its options are {known}")
    values = {}
    for name, option in options.items():
        try:
            values[name] = option.read(given[name]) if name in given else option.default
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            why = f" ({error})" if isinstance(option, TextOption) and str(error) else ""
            raise OptionError(
                f"{game}: {name} is {option.allowed}, not {quoted(given[name])}{why}"
            ) from None
    try:
        check(values)
    except ValueError as error:
        raise OptionError(f"{game}: {error}") from None
    return values


def option_texts(options: Mapping[str, Any]) -> dict[str, str]:
    """Return options as texts, as they are typed; None stands for the default and is left out."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in options.items()
        if value is not None
    }
