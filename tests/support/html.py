"""HTML that tests look into."""

from __future__ import annotations

from html.parser import HTMLParser


class Outline(HTMLParser):
    """Checks that elements are balanced, and collects them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.folded = ""
        """The text within `<details>`."""
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("br", "hr", "input", "meta"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "details" in self.open:
            self.folded += data

    def count(self, tag: str, **attributes: str) -> int:
        """Return the number of elements with these attributes."""
        return sum(
            name == tag and attributes.items() <= found.items() for name, found in self.elements
        )
