"""The sections of a `progress.txt`."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.transcripts.instants import instant as seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = "## "
_LONGEST_HEADING = 400


class Section(Value):
    """A section that an iteration added: its text, first and last line, and when its heading says it was."""

    __slots__ = ("at", "first", "last", "text")

    def __init__(self, text: str, first: int, last: int, at: float | None) -> None:
        self.text = text
        self.first = first
        self.last = last
        self.at = at


def sections(text: str) -> Iterator[Section]:
    """
    Yield the sections whose heading has a date or a number in it, in their order.

    What is before the first of them (title, patterns of the code base) goes with that one.
    """
    lines = text.splitlines(keepends=True)
    starts = [n for n, line in enumerate(lines) if _begins(line)]
    for nth, start in enumerate(starts):
        end = starts[nth + 1] if nth + 1 < len(starts) else len(lines)
        begin = 0 if nth == 0 else start
        yield Section("".join(lines[begin:end]), start + 1, end, instant(lines[start]))


def _begins(line: str) -> bool:
    return line.startswith(_HEADING) and any(c.isdigit() for c in line[:_LONGEST_HEADING])


def instant(heading: str) -> float | None:
    """
    Return the first date in a heading, with the time of day behind it, as seconds since the epoch; else None.

    A local time without an offset is taken as UTC.
    """
    words = [word.strip("[](),;:*_`") for word in heading[:_LONGEST_HEADING].split()]
    for nth, word in enumerate(words):
        if len(word) < 10 or word[4:5] != "-" or not word[:4].isdigit():
            continue
        behind = words[nth + 1] if nth + 1 < len(words) else ""
        timed = seconds(f"{word}T{behind}") if len(word) == 10 and ":" in behind else None
        at = timed if timed is not None else seconds(word)
        if at is not None:
            return at
    return None
