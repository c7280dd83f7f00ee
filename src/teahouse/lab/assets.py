"""Stylesheets and the script of reports, for files and for the server."""

from functools import cache
from importlib import resources


@cache
def asset(name: str) -> str:
    """Return the text of a stylesheet or script."""
    return (resources.files("teahouse.lab") / name).read_text(encoding="utf-8")
