"""Compile kernels for the CPU with Numba: with `cache`, the only user of its private interfaces.

Numba optimises each function together with all it calls, so a function that is called through four
others is optimised five times and emitted as machine code as often. Here only the kernel is; the
functions it calls stay unoptimised until they are linked into it. That halves the compile time, and
kernels of a game that share these functions halve the rest. Passing constants and small integers to
them as int64, for fewer versions of each, was tried: it costs 5 % of the simulations.

Private interfaces: `Dispatcher._cache` with the methods of `KernelCache`, `Dispatcher._compiler`,
`CompileResult._reduce` and `_rebuild`, `numba.core.serialize.dumps`, `codegen.magic_tuple`, the
methods of `JITCodeLibrary` that `KernelLibrary` and `CalleeLibrary` override, and the option
`_nrt`. `pyproject.toml` limits Numba to the versions that `tests/test_jit.py` was run with.
"""

from __future__ import annotations

import hashlib
from functools import cache
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder

from teahouse.core.jit.bind import Kernel, bind, reached_globals
from teahouse.core.jit.cache import Identity, KernelCache, content_name, identify, loaded
from teahouse.core.jit.instructions import instructions
from teahouse.core.jit.mode import compiling

# Kernels allocate nothing, so references to their arguments need not be counted. Numba would do so
# with atomic instructions at every call that passes an array on.
OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}
CALLEE_OPTIONS: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

_callees: dict[ModuleType, dict[FunctionType, Any]] = {}
"""Dispatchers of the functions that kernels call, by rules: all kernels of a game share them."""
_binding = Lock()


class KernelLibrary(JITCodeLibrary):
    """LLVM code of a kernel, in which the functions it calls are its own.

    So LLVM inlines what is called once, and drops arguments that are not used or constant.
    """

    def _optimize_final_module(self) -> None:
        module: Any = self._final_module
        for function in module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()  # type: ignore[no-untyped-call]


class KernelCompiler(CompilerBase):
    """Numba's compiler, with a `KernelLibrary` for the result."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's passes for code without Python objects."""
        state: Any = self.state
        library: Any = KernelLibrary
        passes: Any = DefaultPassBuilder
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [passes.define_nopython_pipeline(state)]


class CalleeLibrary(JITCodeLibrary):
    """LLVM code of a function that kernels call: linked into them, neither optimised nor run."""

    def _optimize_final_module(self) -> None: ...

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the null pointer: there is no machine code."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0

    @property
    def codegen(self) -> Any:
        """The code generator, which has no environment to set."""
        return _CalleeCodegen(self._codegen)


class _CalleeCodegen:
    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, *_: Any) -> None: ...


class CalleeCompiler(CompilerBase):
    """Numba's compiler, with a `CalleeLibrary` for the result."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's passes for code without Python objects."""
        state: Any = self.state
        library: Any = CalleeLibrary
        passes: Any = DefaultPassBuilder
        # Numba numbers record types in each process, so code from two processes could have the same
        # mangled name for different types. Their description in the name keeps them apart.
        digest = hashlib.sha256(repr(state.args).encode()).hexdigest()[:16]
        state.func_id.func_qualname += f"_{digest}"
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        return [passes.define_nopython_pipeline(state)]


def compiled(kernel: Kernel, rules: ModuleType, board: np.dtype, state: np.dtype) -> Kernel:
    """Return the kernel for a game, compiled or loaded from the cache when it is first called.

    Threads that ask for it at the same time get the same one, so it is compiled once.
    """
    with _binding:
        return _compiled(kernel, rules, board, state)


@cache
def _compiled(kernel: Kernel, rules: ModuleType, board: np.dtype, state: np.dtype) -> Kernel:
    identity = identify(kernel, rules, board, state)
    callees = _callees.setdefault(rules, {**instructions()})
    copies = {function: copy for function, copy in callees.items() if function is not kernel}

    def wrap(function: FunctionType) -> Any:
        if function.__code__ is not kernel.__code__:
            return _callee(function)
        function.__qualname__ += f"_{identity.key}"
        return numba.njit(pipeline_class=KernelCompiler, **OPTIONS)(function)

    dispatcher = bind(kernel, rules, wrap, copies)
    callees.update((function, copy) for function, copy in copies.items() if function is not kernel)
    _attach_cache(dispatcher, identity)
    return dispatcher


def clear_compiled() -> None:
    """Drop all compiled kernels of this process."""
    with _binding:
        reached_globals.cache_clear()
        identify.cache_clear()
        _compiled.cache_clear()
        _callees.clear()
        loaded.clear()


def _callee(function: FunctionType) -> Any:
    """Return the dispatcher of a function that kernels call."""
    function.__qualname__ = content_name(function)
    return numba.njit(pipeline_class=CalleeCompiler, **CALLEE_OPTIONS)(function)


def _attach_cache(dispatcher: Any, identity: Identity) -> None:
    """Make a dispatcher load its code from the cache, or compile and save it under a lock."""
    kernel_cache = dispatcher._cache = KernelCache(identity)
    compile_uncached = dispatcher._compiler.compile

    def compile_locked(arguments: Any, return_type: Any) -> Any:
        signature = tuple(arguments)  # in the form that the dispatcher passes to `load_overload`
        context = dispatcher.targetctx
        with kernel_cache.lock(signature, context.codegen()):
            result = kernel_cache.load_overload(signature, context)  # compiled in the meantime
            if result is not None:
                context.insert_user_function(result.entry_point, result.fndesc, [result.library])
                return result
            with compiling():
                result = compile_uncached(arguments, return_type)
            kernel_cache.save(signature, result)
        return result

    dispatcher._compiler.compile = compile_locked
