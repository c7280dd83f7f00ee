"""docs/rl.md: its tables match the games, and its examples run."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import gymnasium

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "rl.md").read_text(encoding="utf-8")


def load_tool(name: str) -> ModuleType:
    """Import a script from tools/."""
    spec = spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_match_the_games() -> None:
    planes = load_tool("planes")
    _, _, written = PAGE.partition(planes.HEADING)
    assert written == planes.tables(), "run: python tools/planes.py"


def test_examples_run() -> None:
    """All examples except the one for a GPU."""
    names: dict[str, object] = {"gymnasium": gymnasium}
    blocks = [
        block for block in re.findall(r"```python\n(.*?)```", PAGE, re.S) if "jnp" not in block
    ]
    assert len(blocks) == 5
    for block in blocks:
        exec(block.replace("4096", "64"), names)
