"""The reference of the public Python interface: pages of Sphinx directives from public names."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import ModuleType

from sphinx.pycode import ModuleAnalyzer

PAGES = {
    "teahouse": (
        "teahouse",
        "teahouse.search.result:AnalysedMove",
        "teahouse.search.review:ReviewedMove",
    ),
    "rl": (
        "teahouse.rl",
        "teahouse.rl.functional",
        "teahouse.rl.data",
        "teahouse.rl.data.torch",
        "teahouse.rl.gymnasium",
        "teahouse.rl.vector",
        "teahouse.rl.pettingzoo",
        "teahouse.rl.openspiel",
    ),
    "learn": ("teahouse.learn.trainer",),
    "lab": ("teahouse.lab.report", "teahouse.lab.comparison", "teahouse.lab.study"),
    "arena": ("teahouse.search.arena",),
    "ugi": ("teahouse.search.ugi",),
    "client": ("teahouse.client",),
    "server": (
        "teahouse.server.settings",
        "teahouse.server.serve:BindAddress",
        "teahouse.server.serve:serve",
        "teahouse.server.app:create_app",
    ),
    "games": (
        "teahouse.core.game",
        "teahouse.core.options",
        "teahouse.core.scene",
        "teahouse.core.planes",
        "teahouse.core.result",
    ),
    "work": (
        "teahouse.search.prepare",
        "teahouse.core.executor",
        "teahouse.core.executor.ray_cluster",
    ),
}
"""The pages of docs/reference with the modules that each documents, or single names of a module."""


def module_page(module: str) -> str | None:
    """Return the name of the page that documents a module, if there is one."""
    return next((name for name, modules in PAGES.items() if module in modules), None)


def public_names(module: ModuleType) -> list[str]:
    """Return the names that a module exports, or defines if it has no `__all__`."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("__")]
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(thing) or inspect.isfunction(thing))
        and thing.__module__ == module.__name__
    ]


def documented(entry: str) -> Iterator[tuple[str, object]]:
    """Yield the public names of an entry of `PAGES`: functions, classes, then exceptions."""
    path, _, single = entry.partition(":")
    module = import_module(path)
    found = [
        (name, getattr(module, name)) for name in [single] * bool(single) or public_names(module)
    ]
    yield from sorted(found, key=lambda one: (_rank(one[1]), one[0].lower()))


def _rank(thing: object) -> int:
    if not inspect.isclass(thing):
        return 0
    return 2 if issubclass(thing, Exception) else 1


def reference_sections() -> Iterator[tuple[str, str]]:
    """Yield the name of each page and what is appended to it: its modules from their docstrings."""
    listed: set[int] = set()
    for name, entries in PAGES.items():
        yield name, "".join(_section(entry, listed) for entry in entries)


def _section(entry: str, listed: set[int]) -> str:
    """Return the part of a page on one module, without what another module has shown."""
    name, _, single = entry.partition(":")
    lines = [f".. automodule:: {name}", "   :no-members:", ""] if not single else []
    for one, thing in documented(entry):
        if id(thing) in listed:
            continue
        listed.add(id(thing))
        if inspect.isclass(thing):
            lines += [f".. autoclass:: {name}.{one}", "   :members:", "   :undoc-members:"]
            lines += ["   :show-inheritance:"] * issubclass(thing, Exception)
        elif callable(thing):
            lines.append(f".. autofunction:: {name}.{one}")
        else:
            lines.append(f".. autodata:: {name}.{one}")
        lines.append("")
    body = "\n".join(lines)
    title = f"\n## {name}\n" if not single else ""
    return f"{title}\n```{{eval-rst}}\n{body}\n```\n"


def undocumented() -> Iterator[str]:
    """Yield the public names without a docstring: functions, classes, members and fields."""
    for entry in (entry for entries in PAGES.values() for entry in entries):
        path = entry.partition(":")[0]
        if not inspect.getdoc(import_module(path)):
            yield path
        for name, thing in documented(entry):
            if callable(thing) and not inspect.getdoc(thing):
                yield f"{path}.{name}"
            if inspect.isclass(thing):
                yield from (f"{path}.{name}.{member}" for member in _bare_members(thing))


def _bare_members(found: type) -> Iterator[str]:
    """Yield the members without a docstring that a class defines and its docstring does not name.

    A class that says that the rest is as in another one has the docstrings of that one.
    """
    about = inspect.getdoc(found) or ""
    model = re.search(r"the rest (?:is )?as in `(\w+)`", about, re.I)
    known = set(dir(getattr(import_module(found.__module__), model[1]))) if model else set()
    known |= {*re.findall(r"`(\w+)`", about)}
    yield from (name for name in _undescribed(found) if name not in known)


def _undescribed(found: type) -> Iterator[str]:
    for name, member in vars(found).items():
        is_member = inspect.isfunction(member) or isinstance(
            member, property | classmethod | staticmethod
        )
        is_field = is_dataclass(found) and name in inspect.get_annotations(found)
        bare = not inspect.getdoc(getattr(found, name))
        if bare and is_member and not is_field and not name.startswith("_"):
            yield name
    if is_dataclass(found):
        analyzer = ModuleAnalyzer.for_module(found.__module__)
        analyzer.analyze()
        for field in fields(found):
            own = field.name in inspect.get_annotations(found)
            described = (found.__qualname__, field.name) in analyzer.attr_docs
            if own and not described and not field.name.startswith("_"):
                yield field.name
