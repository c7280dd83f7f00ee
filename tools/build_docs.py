"""Build the documentation site: python tools/build_docs.py [FOLDER] [--jobs N]

Sphinx builds it, since it documents Python from docstrings, treats warnings as errors, and makes a
search that works without a server. Pages are gathered first (docs_pages.py, docs_reference.py), and
all links of the result are checked (docs_links.py).
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

from docs_links import broken_links
from docs_pages import ROOT, Stage
from packaging.version import Version
from sphinx.cmd.build import build_main

import teahouse as th


def build(site: Path, work: Path, jobs: str) -> int:
    """Build this version into a folder of the site; return the exit status."""
    stage = Stage(work / "source")
    stage.fill()
    target = site / th.__version__
    arguments = ["-b", "html", "-q", "-W", "--keep-going", "-j", jobs, "-d", str(work / "doctrees")]
    status = build_main([*arguments, str(stage.folder), str(target)])
    shutil.rmtree(target / ".doctrees", ignore_errors=True)
    write_versions(site)
    problems = [*broken_links(site)]
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return status or bool(problems)


def write_versions(site: Path) -> None:
    """Write the list of the versions side by side, newest first, and a page that opens it."""
    folders = [folder for folder in site.iterdir() if (folder / "index.html").exists()]
    folders.sort(key=lambda folder: Version(folder.name), reverse=True)
    versions = [{"name": folder.name, "pages": sorted(_pages(folder))} for folder in folders]
    text = json.dumps(versions, indent=1)
    (site / "versions.json").write_text(text, encoding="utf-8")
    (site / "versions.js").write_text(f"window.teahouseVersions = {text};\n", encoding="utf-8")
    name = folders[0].name
    (site / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Teahouse</title>'
        f'<meta http-equiv="refresh" content="0; url={name}/index.html">'
        f'<a href="{name}/index.html">Documentation of Teahouse {name}</a></html>\n',
        encoding="utf-8",
    )


def _pages(folder: Path) -> list[str]:
    found = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*.html"))
    return [path.as_posix() for path in found if path.parts[0] != "_static"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "docs")
    parser.add_argument("--jobs", default="auto", help="processes of Sphinx")
    chosen = parser.parse_args()
    site: Path = chosen.folder
    site.mkdir(parents=True, exist_ok=True)
    status = build(site, site.with_name(f"{site.name}-work"), chosen.jobs)
    if not status:
        print(f"Open {site / 'index.html'}")
    sys.exit(status)


if __name__ == "__main__":
    main()
