"""What an agent writes, passed on to our own streams at once, as it is."""

from __future__ import annotations

import io
import os
from errno import EIO, EPIPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

#: Bytes of one write: a pipe that says that it takes some takes as many without waiting.
_PIECE = 4096


#: What a stream says whose reader went away: a pipe's, a terminal's.
AWAY = (EPIPE, EIO)


def one_place(one: TextIO | None, other: TextIO | None) -> bool:
    """Return whether two streams lead to one file or terminal."""
    try:
        return one is not None and other is not None and _place(one) == _place(other)
    except (OSError, io.UnsupportedOperation):
        return False


def _place(stream: TextIO) -> tuple[int, int]:
    status = os.fstat(stream.fileno())
    return status.st_dev, status.st_ino


class Through:
    """
    Bytes on their way to one stream.

    `pending` are those that it has not taken yet; `fresh` says that the last one ended a line. A reader that
    went away is not trouble: nothing more is passed on.

    Args:
        stream: One of Python's own; None passes nothing on.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self.pending = bytearray()
        self.fresh = True
        self.descriptor = -1
        self._stream = stream
        if stream is None:
            return
        stream.flush()
        try:
            self.descriptor = os.dup(stream.fileno())  # two may lead to one stream
        except io.UnsupportedOperation:  # a stream in memory
            self.descriptor = -1

    def add(self, piece: bytes) -> None:
        """Take what was written; a stream in memory has it at once."""
        if self._stream is None or not piece:
            return
        self.fresh = piece.endswith(b"\n")
        if self.descriptor >= 0:
            self.pending += piece
        else:
            self._stream.write(piece.decode("utf-8", "replace"))

    def push(self) -> None:
        """Write a piece; call it when the stream takes some. Raises OSError where it cannot."""
        try:
            written = os.write(self.descriptor, self.pending[:_PIECE])
        except BlockingIOError:
            return
        except OSError as error:
            self.stop()
            if error.errno not in AWAY:
                raise
            return
        del self.pending[:written]

    def finish(self) -> None:
        """Take what is held back as whole: nothing more comes from this agent."""

    def close(self) -> None:
        """Let go of the stream."""
        self.stop()
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def stop(self) -> None:
        """Pass nothing on any more."""
        self.pending.clear()
        self._stream = None
