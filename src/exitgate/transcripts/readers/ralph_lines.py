"""
Lines of a loop's own log: `[2026-01-31 12:00:00] [LEVEL] text`, in local time without a zone, taken as UTC.

A line without such a beginning continues with the one before it. Colours are left out.
"""

from __future__ import annotations

from exitgate.facts.structural import ESCAPE, strip_escapes
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.transcripts.place import Place

#: Characters of a line and of what continues with it.
_LIMIT = 4000
#: Characters of `2026-01-31 12:00:00`, and of the same in the name of a file.
_STAMP = 19


class Line(Value):
    """A line: its number from 1 and its file, seconds since the epoch, level, text."""

    __slots__ = ("at", "file", "level", "number", "text")

    def __init__(self, file: str, number: int, at: float, level: str, text: str) -> None:
        self.file = file
        self.number = number
        self.at = at
        self.level = level
        self.text = text


def read_lines(places: Sequence[Place]) -> Iterator[Line]:
    """Yield the lines of logs, one after the other. Raises OSError."""
    for place in places:
        held: Line | None = None
        for number, raw in enumerate(place.lines(), 1):
            text = raw[:_LIMIT].decode("utf-8", "replace").rstrip("\0 ")
            if ESCAPE in text:
                text = strip_escapes(text)
            line = parsed(text, place.path, number)
            if line is not None:
                if held is not None:
                    yield held
                held = line
            elif held is not None and text and len(held.text) < _LIMIT:
                held = Line(held.file, held.number, held.at, held.level, f"{held.text}\n{text}")
        if held is not None:
            yield held


def parsed(text: str, file: str = "", number: int = 0) -> Line | None:
    """Return a line of a log, None for any other."""
    if text[:1] != "[" or text[_STAMP + 1 : _STAMP + 4] != "] [":
        return None
    level, mark, rest = text[_STAMP + 4 :].partition("]")
    at = instant(text[1 : _STAMP + 1])
    if at is None or not mark or not level.isupper():
        return None
    return Line(file, number, at, level, rest.strip())


def instant(stamp: str) -> float | None:
    """Return seconds since the epoch of `2026-01-31 12:00:00` or `2026-01-31_12-00-00`, else None."""
    from datetime import UTC, datetime

    if len(stamp) != _STAMP or stamp[10] not in " _T":
        return None
    written = f"{stamp[:10]} {stamp[11:].replace('-', ':')}"
    try:
        return datetime.strptime(written, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def number_after(text: str, mark: str) -> int | None:
    """Return the number that right follows the first `mark`, None without one."""
    _, found, rest = text.partition(mark)
    if not found:
        return None
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return int(digits) if 0 < len(digits) < 10 else None


def share_after(text: str, mark: str) -> tuple[int, int] | None:
    """Return the numbers of `12/34` right behind the first `mark`, None without such."""
    done = number_after(text, mark)
    total = None if done is None else number_after(text.partition(mark)[2], f"{done}/")
    return None if done is None or total is None or done > total else (done, total)
