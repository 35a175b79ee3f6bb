"""What an agent writes, passed on to our own streams at once, as it is."""

from __future__ import annotations

import io
import os
from errno import EIO, EPIPE
from typing import TextIO

from exitgate.core.model.display import counted
from exitgate.core.observe.files import decode

#: Bytes of one write: a pipe that says that it takes some takes as many without waiting.
_PIECE = 4096


#: What a stream says whose reader went away: a pipe's, a terminal's.
AWAY = (EPIPE, EIO)


def same_place(one: TextIO | None, other: TextIO | None) -> bool:
    """Return whether two streams lead to one file or terminal."""
    try:
        return one is not None and other is not None and _place(one) == _place(other)
    except (OSError, io.UnsupportedOperation):
        return False


def _place(stream: TextIO) -> tuple[int, int]:
    status = os.fstat(stream.fileno())
    return status.st_dev, status.st_ino


class Tee:
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


# What an agent writes, kept in bounded memory: its beginning and its end.

#: Bytes that are kept of the beginning and of the end of one stream of one iteration.
HEAD, TAIL = 1 << 20, 3 << 20

#: Bytes in which the end of a line is looked for where a stream was cut.
_NEAR = 1 << 16


class BoundedOutput:
    """
    Bytes of one stream, at most `head` of the beginning and `tail` of the end; what is between is counted.

    Args:
        head: Bytes, at least 1.
        tail: Bytes, at least 1.
    """

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._most = head
        self._last = tail
        self._head = bytearray()
        self._tail = bytearray()
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Add what was written."""
        self.size += len(piece)
        room = self._most - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        self._tail += piece
        if len(self._tail) > 2 * self._last:  # seldom, so that a flood costs no copy for each piece
            del self._tail[: len(self._tail) - self._last]

    def whole(self) -> tuple[bytes, int]:
        """Return the bytes, with a line in the middle where some were left out, and how many were."""
        if self.size <= self._most + self._last:
            return bytes(self._head + self._tail), 0
        head, tail = bytes(self._head), bytes(self._tail[-self._last :])
        end = head.rfind(b"\n", max(0, len(head) - _NEAR)) + 1 or _whole_end(head)
        start = tail.find(b"\n", 0, _NEAR) + 1 or _whole_start(tail)
        left_out = self.size - end - (len(tail) - start)
        mark = f"[exitgate left out {counted(left_out, 'byte')} here]\n".encode()
        opened = b"" if head[:end].endswith(b"\n") else b"\n"
        return head[:end] + opened + mark + tail[start:], left_out

    def text(self) -> tuple[str, int, tuple[str, ...]]:
        """Return the text, how many bytes were left out of it, and remarks on bytes that are not text."""
        raw, left_out = self.whole()
        text, remarks = decode(raw)
        return text.lstrip("\ufeff"), left_out, remarks


def _whole_end(raw: bytes) -> int:
    """Return the length of `raw` without a character of UTF-8 that is cut at its end."""
    end = len(raw)
    while end > 0 and len(raw) - end < 4 and raw[end - 1] & 0xC0 == 0x80:
        end -= 1
    return end - 1 if end > 0 and raw[end - 1] >= 0xC0 else len(raw)


def _whole_start(raw: bytes) -> int:
    """Return where `raw` begins without the rest of a character that was cut."""
    start = 0
    while start < 4 and start < len(raw) and raw[start] & 0xC0 == 0x80:
        start += 1
    return start
