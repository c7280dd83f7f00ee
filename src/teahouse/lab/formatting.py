"""Number formatting: as many digits as a figure's interval supports."""

from __future__ import annotations

from math import floor, isfinite, log10

MINUS = "−"


def decimals(low: float, high: float) -> int:
    """Return the decimals that give half of an interval two digits, at most 3.

    >>> decimals(38.5, 39.7), decimals(110.0, 160.0), decimals(0.52, 0.54)
    (2, 0, 3)
    """
    half = (high - low) / 2
    if not isfinite(half) or half <= 0:
        return 1
    return min(3, max(0, 1 - floor(log10(half))))


def number(value: float, digits: int) -> str:
    """Return a number with a typographic minus sign; ∞ if infinite, – if not a number.

    >>> number(-1234.56, 1), number(float("nan"), 1), number(-float("inf"), 0)
    ('−1,234.6', '–', '−∞')
    """
    if value != value:
        return "–"
    if not isfinite(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{value:,.{digits}f}"
    return text.replace("-", MINUS) if float(text.replace(",", "")) else text.lstrip("-")


def with_unit(text: str, unit: str) -> str:
    """Return a number with its unit."""
    return f"{text} {unit}" if unit else text


def value_text(value: float, low: float, high: float, unit: str = "") -> str:
    """Return a value with as many digits as its interval supports.

    >>> value_text(39.128, 38.5, 39.7, "plies")
    '39.13 plies'
    """
    return with_unit(number(value, decimals(low, high)), unit)


def interval_text(low: float, high: float) -> str:
    """Return an interval; one side of it may be open.

    >>> interval_text(38.5, 39.7), interval_text(float("-inf"), 40.0)
    ('38.50 to 39.70', 'up to 40.0')
    """
    digits = decimals(low, high)
    if not (isfinite(low) or isfinite(high)):
        return "not known"
    if not isfinite(low):
        return f"up to {number(high, digits)}"
    if not isfinite(high):
        return f"{number(low, digits)} or more"
    return f"{number(low, digits)} to {number(high, digits)}"


def count_text(count: int, thing: str) -> str:
    """Return a number of things.

    >>> count_text(1, "game"), count_text(1200, "game")
    ('1 game', '1,200 games')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
