"""The lock on a state directory."""

from __future__ import annotations

import os

from exitgate import opening, system
from exitgate.ledger.trouble import cannot_write, locked

#: Seconds that a check waits for another one.
WAIT = 10.0


def take(directory: str, wait: float = WAIT) -> int:
    """
    Lock `directory`, making it if need be, and return the open descriptor that holds the lock.

    Closing the descriptor lets the lock go, however the process ends.

    Raises:
        ExitgateError: 75 when the lock does not come free within `wait` seconds; 73 when the folder
            or the lock file cannot be made.
    """
    descriptor = _open(directory)
    try:
        take_again(descriptor, directory, wait)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def take_again(descriptor: int, directory: str, wait: float = WAIT) -> None:
    """
    Lock `directory` by the open descriptor of its lock file.

    Raises:
        ExitgateError: 75 when the lock does not come free within `wait` seconds, 73 when there are no locks.
    """
    import time

    try:
        system.lock_until(descriptor, time.monotonic() + wait)
    except BlockingIOError:
        raise locked(directory, wait) from None
    except OSError as error:
        raise cannot_write(os.path.join(directory, "ledger.lock"), error) from error


def let_go(descriptor: int) -> None:
    """Let the lock go that `descriptor` holds; it stays open."""
    system.unlock(descriptor)


def _open(directory: str) -> int:
    path = os.path.join(directory, "ledger.lock")
    try:
        if opening.make_folder(directory):
            opening.sync_folder(os.path.dirname(os.path.abspath(directory)))
    except OSError as error:
        raise cannot_write(directory, error) from error
    try:
        return opening.writing(path, read=True)
    except OSError as error:
        raise cannot_write(path, error) from error
