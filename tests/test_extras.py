"""Parts that need an extra say the exact line to type without it."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
sys.argv = ["teahouse", *{command!r}]
{code}
"""
RUN = "from teahouse.terminal.commands import main\nmain()"


@pytest.mark.parametrize(
    ("missing", "command", "code", "install"),
    [
        (["gymnasium"], (), "import teahouse.rl.gymnasium", "teahouse[rl]"),
        (["pettingzoo"], (), "import teahouse.rl.pettingzoo", "teahouse[rl]"),
        (["pyspiel"], (), "import teahouse.rl.openspiel", "teahouse[openspiel]"),
        (["fastapi"], ("serve",), RUN, "teahouse[server]"),
        (["sqlalchemy"], ("doctor",), RUN, "teahouse[server]"),
        (["httpx2"], ("connect", "http://localhost"), RUN, "teahouse[client]"),
    ],
)
def test_a_missing_extra(
    missing: list[str], command: tuple[str, ...], code: str, install: str
) -> None:
    script = WITHOUT.format(missing=missing, command=command, code=code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == (2 if command else 1)
    assert f"pip install '{install}'" in done.stderr
    if command:
        assert len(done.stderr.splitlines()) == 1
