"""Options and arguments: text form, parsing and checks."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support.variants import variants

import teahouse as th
from teahouse.core.errors import OptionError
from teahouse.core.game import game_info, house_rules
from teahouse.core.options import (
    IntOption,
    format_options,
    most_specific,
    option_text,
    option_texts,
    parse_options,
)
from teahouse.core.validate import check_choice, check_int, check_positive, check_seed
from teahouse.search.levels import level_ratings
from teahouse.search.networks import shipped_name


def test_option_texts() -> None:
    options = {"side": 4, "specials": False, "mode": "3", "markers": None}
    assert option_texts(options) == {"side": "4", "specials": "false", "mode": "3"}
    assert format_options(options) == "side=4; specials=false; mode=3"
    assert format_options(options, " ") == "side=4 specials=false mode=3"
    assert option_text(None) == ""
    assert parse_options(format_options(options).split("; ")) == option_texts(options)
    assert parse_options(["a=", "b=c=d"]) == {"a": "", "b": "c=d"}


@pytest.mark.parametrize("text", ["side", "=4", ""])
def test_options_without_a_name_or_sign(text: str) -> None:
    with pytest.raises(OptionError, match="Expected SEAT=WHO, got"):
        parse_options([text], "SEAT=WHO")


def test_integers() -> None:
    assert check_int("size", np.int32(3), 1, 3) == 3
    assert type(check_int("size", np.int32(3), 1)) is int
    for value in (0, 4, True, 2.0, "2", None):
        with pytest.raises(OptionError, match=r"size must be an integer from 1 to 3, got .*\."):
            check_int("size", value, 1, 3)
    with pytest.raises(OptionError, match="size must be an integer of at least 1, got 0"):
        check_int("size", 0, 1)
    with pytest.raises(OptionError, match="seed must be an integer from 0 to"):
        check_seed(1 << 62)


def test_integer_options_are_not_rounded() -> None:
    side = IntOption(2, 8, default=4, help="")
    assert [side.parse(value) for value in (3, "3", np.int8(3))] == [3, 3, 3]
    for value in (3.0, np.float32(3.7), Decimal("3.7"), Fraction(7, 2), "3.7", True, b"3", None):
        with pytest.raises((ValueError, TypeError)):
            side.parse(value)


@pytest.mark.parametrize("value", [0, -1, float("nan"), 11, True, "1", None])
def test_numbers(value: Any) -> None:
    assert check_positive("seconds", 10, 10) == 10.0
    with pytest.raises(OptionError, match="seconds must be a number above 0 and at most 10, got"):
        check_positive("seconds", value, 10)


def test_choices() -> None:
    assert check_choice("device", "cpu", ("cpu", "cuda")) == "cpu"
    with pytest.raises(OptionError, match="device must be one of cpu, cuda, got 'tpu'"):
        check_choice("device", "tpu", ("cpu", "cuda"))


def test_the_most_specific_key() -> None:
    options = {"side": 4, "stock": 2}
    keys = ["", "side=4", "side=5", "side=4,stock=2"]
    assert most_specific(options, keys) == "side=4,stock=2"
    assert most_specific(options, keys[:3]) == "side=4"
    assert most_specific({"side": 6}, keys) == ""
    assert most_specific({"side": 6}, keys[1:]) is None
    assert most_specific(options, keys, {"stock": 2}) == "side=4,stock=2"
    assert most_specific(options, keys[:3], {"stock": 2}) is None


@pytest.mark.parametrize("name", th.games())
def test_house_rules_are_named_only_if_they_differ(name: str) -> None:
    usual, declared = th.load(name), game_info(name).options
    assert not house_rules(usual)
    rules = [option for option in declared if declared[option].house_rule]
    assert not {*rules} & {*usual.options}
    assert {*rules, *usual.options} == {*declared}
    for game in variants(name):
        changed = house_rules(game)
        assert {*changed} <= {*rules}
        text = th.Record.new(game).text()
        assert [option for option in rules if f"{option}=" in text] == [*changed]
        assert th.Record.parse(text).game == game
        if changed:  # bots were measured and trained without it
            assert not level_ratings(game)
            assert shipped_name(game) is None
