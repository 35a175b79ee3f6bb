"""The lock on a state directory."""

from __future__ import annotations

import os

from exitgate.ledger.trouble import cannot_write, locked

#: Seconds that a check waits for another one.
WAIT = 10.0

_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05


def take(directory: str, wait: float = WAIT) -> int:
    """
    Lock `directory`, making it if need be, and return the open descriptor that holds the lock.

    Closing the descriptor, by whatever way the process ends, lets the lock go.

    Raises:
        ExitgateError: 75 when the lock does not come free within `wait` seconds; 73 when the folder
            or the lock file cannot be made.
    """
    import fcntl
    import time

    descriptor = _open(directory)
    until = time.monotonic() + wait
    pause = _FIRST_PAUSE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(descriptor)
                raise locked(directory, wait) from None
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        except OSError as error:
            os.close(descriptor)
            raise cannot_write(os.path.join(directory, "ledger.lock"), error) from error
        else:
            return descriptor


def _open(directory: str) -> int:
    path = os.path.join(directory, "ledger.lock")
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        _make_folder(directory)
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise cannot_write(path if os.path.isdir(directory) else directory, error) from error


def _make_folder(directory: str) -> None:
    """Make the folder, private to the user; folders above it get the usual rights."""
    if os.path.isdir(directory):
        return
    above = os.path.dirname(os.path.abspath(directory))
    os.makedirs(above, exist_ok=True)
    try:
        os.mkdir(directory, 0o700)
    except FileExistsError:
        if not os.path.isdir(directory):
            raise
    handle = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
