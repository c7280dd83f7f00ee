"""Records as plain Python objects: what kernels run on when they are interpreted.

A field of a thawed record is an int, a list, or a list of lists, so arithmetic is exact and quick,
and a kernel reads and writes it as it would the NumPy record.
"""

from typing import Any

import numpy as np


class PyRecord:
    """A thawed record: one attribute for each field."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the record has no field {name}")


class PyRecords:
    """A fixed row of thawed records that copies on assignment, as an array of records does."""

    def __init__(self, records: np.ndarray) -> None:
        self._rows: list[PyRecord] | _ZeroRecords = [unpack(record) for record in records]
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


class _ZeroRecords(dict[int, PyRecord]):
    """Zeroed records by index, created on first access: search buffers are large and sparse."""

    def __init__(self, count: int, dtype: np.dtype) -> None:
        self._count = count
        self._blank = np.zeros(1, dtype)[0]

    def __missing__(self, index: int) -> PyRecord:
        if not 0 <= index < self._count:
            raise IndexError(index)
        self[index] = record = unpack(self._blank)
        return record

    def __len__(self) -> int:
        return self._count


class PyRecordBytes:
    """A row of thawed records as bytes, each when it is asked for."""

    def __init__(self, records: PyRecords) -> None:
        self._records = records

    def __getitem__(self, index: int) -> bytes:
        return pack(self._records[index], self._records.dtype)


def unpack(record: np.void) -> PyRecord:
    """A plain copy of one record."""
    plain = PyRecord()
    assert record.dtype.names is not None
    for name in record.dtype.names:
        setattr(plain, name, record[name].tolist())
    return plain


def pack(plain: PyRecord, dtype: np.dtype) -> bytes:
    """The record of this type with the plain object's values, as bytes; padding is zero."""
    record = np.zeros((), dtype)
    for name, value in vars(plain).items():
        record[name] = value
    return record.tobytes()


def _copy(value: Any) -> Any:
    return [_copy(item) for item in value] if isinstance(value, list) else value
