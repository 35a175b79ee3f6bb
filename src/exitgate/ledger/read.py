"""The ledger read without the lock: nothing is made, moved or fixed."""

from __future__ import annotations

import os

from exitgate.ledger.file import open_reading, parse, path_in, start_of_last, whole_size
from exitgate.ledger.tail import last_of
from exitgate.ledger.tail import recent as recent_of
from exitgate.ledger.tail import tail as tail_of
from exitgate.ledger.trouble import RefusingNewer, cannot_read
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = 1 << 18
#: Bytes of the longest line; a file without line ends is not a ledger.
_LONGEST = 256_000_000


class Damage(Value):
    """A line that cannot be used: its 1-based number, its offset, and what is wrong with it."""

    __slots__ = ("number", "offset", "reason")

    def __init__(self, number: int, offset: int, reason: str) -> None:
        self.number = number
        self.offset = offset
        self.reason = reason


def raw_lines(directory: str) -> Iterator[tuple[int, bytes, bool]]:
    """
    Yield offset, bytes and wholeness of each line, oldest first; an unfinished last one is not whole.

    Memory is that of the longest line. Raises ExitgateError 74 when the ledger cannot be read.
    """
    descriptor = open_reading(directory)
    if descriptor is None:
        return
    try:
        offset = 0
        rest: list[bytes] = []
        while piece := os.read(descriptor, _CHUNK):
            first, *others = piece.split(b"\n")
            rest.append(first)
            if len(rest) * _CHUNK > _LONGEST:
                raise cannot_read(path_in(directory), f"a line has no end within {_LONGEST} bytes")
            for part in others:
                raw = b"".join(rest)
                yield offset, raw, True
                offset += len(raw) + 1
                rest = [part]
        if unfinished := b"".join(rest):
            yield offset, unfinished, False
    finally:
        os.close(descriptor)


def lines(directory: str, damages: list[Damage] | None = None) -> Iterator[dict[str, object]]:
    """
    Yield every good line of the ledger in `directory`, oldest first; none when there is no ledger.

    Damaged lines are skipped and, if `damages` is given, added to it. Raises ExitgateError 74
    when the ledger cannot be read or holds a line of a newer version.
    """
    for number, (offset, raw, whole) in enumerate(raw_lines(directory), 1):
        with RefusingNewer(path_in(directory)):
            line = parse(raw) if whole else None
        if line is not None:
            yield line
        elif damages is not None:
            damages.append(Damage(number, offset, "it is damaged" if whole else "it is unfinished"))


def tail(directory: str, run: str | None, limit: int) -> tuple[dict[str, object], ...]:
    """Return what `exitgate.ledger.append.Ledger.tail` would, without the lock."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return ()
    try:
        with RefusingNewer(path_in(directory)):
            return tail_of(descriptor, whole_size(descriptor), run, limit)
    finally:
        os.close(descriptor)


def last(directory: str, name: str) -> dict[str, object] | None:
    """Return the newest line of any run called `name`, or None, without the lock."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return None
    try:
        with RefusingNewer(path_in(directory)):
            found = last_of(descriptor, whole_size(descriptor), name)
        return None if found is None else found[1]
    finally:
        os.close(descriptor)


def recent(directory: str, name: str, decisions: int) -> tuple[dict[str, object], ...]:
    """Return the newest lines of all runs called `name`, see `exitgate.ledger.tail.recent`."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return ()
    try:
        with RefusingNewer(path_in(directory)):
            return recent_of(descriptor, whole_size(descriptor), name, decisions)
    finally:
        os.close(descriptor)


def newest_offset(directory: str) -> int | None:
    """Return where the newest whole line begins, None when there is none."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return None
    try:
        end = whole_size(descriptor)
        return start_of_last(descriptor, end) if end else None
    finally:
        os.close(descriptor)
