"""Errors of requests in words: never a validator's own text or a path of the program."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError
from pydantic_core.core_schema import ErrorType

from teahouse.server.web import messages as ms
from teahouse.server.web.validation import field_name, validation_error

LIMITS = dict.fromkeys(("max_length", "min_length", "ge", "gt", "le", "lt"), 1)
CONTEXT = {**LIMITS, "discriminator": "'kind'", "expected_tags": "'a', 'b'", "expected": "'a'"}


@pytest.mark.parametrize("kind", get_args(ErrorType))
def test_no_text_of_the_validator_is_shown(kind: str) -> None:
    place = ("body", "seats", 1, "bot", "level")
    found = {"type": kind, "loc": place, "msg": "Input should be 'x'", "ctx": CONTEXT}
    message = validation_error([found]).message
    assert "Input should" not in message
    assert "seats" not in message
    assert message[0].isupper()
    assert message.endswith(".")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (["game"], "Game"),
        (["seats", 1, "bot", "level"], "Level of seat 2"),
        (["tables", 0, "secrets", 2], "Secret 3 of table 1"),
        (["moves", 3], "Move 4"),
        (["time_control", "realtime", "seconds"], "Seconds"),
        (["options", "side", "int"], "Option side"),
        ([], "The request"),
    ],
)
def test_fields_in_words(path: list[str | int], words: str) -> None:
    assert field_name(path) == words


def test_an_option_of_the_wrong_type_is_one_error() -> None:
    with pytest.raises(ValidationError) as caught:
        ms.SetupIn.model_validate({"game": "x", "options": {"side": [1]}})
    message = validation_error(caught.value.errors(include_url=False)).message
    assert message == "Option side must be text, a whole number, or true or false."
