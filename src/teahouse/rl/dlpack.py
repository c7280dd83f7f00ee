"""Zero-copy export of GPU arrays to other libraries.

PyTorch and CuPy import `__cuda_array_interface__` or DLPack, JAX imports DLPack.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

CPU, CUDA = 1, 2  # DLDeviceType
_TYPE_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}  # DLDataTypeCode by NumPy kind
_NAME = b"dltensor"
LEGACY_STREAM = 1  # CUDA's legacy default stream, on which a batch runs all kernels


class _DLTensor(ctypes.Structure):
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


class _DLManagedTensor(ctypes.Structure):
    _fields_ = (
        ("tensor", _DLTensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


_exported: dict[int, tuple[Any, ...]] = {}
"""Objects that must outlive an exported tensor, by the tensor's address."""


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _release(managed: int) -> None:
    _exported.pop(managed, None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _destroy_capsule(capsule: int) -> None:
    """Release the tensor of a capsule that was never consumed."""
    if ctypes.pythonapi.PyCapsule_IsValid(ctypes.c_void_p(capsule), _NAME):
        _release(_pointer(ctypes.c_void_p(capsule), _NAME))


_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


def export(
    pointer: int, shape: tuple[int, ...], dtype: np.dtype, device: tuple[int, int], owner: Any
) -> Any:
    """Return a DLPack capsule for a C-contiguous array; `owner` is kept alive until its release."""
    size = (ctypes.c_int64 * len(shape))(*shape)
    steps = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    strides = (ctypes.c_int64 * len(shape))(*steps)
    managed = _DLManagedTensor(
        _DLTensor(
            *(pointer, *device, len(shape)),
            *(_TYPE_CODES[dtype.kind], 8 * dtype.itemsize, 1),
            ctypes.cast(size, ctypes.POINTER(ctypes.c_int64)),
            ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)),
            0,
        ),
        None,
        ctypes.cast(_release, ctypes.c_void_p),
    )
    address = ctypes.addressof(managed)
    _exported[address] = (managed, size, strides, owner)
    return _capsule(address, _NAME, ctypes.cast(_destroy_capsule, ctypes.c_void_p))


class DeviceArray:
    """A batch's array on the GPU; the next step overwrites it."""

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

    def __dlpack__(self, *, stream: int | None = None, **kwargs: Any) -> Any:
        """Return a DLPack capsule whose data is ready on the given stream."""
        if kwargs.get("copy"):
            raise BufferError(
                "This array is only exported without a copy; copy it after the import."
            )
        if stream not in (None, -1, 0, LEGACY_STREAM):
            self._synchronise()
        return export(self._pointer, self.shape, self.dtype, self.__dlpack_device__(), self._array)

    def numpy(self) -> np.ndarray:
        """Return a copy in host memory."""
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
