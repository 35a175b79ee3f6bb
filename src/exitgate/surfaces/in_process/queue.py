"""Checks of one process on one state directory, one after the other."""

from __future__ import annotations

import os
import threading
from weakref import WeakValueDictionary

from exitgate import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import ThreadPoolExecutor

    from exitgate.model.decision import Decision

#: Threads in which awaited checks run. More would only be in line: a check keeps its folder locked.
THREADS = 8


class _Queue:
    """The locks and threads of one process."""

    def __init__(self) -> None:
        self.guard = threading.Lock()
        # A lock is there as long as somebody holds it or waits for it: folders come and go.
        self.locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self.threads: ThreadPoolExecutor | None = None

    def begin_again(self) -> None:
        """In the child of a fork: threads are gone, and with them the holders of locks."""
        self.guard = threading.Lock()
        self.locks = WeakValueDictionary()
        self.threads = None


_QUEUE = _Queue()
system.at_fork(_QUEUE.begin_again)


def turn_at(directory: str) -> threading.Lock:
    """
    Return the lock that the threads of this process take before that of the ledger.

    The lock of a ledger is asked for again and again until a bounded wait is over, which is right among
    processes: many threads of one would starve each other there. Here each waits for its turn.
    """
    with _QUEUE.guard:
        return _QUEUE.locks.setdefault(os.path.realpath(directory), threading.Lock())


async def in_thread(make: Callable[[], Decision]) -> Decision:
    """Return what `make` returns in a thread of ours: those of the event loop are left to others."""
    import asyncio
    from contextvars import copy_context

    with _QUEUE.guard:
        if _QUEUE.threads is None:
            from concurrent.futures import ThreadPoolExecutor

            _QUEUE.threads = ThreadPoolExecutor(THREADS, "exitgate")
        threads = _QUEUE.threads
    return await asyncio.get_running_loop().run_in_executor(threads, copy_context().run, make)
