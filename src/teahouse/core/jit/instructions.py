"""Instructions of the CPU that compiled kernels use in place of the functions of `core.bits`."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from teahouse.core import bits as functions

SLOW_PDEP = ("znver1", "znver2")  # processors that emulate it in microcode

_INT64 = ir.IntType(64)
_DEFINED_FOR_ZERO = ir.Constant(ir.IntType(1), 0)


@cache
def instructions() -> dict[FunctionType, Any]:
    """Return what replaces each function, as far as this processor can."""
    found: dict[Any, Any] = {
        functions.popcount: _popcount,
        functions.lowest_bit: _lowest_bit,
        functions.bit_length: _bit_length,
    }
    if llvm.get_host_cpu_features().get("bmi2") and llvm.get_host_cpu_name() not in SLOW_PDEP:
        found[functions.nth_bit] = _nth_bit
    return found


@intrinsic
def _popcount(typing: Any, bits: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), emit


@intrinsic
def _lowest_bit(typing: Any, bits: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _trailing_zeros(builder, args[0])

    return types.int64(types.int64), emit


@intrinsic
def _bit_length(typing: Any, bits: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], _DEFINED_FOR_ZERO)
        return builder.sub(ir.Constant(_INT64, 64), zeros)

    return types.int64(types.int64), emit


@intrinsic
def _nth_bit(typing: Any, bits: Any, number: Any) -> Any:
    """Deposit a single bit at the place of the n-th bit set, and count the zeros below it."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_INT64, (_INT64, _INT64))
        deposit = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
        single = builder.shl(ir.Constant(_INT64, 1), args[1])
        return _trailing_zeros(builder, builder.call(deposit, (single, args[0])))

    return types.int64(types.int64, types.int64), emit


def _trailing_zeros(builder: Any, bits: Any) -> Any:
    return builder.cttz(bits, _DEFINED_FOR_ZERO)
