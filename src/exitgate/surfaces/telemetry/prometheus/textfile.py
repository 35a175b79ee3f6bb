"""The file that Prometheus' node_exporter reads: replaced whole, shared by every ledger that writes to it."""

from __future__ import annotations

import contextlib
import os
import stat

from exitgate.surfaces.telemetry.prometheus.exposition import lines_of_others, written
from exitgate.surfaces.telemetry.prometheus.samples import samples

#: Bytes of an earlier file that are looked at for lines of other ledgers.
_SIZE = 16 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write(directory: str, path: str) -> None:
    """
    Write the samples of a ledger, beside those that other ledgers wrote there.

    The folder is locked first and the ledger read then, so that of two processes the later one writes
    what is newer.

    Args:
        directory: The state directory, absolute.
        path: The textfile. A reader sees the old one or the new one.

    Raises:
        OSError: It cannot be written.
        ExitgateError: The ledger cannot be read.
    """
    import fcntl

    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        name = os.path.basename(path)
        others = lines_of_others(_before(folder, name), directory, _is_gone)
        text = written(samples(directory), others)
        _replace(folder, name, text.encode("utf-8"))
    finally:
        os.close(folder)


def _is_gone(ledger: str) -> bool:
    """Return whether a state directory is no more; one that may not be looked at is another user's."""
    if "\\udc" in ledger:
        return False  # its name is no text and cannot be read back
    try:
        os.lstat(ledger)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _before(folder: int, name: str) -> str:
    try:
        file = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return ""
    with open(file, "rb") as opened:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"`{name}` is not a regular file")
        if status.st_size > _SIZE:
            raise OSError(f"`{name}` is larger than exitgate writes it")
        return opened.read().decode("utf-8", "replace")


def _replace(folder: int, name: str, content: bytes) -> None:
    # node_exporter reads every *.prom, so that is not what the unfinished one ends in.
    temporary = f".{name}.part"
    _remove(folder, temporary)  # what a process left that was killed here
    try:
        with open(os.open(temporary, _NEW, 0o644, dir_fd=folder), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        _remove(folder, temporary)
        raise


def _remove(folder: int, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
