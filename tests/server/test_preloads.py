"""Pages that preload their modules preload all of them: one that is missing costs a round trip."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import teahouse.server

SERVER = Path(teahouse.server.__file__).parent
LIST = re.compile(r'\{% for name in (\[[^]]*\]) %\}<link rel="modulepreload"')
SCRIPT = re.compile(r'<script type="module" src="/static/js/([\w-]+)\.js">')
IMPORT = re.compile(r'^(?:import|export)\b[^;]*?"\./([\w-]+)\.js";', re.MULTILINE)


def imported(name: str, found: set[str]) -> set[str]:
    """Add all modules that a module imports, and that those import."""
    text = (SERVER / "static/js" / f"{name}.js").read_text(encoding="utf-8")
    for other in IMPORT.findall(text):
        if other not in found:
            found.add(other)
            imported(other, found)
    return found


def pages() -> dict[str, str]:
    files = sorted((SERVER / "templates").rglob("*.html"))
    texts = {file.stem: file.read_text(encoding="utf-8") for file in files}
    return {name: text for name, text in texts.items() if LIST.search(text)}


@pytest.mark.parametrize("page", pages())
def test_all_modules_of_a_page_are_preloaded(page: str) -> None:
    text = pages()[page]
    (preloaded,) = LIST.findall(text)
    (script,) = SCRIPT.findall(text)
    assert json.loads(preloaded) == sorted(imported(script, set()))
