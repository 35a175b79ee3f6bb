"""A process that does what it is asked over its standard input, see `exitgate.core.system.pool`."""

from __future__ import annotations

import os
import pickle
import signal
from queue import SimpleQueue
from threading import Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


#: Bytes before each pickle that say how long it is.
SIZE = 8


def serve() -> None:
    """Answer requests until their stream ends; nothing else reaches the two streams."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked, told = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    waiting: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(asked, waiting), daemon=True).start()
    while True:
        answer = _answer(waiting.get())
        try:
            told.write(len(answer).to_bytes(SIZE, "big") + answer)
            told.flush()
        except OSError:
            os._exit(1)


def _listen(asked: BinaryIO, waiting: SimpleQueue[bytes]) -> None:
    """Take what is asked; end this process over its work once the one that asks is gone, however it went."""
    while True:
        head = asked.read(SIZE)
        size = int.from_bytes(head, "big")
        work = asked.read(size)
        if len(head) < SIZE or len(work) < size:
            os._exit(0)
        waiting.put(work)


def _answer(work: bytes) -> bytes:
    """Return whether it raised and what it returned or raised, pickled."""
    try:
        function, words = pickle.loads(work)  # noqa: S301 - who started this process wrote it
        return pickle.dumps((False, function(*words)))
    except Exception as error:
        try:
            return pickle.dumps((True, error))
        except Exception:  # the error itself cannot be pickled: what it says can
            return pickle.dumps((True, RuntimeError(f"{type(error).__name__}: {error}")))
