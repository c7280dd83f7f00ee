"""Records as Python objects, for interpreted kernels.

A field is an int, a list or a list of lists: arithmetic is exact and faster than on NumPy scalars,
and kernels access fields as they do in NumPy records.
"""

import struct
from functools import cache
from typing import Any

import numpy as np


class PyRecord:
    """A record with one attribute for each field."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"The record has no field {name}.")


class _SinglePrecisionRecord(PyRecord):
    """A record that rounds its float32 fields on assignment, as a NumPy record does."""

    _single: frozenset[str]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._single:
            (value,) = struct.unpack("f", struct.pack("f", value))
        object.__setattr__(self, name, value)


class PyRecords:
    """An array of records: assignment copies fields, as in a NumPy array."""

    def __init__(self, records: np.ndarray) -> None:
        kind = _record_class(records.dtype)
        self._rows: list[PyRecord] | _ZeroRecords = [unpack(record, kind) for record in records]
        self.dtype = records.dtype

    @classmethod
    def zeros(cls, count: int, dtype: np.dtype) -> "PyRecords":
        """Return `count` zeroed records, each created when it is first accessed."""
        records = cls(np.zeros(0, dtype))
        records._rows = _ZeroRecords(count, dtype)
        return records

    def __getitem__(self, index: int) -> PyRecord:
        return self._rows[index]

    def __setitem__(self, index: int, source: PyRecord) -> None:
        for name, value in vars(source).items():
            setattr(self._rows[index], name, _copy(value))

    def __len__(self) -> int:
        return len(self._rows)

    def copy(self) -> "PyRecords":
        """Return an independent copy."""
        twin = PyRecords(np.zeros(0, self.dtype))
        rows = [type(self[index])() for index in range(len(self))]
        for index, row in enumerate(rows):
            fields = {name: _copy(value) for name, value in vars(self[index]).items()}
            vars(row).update(fields)
        twin._rows = rows
        return twin

    def to_array(self, begin: int, end: int) -> np.ndarray:
        """Return a copy of a range as an array of records."""
        rows = np.zeros(end - begin, self.dtype)  # padding is zero
        for index in range(begin, end):
            rows[index - begin] = tuple(vars(self[index]).values())
        return rows


class _ZeroRecords(dict[int, PyRecord]):
    """Zeroed records by index, created on first access: search buffers are large and sparse."""

    def __init__(self, count: int, dtype: np.dtype) -> None:
        self._count = count
        self._blank = np.zeros(1, dtype)[0]
        self._class = _record_class(dtype)

    def __missing__(self, index: int) -> PyRecord:
        if not 0 <= index < self._count:
            raise IndexError(index)
        self[index] = record = unpack(self._blank, self._class)
        return record

    def __len__(self) -> int:
        return self._count


class PyRecordBytes:
    """The bytes of each record, packed on access."""

    def __init__(self, records: PyRecords) -> None:
        self._records = records

    def __getitem__(self, index: int) -> bytes:
        return pack(self._records[index], self._records.dtype)


@cache
def _record_class(dtype: np.dtype) -> type[PyRecord]:
    single = {name for name in dtype.names or () if dtype[name] == np.float32}
    if not single:
        return PyRecord
    return type("PyRecord", (_SinglePrecisionRecord,), {"_single": frozenset(single)})


def unpack(record: np.void, record_class: type[PyRecord] = PyRecord) -> PyRecord:
    """Return a NumPy record as a Python object."""
    unpacked = record_class()
    assert record.dtype.names is not None
    fields = vars(unpacked)  # floats already have single precision
    for name, value in zip(record.dtype.names, record.item(), strict=True):
        fields[name] = value.tolist() if isinstance(value, np.ndarray) else value
    return unpacked


def pack(record: PyRecord, dtype: np.dtype) -> bytes:
    """Return a record's bytes as a NumPy record of this type; padding is zero."""
    packed = np.zeros((), dtype)
    for name, value in vars(record).items():
        packed[name] = value
    return packed.tobytes()


def _copy(value: Any) -> Any:
    return [_copy(item) for item in value] if isinstance(value, list) else value
