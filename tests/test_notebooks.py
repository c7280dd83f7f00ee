"""The notebooks of the documentation run, and their stored outputs are current."""

from pathlib import Path

import notebooks
import pytest


@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_does(path: Path) -> None:
    stored = list(notebooks.outputs(notebooks.read(path)))
    assert len(stored) > 5
    for shown, now in zip(stored, notebooks.outputs(notebooks.run(path)), strict=True):
        assert shown == now, "run make notebooks"
