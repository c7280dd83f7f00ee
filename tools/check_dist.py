"""Check that the built packages contain exactly the expected files.

    python tools/check_dist.py dist

The exit status is 1 if anything is wrong; `make dist` builds and checks.
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "teahouse"
MAX_BYTES = 8_000_000
SUFFIXES = {
    ".css", ".html", ".ico", ".js", ".json", ".jsonl", ".md", ".onnx", ".png", ".py", ".svg",
    ".tcss", ".toml", ".ts", ".ttf", ".txt", ".typed", ".webmanifest", ".woff2", ".xml",
}  # fmt: skip
LEFT_OUT = ("*/test_*.py", "*/__pycache__/*")
NEEDED = (  # read at run time, found by no import
    "teahouse/py.typed", "teahouse/games/*/rules.md", "teahouse/games/*/perft.txt",
    "teahouse/games/*/networks/*.onnx", "teahouse/server/templates/*.html",
    "teahouse/server/static/js/*.js", "teahouse/server/static/fonts/*.woff2",
    "teahouse/server/migrations/versions/*.py", "teahouse/draw/fonts/*.ttf",
    "teahouse/lab/templates/*.html", "teahouse/template/*", "teahouse/terminal/app/*.tcss",
    "*.dist-info/licenses/LICENSE",
)  # fmt: skip
BESIDE_THE_SOURCES = {
    ".gitignore", "CHANGELOG.md", "CITATION.cff", "LICENSE", "PKG-INFO", "README.md",
    "pyproject.toml",
}  # fmt: skip
FIELDS = (
    "Author", "Classifier", "Description-Content-Type", "Keywords", "License-Expression",
    "License-File", "Project-URL", "Requires-Python", "Summary",
)  # fmt: skip


def expected() -> set[str]:
    """Return the files of the package."""
    paths = (path for path in SOURCE.rglob("*") if path.is_file())
    names = {path.relative_to(SOURCE.parent).as_posix() for path in paths}
    return {name for name in names if not any(fnmatch(name, pattern) for pattern in LEFT_OUT)}


def problems(folder: Path) -> Iterator[str]:
    """Yield what is wrong with the wheel and the source archive of a folder."""
    wheels, archives = [*folder.glob("*.whl")], [*folder.glob("*.tar.gz")]
    if len(wheels) != 1 or len(archives) != 1:
        yield f"{folder}: expected one wheel and one source archive"
        return
    yield from _wheel_problems(wheels[0])
    with tarfile.open(archives[0]) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {f"src/{name}" for name in expected()} | BESIDE_THE_SOURCES
    yield from _differences(archives[0], wanted, found)


def _wheel_problems(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        metadata_file = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(wheel.read(metadata_file).decode())
    yield from _differences(path, expected(), {name for name in names if ".dist-info/" not in name})
    for name in sorted(names):
        if ".dist-info/" not in name and Path(name).suffix not in SUFFIXES:
            yield f"{path.name}: {name} is of no known kind"
    for pattern in NEEDED:
        if not any(fnmatch(name, pattern) for name in names):
            yield f"{path.name}: {pattern} is missing"
    if path.stat().st_size > MAX_BYTES:
        yield f"{path.name}: {path.stat().st_size:,} bytes, at most {MAX_BYTES:,}"
    yield from _metadata_problems(path, metadata)


def _metadata_problems(path: Path, metadata: Message) -> Iterator[str]:
    for field in FIELDS:
        if not metadata.get_all(field):
            yield f"{path.name}: the metadata has no {field}"
    text = str(metadata.get_payload())
    for link in ("](docs/", '="docs/', "](CHANGELOG", "](examples/"):
        if link in text:
            yield f"{path.name}: the description has a relative link: {link}"


def _differences(path: Path, wanted: set[str], found: set[str]) -> Iterator[str]:
    for name in sorted(wanted - found):
        yield f"{path.name}: {name} is missing"
    for name in sorted(found - wanted):
        yield f"{path.name}: {name} does not belong there"


if __name__ == "__main__":
    wrong = [*problems(Path(sys.argv[1]))]
    print("\n".join(wrong) or f"{sys.argv[1]}: complete, and nothing else.")
    sys.exit(bool(wrong))
