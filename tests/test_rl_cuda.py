"""Batches on a simulated GPU are those on the CPU."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
def test_a_simulated_gpu_plays_the_same_games() -> None:
    """Numba's simulator; it runs the game whose records have no field with a name of NumPy's."""
    command = [sys.executable, "-m", "support.simulated_gpu", "fillit", "60", "mode=2mini"]
    ran = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "same\n"
