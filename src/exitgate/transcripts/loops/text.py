"""
The lines of a console log as text: UTF-8, else what Windows writes; without escapes, holes and overwriting.

A file that was opened again while its old writer went on has NUL bytes up to the old offset; they are passed
over. Of what a progress bar wrote on one line, the last counts.
"""

from __future__ import annotations

from exitgate.facts.structural import ESCAPE, strip_escapes
from exitgate.transcripts.loops.prefix import prefix_of
from exitgate.transcripts.run import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.place import Place

#: Bytes of a file that its form is known from, holes left out, and those that are looked through for them.
SAMPLE, REACH = 262_144, 64_000_000
#: Characters of a line that are kept.
LINE = 1_000_000
_HOLE = b"\0"
#: Code pages of Windows: where a byte of UTF-8 is wrong, the line is in one of them.
_WINDOWS = "cp1252"


def sample(place: Place) -> bytes:
    """Return the first bytes of a file that are not a hole, at most `SAMPLE`. Raises OSError."""
    with place.open() as file:
        head = file.read(SAMPLE)
        if wide_of(head) is not None or _HOLE not in head:
            return head
        found = head.replace(_HOLE, b"")
        read = len(head)
        while len(found) < SAMPLE // 4 and read < REACH and (more := file.read(1 << 20)):
            read += len(more)
            found += more.replace(_HOLE, b"")
    return found[:SAMPLE]


def wide_of(head: bytes) -> str | None:
    """Return the encoding of a text of two bytes a character, by its mark or its zeros; else None."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    some = head[:400]
    if len(some) < 16:
        return None
    low, high = some[0::2].count(0), some[1::2].count(0)
    if high > len(some) * 0.4 and low < len(some) * 0.05:
        return "utf-16-le"
    return "utf-16-be" if low > len(some) * 0.4 and high < len(some) * 0.05 else None


def lines_of(place: Place, *, quotes: bool = True) -> Iterator[str]:
    """
    Yield the lines of a file with their escapes, without what is before all. Raises OSError.

    Without `quotes` only a prefix that has a time is taken off: an agent may quote in all it says.
    """
    for _, line in timed_lines_of(place, quotes=quotes):
        yield line


def timed_lines_of(place: Place, *, quotes: bool = True) -> Iterator[tuple[float | None, str]]:
    """Yield the lines of a file as `lines_of` does, each with the time before it or None. Raises OSError."""
    before = prefix_of(raw_lines_in(sample(place)), quotes=quotes)
    for line in _lines_of(place):
        yield before.off(line) if before else (None, line)


def _lines_of(place: Place) -> Iterator[str]:
    wide = wide_of(place.head(400))
    if wide is not None:
        for line in place.read().decode(wide, "replace").lstrip("\ufeff").splitlines():
            yield line[:LINE]
        return
    for raw in place.lines():
        yield decoded(raw)


def lines_in(data: bytes) -> list[str]:
    """Return the lines of a sample without what is before all of them."""
    lines = raw_lines_in(data)
    before = prefix_of(lines)
    return [before.off(line)[1] for line in lines] if before else lines


def raw_lines_in(data: bytes) -> list[str]:
    """Return the lines of a sample as they are."""
    wide = wide_of(data)
    if wide is not None:
        return data.decode(wide, "replace").lstrip("\ufeff").splitlines()
    return [decoded(raw.rstrip(b"\r")) for raw in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


def decoded(raw: bytes) -> str:
    """Return one line as text, its last overwriting only."""
    body = raw[: LINE * 4]
    if _HOLE in body:
        body = body.replace(_HOLE, b"")
    if b"\r" in body:
        body = next((part for part in reversed(body.split(b"\r")) if part.strip()), b"")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end >= len(body) and error.start > len(body) - 4:
            return body.decode("utf-8", "replace")  # cut off within a character
        return body.decode(_WINDOWS, "replace")


def plain(line: str) -> str:
    """Return a line without escapes and the blanks at its end."""
    return (strip_escapes(line) if ESCAPE in line else line).rstrip()


def encoding_problem(place: Place) -> Problem | None:
    """Return a note where a file is not an UTF-8. Raises OSError."""
    if wide_of(place.head(400)) is not None:
        return None
    for number, raw in enumerate(place.lines(), 1):
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.end < len(raw):
                return Problem(
                    place.path, "not UTF-8; its lines are read as Windows-1252 where they are not", number
                )
    return None
