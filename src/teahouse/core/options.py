"""A game's options: declaration, parsing of values, and their text form `name=value`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Protocol

from teahouse.core.errors import OptionError, listing, quoted


class Option(Protocol):
    """An option of a game."""

    @property
    def default(self) -> Any:
        """The value of a game that does not set it."""

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

    @property
    def house_rule(self) -> bool:
        """Whether the option replaces a rule that games without it share.

        Texts and keys name a house rule only if it differs from its default, so they stay the same
        when a game gets one; and what was measured or trained without it is not used with it.
        """

    def parse(self, value: Any) -> Any:
        """Return the value for the rules from a Python value or its text; raise ValueError."""


@dataclass(frozen=True)
class IntOption:
    """An integer from `low` to `high`; the rest as in `Option`."""

    low: int
    high: int
    default: int
    help: str
    label: str = ""
    house_rule: bool = False

    @property
    def allowed(self) -> str:
        return f"an integer from {self.low} to {self.high}"

    @property
    def examples(self) -> tuple[int, ...]:
        return (self.low, self.default, self.high)

    def parse(self, value: Any) -> int:
        if isinstance(value, bool):
            raise ValueError
        number = int(value) if isinstance(value, str) else index(value)
        if not self.low <= number <= self.high:
            raise ValueError
        return number


@dataclass(frozen=True)
class BoolOption:
    """True or false; the rest as in `Option`."""

    default: bool
    help: str
    label: str = ""
    house_rule: bool = False

    @property
    def allowed(self) -> str:
        return "true or false"

    @property
    def examples(self) -> tuple[bool, ...]:
        return (False, True)

    def parse(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        return {"true": True, "false": False}[str(value).lower()]


@dataclass(frozen=True)
class ChoiceOption:
    """One of `names`, which are strings or booleans; the rest as in `Option`."""

    names: tuple[Any, ...]
    default: Any
    help: str
    label: str = ""
    choice_labels: tuple[str, ...] = ()
    """The choices as people read them, in the order of `names`; the names if left out."""
    house_rule: bool = False

    @property
    def allowed(self) -> str:
        return f"one of {listing(map(option_text, self.names))}"

    @property
    def examples(self) -> tuple[Any, ...]:
        return self.names

    def parse(self, value: Any) -> Any:
        if not isinstance(value, str | bool):
            raise ValueError
        texts = [option_text(name) for name in self.names]
        text = option_text(value)
        return self.names[texts.index(text if text in texts else text.lower())]


@dataclass(frozen=True)
class TextOption:
    """Text that the game parses: `parser` returns the value or raises `ValueError`.

    The rest is as in `Option`.
    """

    default: str | None
    help: str
    allowed: str
    parser: Callable[[str], str]
    examples: tuple[str, ...]
    label: str = ""
    drawing: Callable[[Mapping[str, Any]], str] | None = None
    """Return the lines that the option's value among all options stands for: a draft for others."""
    files: bool = False
    """Whether the text may have several lines, and `parser` takes one without a line break that is
    none of the examples for the path of a file."""
    house_rule: bool = False

    def parse(self, value: Any) -> str | None:
        if value is None or value == self.default:
            return self.default
        if not isinstance(value, str):
            raise ValueError
        return self.parser(value)

    def is_path(self, text: str) -> bool:
        """Return whether a text is taken for the path of a file."""
        return self.files and "\n" not in text and text not in self.examples


def option_label(name: str, option: Option) -> str:
    """Return an option's label for forms, by default its name."""
    return option.label or name.replace("_", " ").capitalize()


def allowed_text(option: Option) -> str:
    """Return the allowed values in words, with the path of a file where one may be read."""
    reads_files = isinstance(option, TextOption) and option.files
    return f"{option.allowed}, or the path of a file with it" if reads_files else option.allowed


def resolve(
    game: str,
    options: Mapping[str, Option],
    given: Mapping[str, Any],
    check: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Return the value of every option, parsed or the default; raise `OptionError`."""
    unknown = [name for name in given if name not in options]
    if unknown:
        known = listing(options) or "none"
        raise OptionError(f"Unknown option {quoted(unknown[0])} for {game}; options: {known}.")
    values = {}
    for name, option in options.items():
        try:
            values[name] = option.parse(given[name]) if name in given else option.default
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            reason = f" ({error})" if isinstance(option, TextOption) and str(error) else ""
            raise OptionError(
                f"{game}: {name} must be {allowed_text(option)}, got {quoted(given[name])}{reason}."
            ) from None
    try:
        check(values)
    except ValueError as error:
        raise OptionError(f"{game}: {error}.") from None
    return values


def option_text(value: Any) -> str:
    """Return an option's value as it is typed; empty for None."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def option_texts(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the values as they are typed, without those that are None."""
    return {name: option_text(value) for name, value in options.items() if value is not None}


def format_options(options: Mapping[str, Any], separator: str = "; ") -> str:
    """Return the options as `name=value` texts, without those that are None."""
    return separator.join(f"{name}={text}" for name, text in option_texts(options).items())


def most_specific(
    options: Mapping[str, Any], keys: Iterable[str], required: Mapping[str, Any] | None = None
) -> str | None:
    """Return the longest key, such as `mode=3,first=Red`, that the options agree with, or None.

    The empty key agrees with all options. A key has to name the `required` ones.
    """
    own, named = _assignments(options), _assignments(required or {})
    split = {key: {*key.split(",")} - {""} for key in keys}
    matching = [key for key, parts in split.items() if named <= parts <= own]
    return max(matching, key=len, default=None)


def _assignments(options: Mapping[str, Any]) -> set[str]:
    return {f"{name}={text}" for name, text in option_texts(options).items()}


def parse_options(texts: Iterable[str], form: str = "NAME=VALUE") -> dict[str, str]:
    """Parse `name=value` texts; raise `OptionError` naming `form` for anything else."""
    values = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign):
            raise OptionError(f"Expected {form}, got {quoted(text)}.")
        values[name] = value
    return values
