"""The pages of the documentation site, gathered in one folder for Sphinx.

Documents stay where GitHub's readers expect them, and link to each other and to code by relative
paths. Here they get their places on the site, and their links follow.
"""

import os
import re
import shutil
import tomllib
from collections.abc import Callable
from html import escape
from pathlib import Path

from docs_commands import PAGE as COMMANDS_PAGE
from docs_commands import command_sections
from docs_notebooks import notebook_page
from docs_reference import module_page, reference_sections

import teahouse as th
from teahouse.core import rules_page
from teahouse.draw import themes
from teahouse.draw.inline import piece_picture

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
CODE = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2`*$|`[^`\n]*`", re.M | re.S)
LINK = re.compile(r"(?<=\]\()(?![a-z+]+:)([^)#\s]+)")
SHOWN_THEMES = ("light", "dark")


def site_path(source: Path) -> Path | None:
    """Return where a document is on the site, or None if it has no page."""
    if source.is_relative_to(DOCS):
        return source.relative_to(DOCS)
    if source == ROOT / "README.md":
        return Path("index.md")
    if source.parent == ROOT and source.suffix == ".md":
        return Path("project", source.name.lower())
    if source.name == "rules.md" and source.parent.name in th.games():
        return Path("rules", f"{source.parent.name}.md")
    if source.suffix == ".py" and source.is_relative_to(ROOT / "src"):
        parts = source.relative_to(ROOT / "src").with_suffix("").parts
        page = module_page(".".join(part for part in parts if part != "__init__"))
        return Path("reference", f"{page}.md") if page else None
    return None


class Stage:
    """A folder that becomes the source of the site."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts: dict[Path, str] = {}
        self.written: set[Path] = set()

    def fill(self) -> None:
        """Write all pages and what they link to; delete what is left of other runs."""
        for source in sorted(DOCS.rglob("*")):
            if source.is_file() and "__pycache__" not in source.parts and source.suffix != ".toml":
                self.add(source)
        for source in sorted(ROOT.glob("*.md")):
            if source.name != "README.md":
                self.add(source)
        for name in th.games():
            self._add_rules(name)
        for name, sections in reference_sections():
            self.texts[Path("reference", f"{name}.md")] += sections
        self.texts[COMMANDS_PAGE] += command_sections()
        self._add_trees()
        for target, text in self.texts.items():
            self._write(target, text)
        for path in [*self.folder.rglob("*")]:
            if path.is_file() and path not in self.written:
                path.unlink()

    def add(self, source: Path) -> None:
        """Copy a document with its links set for the site, or any other file as it is."""
        target = site_path(source)
        assert target is not None
        if source.suffix == ".md":
            text = source.read_text(encoding="utf-8")
            self.texts[target] = self._linked(source, target, text)
            return
        self._copy(source, target)
        if source.suffix == ".ipynb":

            def save(name: str, svg: str) -> str:
                path = Path("_static", "notebooks", f"{source.stem}-{name}")
                self._write(path, svg)
                return f"../{path.as_posix()}"

            page = target.with_suffix(".md")
            self.texts[page] = self._linked(source, page, notebook_page(source, save))

    def _write(self, target: Path, text: str) -> None:
        """Write a page only if it changed, so that Sphinx builds incrementally."""
        path = self.folder / target
        self.written.add(path)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def _copy(self, source: Path, target: Path) -> None:
        path = self.folder / target
        self.written.add(path)
        if not path.exists() or path.stat().st_mtime_ns != source.stat().st_mtime_ns:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, path)

    def _linked(self, source: Path, page: Path, text: str) -> str:
        """Return a document with links that lead to the site's pages, or to copies of files."""

        def moved(link: re.Match[str]) -> str:
            linked = (source.parent / link[1]).resolve()
            if not linked.exists():
                raise FileNotFoundError(f"{source.relative_to(ROOT)}: no file {link[1]}")
            return Path(os.path.relpath(self._target(linked), page.parent)).as_posix()

        return outside_code(text, lambda prose: LINK.sub(moved, prose))

    def _target(self, linked: Path) -> Path:
        """Return the page of what a document links to; files of the code are copied."""
        target = site_path(linked)
        if linked.suffix == ".ipynb" and target is not None:
            return target.with_suffix(".md")
        if target is None:
            target = Path("files", linked.relative_to(ROOT))
            if linked.is_dir():
                return self._add_listing(linked, target)
            self._copy(linked, target)
        return target

    def _add_trees(self) -> None:
        """Append the parts of tree.toml to the first page, and lists of pages to others."""
        tree = tomllib.loads((DOCS / "tree.toml").read_text(encoding="utf-8"))
        parts = [_toctree(part["pages"], part["caption"]) for part in tree["part"]]
        trees = {"index": parts} | {
            page: [_toctree(below)] for page, below in tree["under"].items()
        }
        for page, blocks in trees.items():
            self.texts[Path(f"{page}.md")] += "".join(blocks)

    def _add_listing(self, folder: Path, target: Path) -> Path:
        """Write a page that lists a folder's files."""
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in files:
            self._copy(path, target / path.relative_to(folder))
        names = [path.relative_to(folder).as_posix() for path in files]
        listing = "\n".join(f"- [{name}]({folder.name}/{name})" for name in names)
        page = target.with_suffix(".md")
        self.texts[page] = f"---\norphan: true\n---\n# Files of {folder.name}\n\n{listing}\n"
        return page

    def _add_rules(self, name: str) -> None:
        """Write the rules page of a game, with its boards and pieces as pictures."""
        page = th.load(name).rules_page
        counter = iter(range(1, 1000))

        def board(block: re.Match[str]) -> str:
            found = rules_page.parse_board(block["info"], block["body"])
            positions = found.positions(name)
            last = (positions[-2], found.moves[-1]) if found.moves else None
            drawn = {
                theme: positions[-1].svg(theme=theme, tray=False, last=last)
                for theme in SHOWN_THEMES
            }
            images = self._pictures(f"{name}-{next(counter)}", drawn, positions[-1].status)
            caption = f"<figcaption>{escape(found.caption)}</figcaption>" if found.caption else ""
            return f'<figure class="board">{images}{caption}</figure>'

        def piece(picture: re.Match[str]) -> str:
            colours = th.load(name).start().scene.colours
            svg = piece_picture(
                name, colours, rules_page.parse_piece(picture[2]), picture[1], f"{name}-"
            )
            drawn = {theme: standalone(svg, theme) for theme in SHOWN_THEMES}
            return self._pictures(f"{name}-{next(counter)}", drawn, picture[1], "piece ")

        text = rules_page.PICTURE.sub(piece, rules_page.BLOCK.sub(board, page))
        self.texts[Path("rules", f"{name}.md")] = text

    def _pictures(self, name: str, drawn: dict[str, str], text: str, kind: str = "") -> str:
        """Write a picture in each theme; return the HTML of both, of which one is shown."""
        for theme, svg in drawn.items():
            self._write(Path("_static", "rules", f"{name}-{theme}.svg"), svg)
        return "".join(
            f'<img class="{kind}only-{theme}" src="../_static/rules/{name}-{theme}.svg" '
            f'alt="{escape(text)}">'
            for theme in drawn
        )


def _toctree(pages: list[str], caption: str = "") -> str:
    head = f":caption: {caption}\n" if caption else ""
    return f"\n```{{toctree}}\n:hidden:\n:glob:\n{head}\n" + "\n".join(pages) + "\n```\n"


def standalone(svg: str, theme: str) -> str:
    """Return the SVG of a piece as a file of its own."""
    scope = themes.scope_class(theme, "classic")
    style = f"<style>{themes.standalone_css(theme, 'classic')}</style>"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="board {scope}" '
    svg = svg.replace('<svg class="board small" ', head, 1).replace("<defs>", f"{style}<defs>", 1)
    return themes.substitute(svg, theme, "classic")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return a text with a change made to all of it but code."""
    parts, at = [], 0
    for code in CODE.finditer(text):
        parts += [change(text[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*parts, change(text[at:])])
