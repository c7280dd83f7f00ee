"""Bind a kernel to one game's rules by copying it and every function it calls.

A generic kernel calls the game through the global name `rules`. A bound copy has its own globals,
in which `rules` holds one game's functions and every called function is a copy too, so each copy
can be wrapped: interpreted as it is, or compiled for a CPU or a GPU.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from teahouse.core.game import Rules

Kernel = Callable[..., Any]

rules = cast("Rules", None)
"""Placeholder that generic kernels import; `bind` replaces it by one game's rules."""


def bind(
    kernel: Kernel,
    rules: ModuleType,
    wrap: Callable[[FunctionType], Any] = lambda function: function,
    copies: dict[FunctionType, Any] | None = None,
) -> Any:
    """Return a copy of the kernel for these rules, each function it reaches passed through `wrap`.

    `copies` has the copies of functions that were made before; new ones are added.
    """
    if copies is None:
        copies = {}
    bound_rules = ModuleType("rules")

    def copy(function: FunctionType) -> Any:
        if function not in copies:
            names: dict[str, Any] = {"__name__": function.__module__}
            for name, value in reached_globals(function).items():
                names[name] = copy(value) if isinstance(value, FunctionType) else value
            if "rules" in names:
                for name in sorted({*function.__code__.co_names} & vars(rules).keys()):
                    value = vars(rules)[name]
                    if isinstance(value, FunctionType):
                        setattr(bound_rules, name, copy(value))
                names["rules"] = bound_rules
            clone = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
            clone.__module__ = function.__module__
            clone.__qualname__ = function.__qualname__
            copies[function] = wrap(clone)
        return copies[function]

    assert isinstance(kernel, FunctionType)
    return copy(kernel)


@cache
def reached_globals(function: FunctionType) -> dict[str, Any]:
    """Return the globals that the function's code loads, sorted by name."""
    names = {
        instruction.argval
        for instruction in dis.get_instructions(function)
        if instruction.opname == "LOAD_GLOBAL"
    }
    module = function.__globals__
    return {name: module[name] for name in sorted(names) if name in module}
