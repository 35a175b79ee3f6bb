"""From offsets in a file's text to lines and columns."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.core.model.diagnostic import Location
from exitgate.core.model.value import Value

#: Keys that the files of this program begin lines with: policies, lexicons, tests, labels, settings.
_KEYS = frozenset(
    (
        "policy", "format", "version", "title", "doc", "extends", "parameters", "lists", "facts", "given",
        "conditions", "rules", "otherwise", "undetermined", "invariants", "profiles", "mask", "circuit",
        "views", "lexicons", "lexicon", "language", "entries", "guards", "uses", "apply", "tests", "labels",
        "exit_decision", "items",
    )
)  # fmt: skip
_QUOTES = "\"'"


def _starts(text: str) -> list[int]:
    starts = [0]
    position = 0
    for line in text.splitlines(keepends=True):
        position += len(line)
        if line[-1:] in "\r\n":
            starts.append(position)
    return starts


def _is_ours(text: str) -> bool:
    """Return whether a text begins as a mapping, and one of our keys begins a line of it."""
    content = (
        line for line in text.removeprefix("\ufeff").splitlines() if line.strip()[:1] not in ("", "#", "%")
    )
    first = next((line for line in content if line.rstrip() not in ("---", "...")), "")
    if first.lstrip()[:1] == "{":
        return any(f"{key}:" in text or f'{key}":' in text for key in _KEYS)
    key, colon, _ = first.partition(":")
    if not colon or " " in key.strip() or key[:1] in ("-", "["):
        return False
    begun = (line.partition(":")[0] for line in text.splitlines() if ":" in line)
    return any(key.strip().strip(_QUOTES) in _KEYS for key in begun)


class Lines(Value):
    """
    The text of one file and where its lines start.

    Line ends are LF, CR LF and CR; the document check refuses every other character that could
    be taken for one.
    """

    __slots__ = ("_starts", "file", "may_be_quoted", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text

    def __getattr__(self, name: str) -> object:
        # only files that a diagnostic is about are asked
        if name == "_starts":
            self._starts = _starts(self.text)
        elif name == "may_be_quoted":
            #: Whether it looks like a file of this program; else no message may show what is in it.
            self.may_be_quoted = _is_ours(self.text)
        else:
            raise AttributeError(name)
        return getattr(self, name)

    def locate(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1, of the character at `offset`."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def place(self, start: int, end: int | None = None) -> Location:
        """Return the place of the characters from `start` to before `end` (one character by default)."""
        line, column = self.locate(start)
        end = min(end if end is not None else start + 1, len(self.text))
        starts = self._starts
        if end <= start:
            return Location(self.file, line, column, line, column + 1)
        if line == len(starts) or end < starts[line]:
            return Location(self.file, line, column, line, end - starts[line - 1] + 1)
        end_line, end_column = self.locate(end)
        return Location(self.file, line, column, end_line, end_column)

    def line(self, number: int) -> str:
        """Return line `number` (from 1) without its line end; the empty text when there is none."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")
