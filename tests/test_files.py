"""Atomic writes, files that grow by lines, sizes, and lock files."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from teahouse.core.files import append_line, complete_lines, file_sizes, try_lock, write_atomic


@pytest.mark.parametrize("durable", [False, True])
@pytest.mark.parametrize("content", ["text … ü\n", b"\x00bytes"])
def test_write_atomic(tmp_path: Path, content: str | bytes, durable: bool) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    write_atomic(path, content, durable=durable)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(OSError):
        write_atomic(path, "new")
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError):
        write_atomic(tmp_path / "missing" / "file", "new")


def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError) as raised:
        write_atomic(tmp_path / "file", "new")
    assert raised.value.filename == str(tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_links_are_followed(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_locks_exclude_other_processes(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    code = (
        "from pathlib import Path; from teahouse.core.files import try_lock;"
        f"print(try_lock(Path({str(path)!r}), 0.1) is not None)"
    )

    def other_process_locks() -> bool:
        printed = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
        ).stdout
        return printed == "True\n"

    lock = try_lock(path)
    assert lock is not None
    assert try_lock(path) is None
    assert not other_process_locks()
    lock.release()
    assert other_process_locks()


def test_lines_survive_a_process_that_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    assert complete_lines(path) == []
    for line in ("one", "zwölf\u2028", ""):
        append_line(path, line)
    whole = path.read_bytes()
    path.write_bytes(whole + "half ä".encode()[:-1])
    assert complete_lines(path) == ["one", "zwölf\u2028", ""]
    assert path.read_bytes() == whole
    append_line(path, "more")
    assert complete_lines(path)[-1] == "more"
    path.write_bytes(b"torn")
    assert complete_lines(path) == []


def test_sizes_of_files_of_which_one_was_deleted(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert file_sizes([tmp_path / "deleted", path]) == {path: 5}
