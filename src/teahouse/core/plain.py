"""Records as plain Python objects: what kernels run on when they are interpreted.

A field of a thawed record is an int, a list, or a list of lists, so arithmetic is exact and quick,
and a kernel reads and writes it as it would the NumPy record.
"""

from typing import Any

import numpy as np


class Plain:
    """A thawed record: one attribute for each field."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the record has no field {name}")


class Plains:
    """A fixed row of thawed records that copies on assignment, as an array of records does."""

    def __init__(self, records: np.ndarray) -> None:
        self._rows = [thaw(record) for record in records]
        self.dtype = records.dtype

    def __getitem__(self, index: int) -> Plain:
        return self._rows[index]

    def __setitem__(self, index: int, source: Plain) -> None:
        for name, value in vars(source).items():
            setattr(self._rows[index], name, _copy(value))

    def __len__(self) -> int:
        return len(self._rows)


class Frozen:
    """A row of thawed records as bytes, each when it is asked for."""

    def __init__(self, records: Plains) -> None:
        self._records = records

    def __getitem__(self, index: int) -> bytes:
        return freeze(self._records[index], self._records.dtype)


def thaw(record: np.void) -> Plain:
    """A plain copy of one record."""
    plain = Plain()
    assert record.dtype.names is not None
    for name in record.dtype.names:
        setattr(plain, name, record[name].tolist())
    return plain


def freeze(plain: Plain, dtype: np.dtype) -> bytes:
    """The record of this type with the plain object's values, as bytes; padding is zero."""
    record = np.zeros((), dtype)
    for name, value in vars(plain).items():
        record[name] = value
    return record.tobytes()


def _copy(value: Any) -> Any:
    return [_copy(item) for item in value] if isinstance(value, list) else value
