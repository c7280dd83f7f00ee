"""A search goes as it went; `python tools/signatures.py` writes down what is meant to change."""

import pytest
from signatures import GAMES, signature

import teahouse as th


@pytest.mark.parametrize("game", th.games())
def test_the_search_goes_as_it_did(game: str) -> None:
    assert signature(game) == (GAMES / game / "signature.txt").read_text(encoding="utf-8").strip()
