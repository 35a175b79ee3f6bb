"""The first look at a file or folder: what readers tell their format by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from exitgate.core.envelopes.members import as_object
from exitgate.recordings.location import Location

#: Bytes at the beginning of a file that a format is known from.
HEAD = 262_144
#: Lines among them.
LINES = 40
#: What opens and closes a piece of a text that shows something: in Markdown, in source code.
_FENCES = ("```", "~~~", '"""', "'''")
_OPENED = (*_FENCES, '"""\\', "'''\\")


class Probe:
    """
    What can be reported without reading it all.

    Args:
        place: The file or folder.
        head: The first bytes of a file, at most `HEAD`; empty for a folder.
        names: Names in the folder, folders with a `/` at the end; None for a file: those beside it are
            listed when they are asked for.
        whole: Whether `head` is the whole file.
    """

    __slots__ = ("_events", "_names", "_value", "head", "place", "whole")

    def __init__(
        self, place: Location, head: bytes = b"", names: tuple[str, ...] | None = None, whole: bool = False
    ) -> None:
        self.place = place
        self.head = head
        self._names = names
        self.whole = whole
        self._events: tuple[dict[str, object], ...] | None = None
        self._value: Any = ...

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the folder, of a file those beside it; none where they cannot be listed."""
        if self._names is None:
            try:
                self._names = self.place.parent().names()
            except OSError:
                self._names = ()
        return self._names

    @property
    def text(self) -> str:
        """The head as text, without a byte order mark."""
        return self.head.decode("utf-8-sig", "replace")

    @property
    def events(self) -> tuple[dict[str, object], ...]:
        """The first lines that are objects; none of one over many lines, or of a text that shows some."""
        if self._events is None:
            self._events = tuple(_objects(self.head, self.whole))
        return self._events

    @property
    def outside(self) -> int | None:
        """How many of the first lines are words: neither blank nor an object; None where one is a fence."""
        lines = self.text.split("\n", LINES)[:LINES]
        if any(map(is_fence, lines)):
            return None
        return sum(1 for line in lines if line.strip("\0 \t\r") and not line.lstrip("\0 \t").startswith("{"))

    @property
    def object(self) -> dict[str, Any]:
        """The object that the file is as one JSON value, else the first of its lines; an empty one else."""
        return as_object(self.value) or next(iter(self.events), {})

    @property
    def value(self) -> Any:
        """The whole file as one JSON value; what its cut-off beginning says where it is longer; else None."""
        if self._value is ...:
            self._value = _value(self.head, self.whole)
        return self._value


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a piece that a text shows."""
    return line.lstrip().startswith(_FENCES) or line.rstrip().endswith(_OPENED)


def in_fence(lines: Sequence[str], nth: int) -> bool:
    """Return whether the line of that number, from 0, is in a piece that a text shows."""
    return sum(map(is_fence, lines[:nth])) % 2 == 1


def probe_of(place: Location) -> Probe:
    """Return a first look. Raises OSError when it cannot be read."""
    if place.is_folder:
        return Probe(place, names=place.names())
    head = place.head(HEAD + 1)
    return Probe(place, head[:HEAD], whole=len(head) <= HEAD)


def _objects(head: bytes, whole: bool) -> list[dict[str, object]]:
    import json

    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", LINES)
    if len(lines) > LINES or not whole:
        lines = lines[:-1] or lines  # the last one may be cut off
    found = []
    for line in lines:
        if not line.lstrip(b"\0").startswith(b"{"):
            if is_fence(line.decode("utf-8", "replace")):
                return []
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def _value(head: bytes, whole: bool) -> object:
    import json

    from exitgate.core.envelopes import json_text

    body = head.decode("utf-8-sig", "replace").strip()
    if body[:1] not in ("{", "["):
        return None
    read = None
    if whole:
        try:
            return json.loads(body, strict=False)
        except (ValueError, RecursionError):
            read = json_text.whole(body)  # a backslash that begins no escape
    read = read or json_text.cut(body)
    return None if read is None else read.value
