"""Check the links of a site on disk: files, anchors, and the form of addresses."""

import sys
from collections import defaultdict
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {("a", "href"), ("link", "href"), ("img", "src"), ("script", "src"), ("source", "srcset")}


class _Page(HTMLParser):
    """The links and the ids of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and (tag, name) in LINKS:
                self.links.add(value)
            elif value and name in ("id", "name"):
                self.ids.add(value)


def broken_links(site: Path) -> Iterator[str]:
    """Yield a line for each broken link, with the first page that has it."""
    pages = {path.resolve(): _Page(path.read_text(encoding="utf-8")) for path in _html(site)}
    seen: dict[tuple[Path | None, str], list[Path]] = defaultdict(list)
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if not _valid_address(link):
                    seen[None, link].append(path)
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            known = pages[target].ids if target in pages else None
            if not target.exists() or (
                parts.fragment and known is not None and unquote(parts.fragment) not in known
            ):
                seen[target, parts.fragment].append(path)
    for (place, rest), sources in sorted(seen.items(), key=str):
        where = f"{place}#{rest}" if place else rest
        yield f"{where}: linked from {sources[0].relative_to(site.resolve())}"


def _html(site: Path) -> Iterator[Path]:
    """Return the pages of a site; other HTML files are pictures of it or downloads."""
    others = {"_static", "_downloads"}
    return (path for path in site.rglob("*.html") if not others & {*path.parts})


def _valid_address(link: str) -> bool:
    """Return whether an address on the Internet has a form that can work; nothing is fetched."""
    parts = urlsplit(link)
    if parts.scheme in ("mailto", "data"):
        return bool(parts.path)
    return parts.scheme in ("https", "http") and "." in (parts.hostname or "") and " " not in link


if __name__ == "__main__":
    found = [*broken_links(Path(sys.argv[1]))]
    print("\n".join(found) or "All links lead somewhere.")
    sys.exit(bool(found))
