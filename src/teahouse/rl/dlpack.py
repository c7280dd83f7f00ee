"""Arrays on a GPU, handed over to other libraries without a copy.

PyTorch and CuPy take an array by `__cuda_array_interface__` or DLPack, JAX by DLPack: the protocol
by which one library tells another where an array lies, and by which it hears when it is let go.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

CPU, CUDA = 1, 2  # DLPack's numbers of devices
_KINDS = {"i": 0, "u": 1, "f": 2, "b": 6}  # and of kinds of numbers
_NAME = b"dltensor"
LEGACY_STREAM = 1  # the default stream, on which all of a batch's work is done


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


_lent: dict[int, tuple[Any, ...]] = {}
"""All that must live as long as somebody holds a tensor, by the tensor's address."""


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _let_go(managed: int) -> None:
    _lent.pop(managed, None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _drop(capsule: int) -> None:
    """A capsule that nobody has taken over goes, and with it what it lends."""
    if ctypes.pythonapi.PyCapsule_IsValid(ctypes.c_void_p(capsule), _NAME):
        _let_go(_pointer(ctypes.c_void_p(capsule), _NAME))


_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


def lend(
    pointer: int, shape: tuple[int, ...], dtype: np.dtype, device: tuple[int, int], owner: Any
) -> Any:
    """A DLPack capsule for an array in C order; its owner lives until it is let go."""
    size = (ctypes.c_int64 * len(shape))(*shape)
    steps = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    strides = (ctypes.c_int64 * len(shape))(*steps)
    managed = _Managed(
        _Tensor(
            *(pointer, *device, len(shape)),
            *(_KINDS[dtype.kind], 8 * dtype.itemsize, 1),
            ctypes.cast(size, ctypes.POINTER(ctypes.c_int64)),
            ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)),
            0,
        ),
        None,
        ctypes.cast(_let_go, ctypes.c_void_p),
    )
    address = ctypes.addressof(managed)
    _lent[address] = (managed, size, strides, owner)
    return _capsule(address, _NAME, ctypes.cast(_drop, ctypes.c_void_p))


class DeviceArray:
    """An array of a batch on the GPU. It is the batch's own: a step overwrites it."""

    def __init__(
        self, array: Any, dtype: np.dtype, device: int, synchronise: Callable[[], None]
    ) -> None:
        self._array = array
        self._device = device
        self._synchronise = synchronise
        self.dtype = dtype
        self.shape: tuple[int, ...] = array.shape

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._pointer, False),
            "strides": None,
            "version": 3,
            "stream": LEGACY_STREAM,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CUDA, self._device)

    def __dlpack__(self, *, stream: int | None = None, **wishes: Any) -> Any:
        """The array as a DLPack capsule, ready on the stream that asks for it."""
        if wishes.get("copy"):
            raise BufferError("this array is handed over without a copy; copy it over there")
        if stream not in (None, -1, 0, LEGACY_STREAM):
            self._synchronise()
        return lend(self._pointer, self.shape, self.dtype, self.__dlpack_device__(), self._array)

    def numpy(self) -> np.ndarray:
        """A copy in the computer's own memory."""
        copy: np.ndarray = self._array.copy_to_host().view(self.dtype)
        return copy

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def _pointer(self) -> int:
        return int(self._array.__cuda_array_interface__["data"][0])

    def __repr__(self) -> str:
        return f"<DeviceArray of {self.dtype}, shape {self.shape}>"
