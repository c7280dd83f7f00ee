"""Keys of PostgreSQL's advisory locks: all in one place, so that no two parts share one."""

from __future__ import annotations

from enum import IntEnum, unique


@unique
class LockKey(IntEnum):
    """Arbitrary numbers, by which processes of all versions exclude each other."""

    SERVER = 0x7EA4005E
    """Of the session that writes; that of 0.1.0."""
    MIGRATION = 0x7EA4005F
    QUEUE_SCHEMA = 0x7EA40060
    RATINGS = 0x7EA40061
    MAIL = 0x7EA40062
    PAIRING = 0x7EA40063
