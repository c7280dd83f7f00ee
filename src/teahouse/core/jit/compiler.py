"""Compile kernels for the CPU with Numba: with `cache`, the only user of its private interfaces.

Numba optimises each function together with all it calls, so a function that is called through four
others is optimised five times and emitted as machine code as often. Here only the kernel is; the
functions it calls stay unoptimised until they are linked into it. That halves the compile time.

Private interfaces: `Dispatcher._cache` with the methods of `KernelCache`, `Dispatcher._compiler`,
`CompileResult._reduce` and `_rebuild`, `numba.core.serialize.dumps`, `codegen.magic_tuple` and the
methods of `JITCodeLibrary` that `CalleeLibrary` overrides. `pyproject.toml` limits Numba to the
versions that `tests/test_jit.py` was run with.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder

from teahouse.core.jit.bind import Kernel, bind
from teahouse.core.jit.cache import Identity, KernelCache, identify

CALLEE_OPTIONS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


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
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        return [passes.define_nopython_pipeline(state)]


@cache
def compiled(kernel: Kernel, rules: ModuleType, board: np.dtype, state: np.dtype) -> Kernel:
    """Return the kernel for a game, compiled or loaded from the cache when it is first called."""
    identity = identify(kernel, rules, board, state)
    compile_kernel = numba.njit(nogil=True)
    compile_callee = numba.njit(nogil=True, pipeline_class=CalleeCompiler, **CALLEE_OPTIONS)

    def wrap(function: FunctionType) -> Any:
        is_kernel = function.__code__ is kernel.__code__
        return compile_kernel(function) if is_kernel else compile_callee(function)

    # Numba numbers record types in each process, so functions compiled by two processes can get
    # the same mangled name and one would be called instead of the other. The key in the name keeps
    # them apart.
    dispatcher = bind(kernel, rules, wrap, suffix=f"_{identity.key}")
    _attach_cache(dispatcher, identity)
    return dispatcher


def _attach_cache(dispatcher: Any, identity: Identity) -> None:
    """Let a dispatcher load its code from the cache, or compile and save it under a lock."""
    kernel_cache = dispatcher._cache = KernelCache(identity)
    compile_uncached = dispatcher._compiler.compile

    def compile_locked(arguments: Any, return_type: Any) -> Any:
        signature = tuple(arguments)  # as the dispatcher passes it to `load_overload`
        context = dispatcher.targetctx
        with kernel_cache.lock(signature, context.codegen()):
            result = kernel_cache.load_overload(signature, context)  # compiled in the meantime
            if result is not None:
                context.insert_user_function(result.entry_point, result.fndesc, [result.library])
                return result
            result = compile_uncached(arguments, return_type)
            kernel_cache.save(signature, result)
        return result

    dispatcher._compiler.compile = compile_locked
