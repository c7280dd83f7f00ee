"""The search behaves as before; `make generate` records an intended change."""

import pytest
from support.variants import STUDIED

from teahouse.conformance.studying import search_signature
from teahouse.core.packages import game_text


@pytest.mark.parametrize("game", STUDIED)
def test_the_search_tree_is_unchanged(game: str) -> None:
    assert search_signature(game) == (game_text(game, "signature.txt") or "").strip()
