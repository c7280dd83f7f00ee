"""What axe-core finds wrong with a page."""

from __future__ import annotations

from importlib import resources
from typing import Any, Literal

from support.browser import User

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(user: User) -> list[str]:
    """Return what axe finds wrong with the page, in the light and in the dark theme."""
    user.page.evaluate(AXE)
    found = []
    for scheme in SCHEMES:
        user.page.emulate_media(color_scheme=scheme)
        # Details of violations alone: those of all passed checks take several times as long.
        result: dict[str, Any] = user.page.evaluate("axe.run({ resultTypes: ['violations'] })")
        found += [
            f"{scheme}: {one['id']}: {one['help']}: {node['html'][:200]} {node['failureSummary']}"
            for one in result["violations"]
            for node in one["nodes"][:3]
        ]
    return found
