"""What an agent writes, kept in bounded memory: its beginning and its end."""

from __future__ import annotations

from exitgate.gate.observe.decode import decode
from exitgate.model.counted import counted

#: Bytes that are kept of the beginning and of the end of one stream of one iteration.
HEAD, TAIL = 1 << 20, 3 << 20

#: Bytes in which the end of a line is looked for where a stream was cut.
_NEAR = 1 << 16


class Kept:
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
