"""Batches on a simulated GPU are those on the CPU."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
@pytest.mark.parametrize("game", ["fillit 60 mode=2mini", "toot 70 tiles=4 pieces=2"])
def test_a_simulated_gpu_plays_the_same_games(game: str) -> None:
    """Numba's simulator; it runs games whose records have no field with a name of NumPy's."""
    command = [sys.executable, "-m", "support.simulated_gpu", *game.split()]
    ran = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "same\n"
