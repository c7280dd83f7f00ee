"""Check a release, or print its notes.

    python tools/release.py check v0.2.0
    python tools/release.py notes

A release has one version everywhere, a dated section in CHANGELOG.md, and public addresses.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import yaml

import teahouse

ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## (\d+\.\d+\.\d+)(?: \((.+)\))?$", re.M)


def sections() -> dict[str, tuple[str, str]]:
    """Return the date and the text of each version in the changelog, the newest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = [*HEADING.finditer(text)]
    ends = [*(match.start() for match in found[1:]), len(text)]
    return {
        match[1]: (match[2] or "", text[match.end() : end].strip())
        for match, end in zip(found, ends, strict=True)
    }


def version_problems() -> Iterator[str]:
    """Yield where another version is named than the package's."""
    version = teahouse.__version__
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    if cited != version:
        yield f"CITATION.cff: version {cited}, not {version}"
    newest = next(iter(sections()))
    if newest != version:
        yield f"CHANGELOG.md: the newest version is {newest}, not {version}"


def release_problems(tag: str) -> Iterator[str]:
    """Yield what is not ready for a release with this tag."""
    yield from version_problems()
    if tag != f"v{teahouse.__version__}":
        yield f"tag {tag}: expected v{teahouse.__version__}"
    dated, _ = sections().get(teahouse.__version__, ("", ""))
    try:
        date.fromisoformat(dated)
    except ValueError:
        yield f"CHANGELOG.md: {teahouse.__version__} has no date, as (2026-12-31)"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, address in project["urls"].items():
        if ".example" in address:
            yield f"pyproject.toml: {name} is an example: {address}"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["notes"]:
            print(sections()[teahouse.__version__][1])
        case ["check", tag]:
            wrong = [*release_problems(tag)]
            print("\n".join(wrong) or f"{tag} is ready.")
            sys.exit(bool(wrong))
        case _:
            sys.exit(__doc__)
