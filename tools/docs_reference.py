"""The reference of the public Python interface: pages of Sphinx directives from public names."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from types import ModuleType

from sphinx.pycode import ModuleAnalyzer


@dataclass(frozen=True)
class Page:
    """A page of the reference."""

    title: str
    about: str
    modules: tuple[str, ...]


PAGES = {
    "teahouse": Page("Games, positions, records", "What `import teahouse` offers.", ("teahouse",)),
    "rl": Page(
        "Batches and adapters",
        "Many games at once for learners, and the interfaces of other libraries. "
        "[Guide](../rl.md).",
        ("teahouse.rl", "teahouse.rl.gymnasium", "teahouse.rl.pettingzoo", "teahouse.rl.openspiel"),
    ),
    "learn": Page(
        "Training",
        "Networks trained by self-play, with PyTorch. [Guide](../learning.md).",
        ("teahouse.learn.trainer",),
    ),
    "lab": Page(
        "Reports and comparisons",
        "What `th.report` and `th.compare` return. [Guide](../lab.md).",
        ("teahouse.lab.report", "teahouse.lab.study", "teahouse.lab.comparison"),
    ),
    "arena": Page(
        "Arena",
        "Matches between bots. [Guide](../arena.md).",
        ("teahouse.search.arena",),
    ),
    "ugi": Page(
        "Engines",
        "Programs as players. [Guide](../ugi.md).",
        ("teahouse.search.ugi",),
    ),
    "client": Page(
        "Client",
        "Programs that play on a server. [Guide](../bots.md).",
        ("teahouse.client",),
    ),
    "games": Page(
        "The contract of a game",
        "What a game's folder declares. [Guide](../adding-a-game.md).",
        (
            "teahouse.core.game",
            "teahouse.core.options",
            "teahouse.core.scene",
            "teahouse.core.planes",
        ),
    ),
    "work": Page(
        "Long work",
        "Kernels compiled in advance, and tasks on several processes or machines. "
        "[Guide](../cluster.md).",
        ("teahouse.search.prepare", "teahouse.core.executor"),
    ),
}


def module_page(module: str) -> str | None:
    """Return the name of the page that documents a module, if there is one."""
    return next((name for name, page in PAGES.items() if module in page.modules), None)


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


def reference_pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page."""
    listed: set[int] = set()
    for name, page in PAGES.items():
        sections = "".join(_section(module, listed) for module in page.modules)
        yield f"reference/{name}.md", f"# {page.title}\n\n{page.about}\n{sections}"


def _section(name: str, listed: set[int]) -> str:
    """Return the part of a page on one module, without what another module has shown."""
    module = import_module(name)
    lines = [f".. automodule:: {name}", "   :no-members:", ""]
    for one in sorted(public_names(module), key=lambda one: (one[0].islower(), one.lower())):
        thing = getattr(module, one)
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
    return f"\n## {name}\n\n```{{eval-rst}}\n{body}\n```\n"


def undocumented() -> Iterator[str]:
    """Yield the public names without a docstring: functions, classes, members and fields."""
    for page in PAGES.values():
        for path in page.modules:
            module = import_module(path)
            if not inspect.getdoc(module):
                yield path
            for name in public_names(module):
                thing = getattr(module, name)
                if not callable(thing):
                    continue
                if not inspect.getdoc(thing):
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
        field = is_dataclass(found) and name in inspect.get_annotations(found)
        if is_member and not field and name[0] != "_" and not inspect.getdoc(getattr(found, name)):
            yield name
    if is_dataclass(found):
        analyzer = ModuleAnalyzer.for_module(found.__module__)
        analyzer.analyze()
        for field in fields(found):
            own = field.name in inspect.get_annotations(found)
            described = (found.__qualname__, field.name) in analyzer.attr_docs
            if own and not described and not field.name.startswith("_"):
                yield field.name
