"""Instructions of the CPU in place of functions of `core.bits` and `core.fence`."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from teahouse.core import bits as functions
from teahouse.core.fence import release_fence

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
        functions.mark_bytes: _mark_bytes,
        functions.count_bytes: _count_bytes,
        release_fence: _release_fence,
    }
    if llvm.get_host_cpu_features().get("bmi2") and llvm.get_host_cpu_name() not in SLOW_PDEP:
        found[functions.nth_bit] = _nth_bit
        found[functions.deposit] = _deposit
        found[functions.extract] = _extract
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
        single = builder.shl(ir.Constant(_INT64, 1), args[1])
        return _trailing_zeros(builder, _bmi2(builder, "pdep", single, args[0]))

    return types.int64(types.int64, types.int64), emit


@intrinsic
def _deposit(typing: Any, bits: Any, mask: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _bmi2(builder, "pdep", *args)

    return types.int64(types.int64, types.int64), emit


@intrinsic
def _extract(typing: Any, bits: Any, mask: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _bmi2(builder, "pext", *args)

    return types.int64(types.int64, types.int64), emit


@intrinsic
def _mark_bytes(typing: Any, values: Any, first: Any, bits: Any) -> Any:
    """Spread the bits over eight bytes, four at a time, and combine them with one store."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _eight_bytes(context, builder, values, args)
        low = builder.and_(args[2], ir.Constant(_INT64, 15))
        high = builder.and_(builder.lshr(args[2], ir.Constant(_INT64, 4)), ir.Constant(_INT64, 15))
        spread = builder.or_(
            _spread(builder, low), builder.shl(_spread(builder, high), ir.Constant(_INT64, 32))
        )
        old = builder.load(place, align=1)
        builder.store(builder.or_(old, spread), place, align=1)
        return context.get_dummy_value()

    return (types.void(values, types.int64, types.int64), emit) if _is_bytes(values) else None


@intrinsic
def _count_bytes(typing: Any, values: Any, first: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(builder.load(_eight_bytes(context, builder, values, args), align=1))

    return (types.int64(values, types.int64), emit) if _is_bytes(values) else None


@intrinsic
def _release_fence(typing: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.fence("release")
        return context.get_dummy_value()

    return types.void(), emit


def _is_bytes(values: Any) -> bool:
    """Return whether an array's type is one of consecutive bytes."""
    return bool(values.layout == "C" and values.ndim == 1 and values.dtype.bitwidth == 8)


def _eight_bytes(context: Any, builder: Any, values: Any, args: Any) -> Any:
    """Return the address of eight bytes, as that of one integer."""
    array = make_array(values)(context, builder, args[0])  # type: ignore[no-untyped-call]
    data = builder.bitcast(array.data, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(data, [args[1]]), _INT64.as_pointer())


def _spread(builder: Any, nibble: Any) -> Any:
    """Return four bits as the lowest bits of four bytes."""
    copies = builder.mul(nibble, ir.Constant(_INT64, 0x204081))  # they begin 7 bits apart
    return builder.and_(copies, ir.Constant(_INT64, 0x01010101))


def _trailing_zeros(builder: Any, bits: Any) -> Any:
    return builder.cttz(bits, _DEFINED_FOR_ZERO)


def _bmi2(builder: Any, name: str, bits: Any, mask: Any) -> Any:
    """Return the result of one of the two instructions of this extension."""
    kind = ir.FunctionType(_INT64, (_INT64, _INT64))
    function = builder.module.declare_intrinsic(f"llvm.x86.bmi.{name}.64", (), kind)
    return builder.call(function, (bits, mask))
