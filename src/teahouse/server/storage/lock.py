"""The right to write to a database: one server at a time with SQLite, any number with PostgreSQL.

SQLite: a lock on the database file itself, so it does not matter by which path, symbolic or hard
link the file is opened. It is an open file description lock on a byte far behind those that SQLite
locks: unlike other POSIX locks it is not lost when SQLite closes a descriptor of the same file.

PostgreSQL: an advisory lock of the session that writes. Servers share it; commands that need
exclusive access, and servers of earlier versions, do not. If the session is lost, so is the
lock, and nothing is written before a new session has acquired it again.
"""

from __future__ import annotations

import logging
import os
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from filelock import FileLock

from teahouse.core.errors import OptionError
from teahouse.core.files import try_lock
from teahouse.server.storage.lock_keys import LockKey

if sys.platform == "linux":
    import fcntl

log = logging.getLogger("teahouse.server.storage.lock")

LOCK_BYTE = 0x7EA4_005E_0000
"""The byte of an SQLite file that is locked; SQLite itself uses those from 0x40000000."""
LOCK_TIMEOUT = 5.0  # the session of a killed server may linger for a moment
OWNER_ONLY = 0o600


class StartupError(OptionError):
    """The server cannot start; the message gives the reason."""


class LockLostError(RuntimeError):
    """Another server holds the database lock."""


class Lock(Protocol):
    """The right to write to a database."""

    def begin(self) -> AbstractContextManager[sa.Connection]:
        """Begin a transaction; raise `LockLostError` if another server has the lock."""

    def ensure_held(self) -> None:
        """Check that the lock is held; acquire it again if its session was lost."""

    def release(self) -> None:
        """Release the lock."""


def acquire_lock(engine: sa.Engine, *, shared: bool = False) -> Lock:
    """Acquire the lock; raise `StartupError` if another server holds it.

    With `shared`, on PostgreSQL, other processes that share the lock may hold it too.
    """
    try:
        if engine.dialect.name == "sqlite":
            return FileDescriptorLock(engine)
        return AdvisoryLock(engine, shared=shared)
    except (sa.exc.DatabaseError, OSError) as error:
        raise unusable(error) from None


def unusable(error: Exception) -> StartupError:
    """Return the error for a database that cannot be opened."""
    return StartupError(f"The database cannot be used: {getattr(error, 'orig', error)}")


def _in_use(where: str) -> StartupError:
    return StartupError(
        f"Another server is running on {where}; stop it, or choose another --database."
    )


class FileDescriptorLock:
    """A lock on an SQLite file, which the system releases when the process ends."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._connection: sa.Connection | None = None
        database = str(engine.url.database)
        path = Path(database).resolve()
        # Servers up to 0.1.0 have only this lock; so have systems without locks of descriptors.
        self._file: FileLock | None = try_lock(Path(f"{path}.lock"))
        if self._file is None:
            raise _in_use(database)
        self._descriptor = -1
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY)
            if not _lock_descriptor(self._descriptor):
                raise _in_use(database)
            _restrict(path)
        except BaseException:
            self.release()
            raise

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        """Begin a transaction, in the same connection as before: opening one takes time."""
        if self._connection is None:
            self._connection = self._engine.connect()
        try:
            with self._connection.begin():
                yield self._connection
        except BaseException:
            self._close()  # a commit that fails may leave the transaction open; this ends it
            raise

    def ensure_held(self) -> None:
        """Do nothing: the system keeps the lock as long as the process runs."""

    def release(self) -> None:
        """Release the lock by closing the descriptor, once SQLite has closed its own."""
        self._close()
        self._engine.dispose()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if self._file is not None:
            self._file.release()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _lock_descriptor(descriptor: int) -> bool:
    """Lock a file by an open descriptor; return False if another one has locked it."""
    if sys.platform != "linux":
        return True  # the lock file has to do
    wanted = struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, LOCK_BYTE, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)
    except BlockingIOError:
        return False
    return True


def _restrict(path: Path) -> None:
    """Let nobody else read a database; files that SQLite adds have the same mode."""
    for suffix in ("", "-wal", "-shm", ".lock"):
        with suppress(FileNotFoundError, PermissionError):
            os.chmod(f"{path}{suffix}", OWNER_ONLY)


def lock_modes(connection: sa.Connection) -> Sequence[str]:
    """Return for each process on a PostgreSQL database how it holds the lock."""
    held = sa.text(
        "SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND granted"
        " AND classid = 0 AND objid = :key AND objsubid = 1"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    return connection.execute(held, {"key": int(LockKey.SERVER)}).scalars().all()


class AdvisoryLock:
    """An advisory lock of PostgreSQL, held by the connection that writes."""

    def __init__(self, engine: sa.Engine, *, shared: bool = False) -> None:
        self._engine = engine
        self._suffix = "_shared" if shared else ""
        self._connection: sa.Connection | None = None
        deadline = time.monotonic() + LOCK_TIMEOUT
        while not self._acquire():
            if time.monotonic() > deadline:
                raise _in_use(engine.url.render_as_string(hide_password=True))
            time.sleep(0.1)

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        """Begin a transaction in the session that holds the lock."""
        if not self._held and not self._acquire():
            raise LockLostError("Another server holds the lock on the database.")
        assert self._connection is not None
        with self._connection.begin():
            yield self._connection

    def ensure_held(self) -> None:
        """Test the session, and acquire the lock again if it was lost."""
        for attempt in (1, 2):  # the second one in a new session
            try:
                self._test()
                return
            except (sa.exc.DBAPIError, LockLostError) as error:
                if attempt == 2:
                    reason = getattr(error, "orig", error)
                    log.warning("The lock on the database was lost; retrying: %s", reason)

    def _test(self) -> None:
        with self.begin() as connection:
            connection.execute(sa.select(1))

    @property
    def _held(self) -> bool:
        connection = self._connection
        return connection is not None and not connection.closed and not connection.invalidated

    def _acquire(self) -> bool:
        """Acquire the lock in a new session; return False if another server has it."""
        self.release()
        try:
            return self._try_acquire()
        except sa.exc.DBAPIError as error:
            if not error.connection_invalidated:
                raise
        return self._try_acquire()  # a pooled session was lost while it was idle, with all others

    def _try_acquire(self) -> bool:
        connection = self._engine.connect()
        try:
            with connection.begin():
                acquired = bool(connection.execute(self._call("pg_try_advisory_lock")).scalar_one())
        except BaseException:
            connection.close()
            raise
        if acquired:
            self._connection = connection
        else:
            connection.close()
        return acquired

    def release(self) -> None:
        """Release the lock and close its session."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        with suppress(sa.exc.DBAPIError):  # a lost session has lost its lock
            if not connection.invalidated:
                connection.execute(self._call("pg_advisory_unlock"))
            connection.invalidate()
        connection.close()

    def _call(self, function: str) -> sa.Select[tuple[bool]]:
        return sa.select(getattr(sa.func, f"{function}{self._suffix}")(int(LockKey.SERVER)))
