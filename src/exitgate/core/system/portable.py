"""
What Windows lacks of POSIX, and what is done there instead.

Locks, owners and rights, open folders, reading at a place: these are asked for here. A name of `os`, `signal`
or the library that Windows does not have occurs nowhere else, but in what needs WSL there
(`docs/decisions/0960-windows.md`; `tests/architecture/test_windows.py` holds it so).
"""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    #: An open folder: its descriptor, or its absolute path where the system opens no folders.
    Folder = int | str


WINDOWS = sys.platform == "win32"
#: Variables that name a folder of the user's, each with what is below it: for what can be made again,
#: for what cannot, and for what was fetched for good. The first that is absolute counts.
CACHES = (("XDG_CACHE_HOME", "exitgate"), ("HOME", ".cache/exitgate"))
STATES = (("XDG_STATE_HOME", "exitgate"), ("HOME", ".local/state/exitgate"))
KEPT = (("XDG_DATA_HOME", "exitgate"), ("HOME", ".local/share/exitgate"))
if WINDOWS:
    CACHES = (("XDG_CACHE_HOME", "exitgate"), ("LOCALAPPDATA", "exitgate/cache"))
    STATES = (("XDG_STATE_HOME", "exitgate"), ("LOCALAPPDATA", "exitgate/state"))
    KEPT = (("XDG_DATA_HOME", "exitgate"), ("LOCALAPPDATA", "exitgate/data"))
#: On Windows no process can replace or remove a file that another process has open: it is tried so often, at
#: intervals of so many seconds.
_TRIES, _PAUSE = 100, 0.01
#: Nanoseconds for which a file has to have been left alone: some file systems count in steps of two seconds.
_SETTLED = 3_000_000_000
#: Seconds between two attempts to lock a file: more from one to the next.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
#: What begins the name of a device in every folder of Windows, with any ending.
_DEVICES = frozenset((
    "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
    *(f"{port}{number}" for port in ("COM", "LPT") for number in range(10)),
))  # fmt: skip
#: Tags of what leads elsewhere on Windows: symbolic links and junctions.
_LEADS_ELSEWHERE = frozenset((0xA000000C, 0xA0000003))


def user() -> int:
    """Return the user's number; 0 on Windows, where every file has the owner 0."""
    return 0 if WINDOWS else os.geteuid()


def owner(status: os.stat_result) -> int:
    """Return the number of the user whose file this is, see `user`."""
    return 0 if WINDOWS else status.st_uid


def identity(status: os.stat_result, before: int) -> tuple[int, ...]:
    """
    Return what is another once a regular file changes; empty where nothing tells that.

    The instant of the last change of any kind is among it, which no program can set back. A file that changed
    just before `before` could have changed once more within the same tick of its clock.

    Args:
        status: Of the file.
        before: Nanoseconds since the epoch: an instant before the file was read, or is to be.
    """
    if WINDOWS or not stat.S_ISREG(status.st_mode) or not 0 < status.st_ctime_ns < before - _SETTLED:
        return ()
    one = status
    return one.st_dev, one.st_ino, one.st_size, one.st_mode, one.st_mtime_ns, one.st_ctime_ns


def rights(status: os.stat_result) -> int:
    """Return the bits of the mode that mean something: on Windows those of others mirror the user's."""
    return stat.S_IMODE(status.st_mode) & (0o700 if WINDOWS else 0o7777)


def user_folder(environment: Mapping[str, str], places: Sequence[tuple[str, str]]) -> str:
    """Return the first of `places` (`CACHES`, ...) whose variable is absolute. Raises LookupError."""
    for variable, below in places:
        above = environment.get(variable, "")
        if os.path.isabs(above):
            return os.path.join(above, *below.split("/"))
    names = " nor ".join(variable for variable, _ in reversed(places))
    raise LookupError(f"neither {names} is an absolute path")


def settings_folder(environment: Mapping[str, str]) -> str:
    """
    Return the folder of the user's settings, whether it exists or not.

    On Linux as platformdirs has it, without importing it: a test holds the two together.
    """
    if sys.platform.startswith("linux"):
        folder = environment.get("XDG_CONFIG_HOME", "")
        if not os.path.isabs(folder):
            home = environment.get("HOME", "")
            folder = os.path.join(home if os.path.isabs(home) else os.path.expanduser("~"), ".config")
        return os.path.join(folder, "exitgate")
    from platformdirs import user_config_dir

    return user_config_dir("exitgate", appauthor=False)


def temporary() -> str:
    """Return the folder of what may go at any time: on POSIX everybody's, on Windows the user's own."""
    if WINDOWS:
        return os.environ.get("TEMP") or os.environ.get("TMP") or os.path.expanduser("~")
    return os.environ.get("TMPDIR") or "/tmp"  # noqa: S108 - who writes there makes a folder of their own


def lock(descriptor: int, *, shared: bool = False, wait: bool = False) -> None:
    """
    Lock an open file for this process, until it is closed or unlocked.

    Args:
        descriptor: The file. On Windows no other process reads the beginning of a locked file.
        shared: Let others lock it so, too; on Windows no other process.
        wait: Wait for as long as it takes.

    Raises:
        BlockingIOError: Another process has it locked.
        OSError: It cannot be locked at all.
    """
    if WINDOWS:
        _lock_by_library(descriptor, wait)
        return
    import fcntl

    fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def lock_until(descriptor: int, until: float) -> None:
    """
    Lock an open file as `lock` does, and wait for another process that has it locked.

    Args:
        descriptor: The file.
        until: The moment of `time.monotonic` at which it gives up; it tries once in any case.

    Raises:
        BlockingIOError: Another process has it locked to the end.
        OSError: It cannot be locked at all.
    """
    import time

    pause = _FIRST_PAUSE
    while True:
        try:
            lock(descriptor)
        except BlockingIOError:
            left = until - time.monotonic()
            if left <= 0:
                raise
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)
        else:
            return


def unlock(descriptor: int) -> None:
    """Let a lock go; the file stays open. Raises OSError."""
    if WINDOWS:
        import portalocker

        portalocker.unlock(descriptor)
        return
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_UN)


def lock_byte(descriptor: int, at: int) -> None:
    """Lock one byte of an open file; the whole file on Windows. Raises OSError, also where it is locked."""
    if WINDOWS:
        _lock_by_library(descriptor, wait=False)
        return
    import fcntl

    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, at)


def _lock_by_library(descriptor: int, wait: bool) -> None:
    import portalocker

    flags = portalocker.LockFlags.EXCLUSIVE
    try:
        portalocker.lock(descriptor, flags if wait else flags | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.AlreadyLocked as error:
        raise BlockingIOError(str(error)) from error
    except portalocker.LockException as error:
        raise OSError(f"it cannot be locked: {error}") from error


def _read_at(descriptor: int, size: int, at: int) -> bytes:
    """Return bytes from a place, as `os.pread`; where the descriptor is stays as it was."""
    before = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        os.lseek(descriptor, at, os.SEEK_SET)
        return os.read(descriptor, size)
    finally:
        os.lseek(descriptor, before, os.SEEK_SET)


def _write_at(descriptor: int, raw: bytes, at: int) -> int:
    """Write bytes at a place, as `os.pwrite`."""
    before = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        os.lseek(descriptor, at, os.SEEK_SET)
        return os.write(descriptor, raw)
    finally:
        os.lseek(descriptor, before, os.SEEK_SET)


pread: Callable[[int, int, int], bytes] = _read_at if WINDOWS else os.pread
pwrite: Callable[[int, bytes, int], int] = _write_at if WINDOWS else os.pwrite


def at_fork(begin_again: Callable[[], None]) -> None:
    """Have something called in each process that this one forks into; Windows has no such processes."""
    if not WINDOWS:
        os.register_at_fork(after_in_child=begin_again)


def open_at(path: str, flags: int, mode: int, folder: Folder | None) -> int:
    """Return `os.open` of a path that starts from an open folder. Raises OSError."""
    if isinstance(folder, str):
        return os.open(os.path.join(folder, path), flags, mode)
    return os.open(path, flags, mode, dir_fd=folder)


def close(folder: Folder) -> None:
    """Close an open folder."""
    if isinstance(folder, int):
        os.close(folder)


def status_of(folder: Folder) -> os.stat_result:
    """Return the status of an open folder. Raises OSError."""
    return os.fstat(folder) if isinstance(folder, int) else os.stat(folder)


def status_at(name: str, folder: Folder | None, links: bool = False) -> os.stat_result:
    """Return the status of what is in an open folder; where a link leads if `links`. Raises OSError."""
    if isinstance(folder, str):
        return os.stat(os.path.join(folder, name), follow_symlinks=links)
    return os.stat(name, dir_fd=folder, follow_symlinks=links)


def touch_at(name: str, folder: Folder) -> None:
    """Note that a file in an open folder was used now. Raises OSError."""
    if isinstance(folder, str):
        os.utime(os.path.join(folder, name))
    else:
        os.utime(name, dir_fd=folder, follow_symlinks=False)


def make_folder_at(name: str, folder: Folder) -> None:
    """Make a folder in an open one. Raises OSError."""
    if isinstance(folder, str):
        os.mkdir(os.path.join(folder, name))
    else:
        os.mkdir(name, dir_fd=folder)


def set_rights_at(name: str, folder: Folder, mode: int) -> None:
    """Give a file in an open folder permissions; Windows has none of these. Raises OSError."""
    if isinstance(folder, int):
        os.chmod(name, mode, dir_fd=folder)


def remove_at(name: str, folder: Folder | None) -> None:
    """Remove a file in an open folder. Raises OSError."""
    if isinstance(folder, str):
        os.unlink(os.path.join(folder, name))
    else:
        os.unlink(name, dir_fd=folder)


def replace_at(old: str, new: str, folder: Folder | None) -> None:
    """Give a file in an open folder the name of another, which goes. Raises OSError."""
    if WINDOWS:
        above = folder if isinstance(folder, str) else ""
        _replace_in_the_end(os.path.join(above, old), os.path.join(above, new))
    else:
        assert not isinstance(folder, str)
        os.replace(old, new, src_dir_fd=folder, dst_dir_fd=folder)


def replace(old: str, new: str) -> None:
    """Replace a file by another. Raises OSError."""
    if WINDOWS:
        _replace_in_the_end(old, new)
    else:
        os.replace(old, new)


def _replace_in_the_end(old: str, new: str) -> None:
    """Replace a file that others may be reading just now."""
    import time

    for _ in range(_TRIES):
        try:
            os.replace(old, new)
        except PermissionError:
            time.sleep(_PAUSE)
        else:
            return
    os.replace(old, new)


def relative(path: str, start: str = os.curdir) -> str:
    """Return a path as it is from a folder; from the root of its drive if the folder is on another one."""
    try:
        return os.path.relpath(path, start)
    except ValueError:
        if not WINDOWS:
            raise
        return os.path.abspath(path)


def is_below(path: str, folder: str) -> bool:
    """Return whether a path without links is below a folder; Windows takes large letters for small ones."""
    above = os.path.normcase(folder).rstrip(os.sep) + os.sep
    return os.path.normcase(path).startswith(above)


def without_end(path: str) -> str:
    """Return a path without separators at its end, behind which a link is followed; a root stays one."""
    drive, rest = os.path.splitdrive(path)
    return drive + (rest.rstrip(os.sep + (os.altsep or "")) or rest)


def with_slashes(path: str) -> str:
    """Return a path as git and files that are the same on all systems write it: with ``/``."""
    return path.replace(os.sep, "/")


def leads_elsewhere(status: os.stat_result) -> bool:
    """Return whether this is a link, by the status of the link itself; a junction of Windows is one."""
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) in _LEADS_ELSEWHERE


def is_device(path: str) -> bool:
    """Return whether a path of Windows names a device or a part of a file: ``NUL.txt``, ``COM1``, ``a:b``."""
    for part in os.path.splitdrive(path)[1].replace("\\", "/").split("/"):
        if ":" in part or part.partition(".")[0].rstrip(" ").upper() in _DEVICES:
            return True
    return False
