"""One loop of a run at a time: a lock that ends with its process, however that ends."""

from __future__ import annotations

import os
import time
from types import TracebackType

from exitgate.core.system import portable, safe_files
from exitgate.hosts.loop import paths
from exitgate.hosts.loop.codes import cannot_keep, held

#: Seconds in which a loop that was killed lets go: an agent that it was about to start holds the run until
#: the line of its start is on the disk.
PATIENCE = 2.0
#: Bytes of what a holder says of itself that are shown.
_SHOWN = 200


class RunLock:
    """
    A context in which no other loop of the run called `name` is at work in the state directory.

    Raises:
        ExitgateError: 75 where another one is, with who it is; 73 where the lock cannot be made.
    """

    def __init__(self, directory: str, name: str) -> None:
        self._directory = directory
        self._name = name
        self._descriptor = -1

    def __enter__(self) -> RunLock:
        paths.make_folders(self._directory)
        path = paths.lock_path(self._directory, self._name)
        try:
            self._descriptor = safe_files.writing(path, read=True)
            if not self._taken():
                who = portable.pread(self._descriptor, _SHOWN, 0).decode("utf-8", "replace").strip()
                self._close()
                raise held(self._name, who or "the lock does not name a process")
            os.ftruncate(self._descriptor, 0)
            portable.pwrite(self._descriptor, _myself(), 0)
        except OSError as error:
            self._close()
            raise cannot_keep(path, error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _taken(self) -> bool:
        try:
            portable.lock_until(self._descriptor, time.monotonic() + PATIENCE)
        except BlockingIOError:
            return False
        return True

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _myself() -> bytes:
    """Return who holds it, for people."""
    from time import localtime, strftime

    since = strftime("%Y-%m-%d %H:%M:%S", localtime())
    return f"process {os.getpid()} on {os.uname().nodename}, since {since} local time\n".encode()
