"""docs/rl.md: its tables match the games."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

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
