"""The JSON values in a file: one that is all of it, or one a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from exitgate.core.envelopes import json_text
from exitgate.core.envelopes.json_text import BLANK, cut, is_torn, scanned, whole
from exitgate.core.envelopes.members import writable, writable_text
from exitgate.core.facts.text.structure import ESCAPE, strip_escapes
from exitgate.core.model.display import counted
from exitgate.recordings.location import Location
from exitgate.recordings.model import Problem

_BLANK = b" \t\r\n"
#: Lines without an object that may belong to the one before.
_TOGETHER = 5_000


def documents(place: Location) -> Iterator[tuple[object, int] | Problem]:
    """
    Yield each value with the number of its line, 0 where one value takes many.

    JSON lines are read one at a time. Wrong escapes and raw control characters are taken as they are; of
    a last value that is cut off, what is there comes behind a `Problem`. Absurdly long numbers are None.
    Raises OSError for what cannot be opened, and nothing else.
    """
    if _is_lines(place):
        yield from _lines(place)
        return
    text = place.text().strip()
    if text:
        yield from _value(place.path, text, 0 if "\n" in text else 1, last=True)


def value_of(text: str) -> json_text.Read | None:
    """Return one JSON value, fixed or as much of it as there is; None where there is none."""
    try:
        return json_text.Read(_plain(json.loads(text), text), len(text))
    except (ValueError, RecursionError):
        pass
    found = json_text.whole(text) or json_text.cut(text)
    if found is None:
        return None
    return json_text.Read(_plain(found.value, text), found.end, found.fixed, found.cut)


def _is_lines(place: Location) -> bool:
    """Return whether the first line that is not blank is a whole object, and others follow."""
    first: bytes | None = None
    for line in place.lines():
        if not line.strip(_BLANK):
            continue
        if first is not None:
            return True
        first = line.strip(_BLANK)
        if first[:1] != b"{" or first[-1:] != b"}":
            return False
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            return json_text.whole(first.decode("utf-8", "replace")) is not None
    return False


def _lines(place: Location) -> Iterator[tuple[object, int] | Problem]:
    waiting: list[tuple[str, int]] = []
    for number, line in enumerate(place.lines(), 1):
        body = line.decode("utf-8", "replace").rstrip("\r\n")
        if waiting and (body[:1] == "{" or len(waiting) >= _TOGETHER):
            yield from _values(place.path, waiting, last=False)
            waiting = []
        if body.strip() or waiting:
            waiting.append((body, number))
    yield from _values(place.path, waiting, last=True)


def _values(file: str, lines: list[tuple[str, int]], *, last: bool) -> Iterator[tuple[object, int] | Problem]:
    """Yield the value of each line, or of all where the first is an object with bare line ends in it."""
    if len(lines) > 1 and lines[0][0][:1] == "{" and json_text.whole(lines[0][0].strip()) is None:
        joined = "\n".join(body for body, _ in lines).strip()
        if json_text.whole(joined) is not None:
            yield from _value(file, joined, lines[0][1], last=last)
            return
    lines = [(body.strip(), number) for body, number in lines if body.strip()]
    for body, number in lines:
        yield from _value(file, body, number, last=last and number == lines[-1][1])


def _value(file: str, text: str, number: int, *, last: bool) -> Iterator[tuple[object, int] | Problem]:
    """Yield a value. Only the last line of a file is one whose end is not written yet."""
    found = value_of(text)
    if found is None or (found.cut and not last):
        yield Problem(file, "not JSON; skipped", number)
        return
    if found.cut:
        yield Problem(file, "cut off at the end; the rest counts", number)
    yield found.value, number


def _plain(value: object, text: str) -> object:
    """Return the value with halves of characters replaced, where its text can spell any."""
    return writable(value) if "\\ud" in text or "\\uD" in text else value


# A file that is one JSON value, as far as it goes.


def read_json(place: Location) -> tuple[object, tuple[Problem, ...]]:
    """
    Return the first value of the file and what is wrong with it; None where it is not JSON.

    Of a value whose end is missing, what is there counts. Raises OSError.
    """
    problems: list[Problem] = []
    for found in documents(place):
        if not isinstance(found, Problem):
            return found[0], tuple(problems)
        problems.append(found)
    return None, tuple(problems) or (Problem(place.path, "it is empty"),)


def id_of(said: str | None, place: Location) -> str:
    """Return the id that a file says its session has, else the name of the file."""
    return writable_text(said) if said else name_of(place)


class Ids:
    """The ids of the runs of one transcript: one that comes again is numbered, `s`, `s#2`, `s#3`."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    def next(self, id: str) -> tuple[str, bool]:
        """Return an id that no run had yet, and whether the session had a run before."""
        times = self._times[id] = self._times.get(id, 0) + 1
        return (id, False) if times == 1 else (f"{id}#{times}", True)


def name_of(place: Location) -> str:
    """Return the name of a file without its ending."""
    return place.name.partition(".")[0] or place.name


# The objects in a file of JSON lines, one after the other, and what is between them.

#: Lines that are reported one by one.
_NAMED = 20
#: Characters of a line that are shown.
_SHOWN = 60
#: Lines that may belong to the object that one of them begins.
_OBJECT_LINES = 5_000


class Lines:
    """
    A file read line by line.

    `number` is the line that was read last, `cut` whether the last object lacks its end, `outside` the
    lines that are not JSON, at most `_NAMED`.
    """

    def __init__(self, place: Location) -> None:
        self.place = place
        self.number = 0
        self.cut = False
        self.outside: list[str] = []
        self._wrong = 0
        self._problems: list[Problem] = []

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the objects; several on one line are several. Raises OSError."""
        pending: list[tuple[str, int]] = []
        for raw in self.place.lines():
            self.number += 1
            line = _text(raw)
            begins = line[:1] == "{"
            if pending and (begins or len(pending) >= _OBJECT_LINES):
                yield from self._over_lines(pending)
                pending = []
            values = objects_on(line) if line else []
            if values:
                yield from values
            elif begins or pending:
                pending.append((line, self.number))
            elif line:
                self._report(line, self.number)
        if pending:
            yield from self._over_lines(pending, last=True)
        if self._wrong > _NAMED:
            rest = self._wrong - _NAMED
            more = counted(rest, "more line is not JSON and is", "more lines are not JSON and are")
            self._problems.append(Problem(self.place.path, f"{more} skipped"))

    def _over_lines(self, lines: list[tuple[str, int]], *, last: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the object whose strings hold bare line ends; tell of the lines where they are none."""
        read = whole("\n".join(line for line, _ in lines).strip()) if len(lines) > 1 else None
        if read is not None and isinstance(read.value, dict):
            if lines[0][0].startswith('{"'):
                message = "an event is on several lines, which may be the parts of a torn one"
                self._problems.append(Problem(self.place.path, message, lines[0][1]))
            yield read.value
            return
        told = [(line, number) for line, number in lines if line]
        if last and len(told) == 1 and told[0][1] == self.number:
            yield from self._last(told[0][0])
            return
        for line, number in told:
            self._report(line, number)

    def problems(self) -> Iterator[Problem]:
        """Yield what was wrong since this was asked last."""
        found, self._problems = self._problems, []
        yield from found

    def _last(self, line: str) -> Iterator[dict[str, Any]]:
        read = cut(line)
        if read is None or not isinstance(read.value, dict):
            self._report(line, self.number)
            return
        self.cut = True
        message = "its JSON is cut off at the end; the rest counts"
        self._problems.append(Problem(self.place.path, message, self.number))
        yield read.value

    def _report(self, line: str, number: int) -> None:
        self._wrong += 1
        if self._wrong > _NAMED:
            return
        if line[0] != "{":
            self.outside.append(line)
        shown = line[:_SHOWN] + ("..." if len(line) > _SHOWN else "")
        self._problems.append(
            Problem(self.place.path, f"not JSON, skipped: `{shown}`", number, is_torn(line))
        )


def objects_on(line: str) -> list[dict[str, Any]]:
    """Return the objects that a line holds and nothing else, several together; else none."""
    if line[0] != "{":
        return []
    read = whole(line)
    if read is not None:
        return [read.value] if isinstance(read.value, dict) else []
    found: list[dict[str, Any]] = []
    at = 0
    while at < len(line):
        part = scanned(line, at)
        if part is None or not isinstance(part.value, dict):
            return []
        found.append(part.value)
        at = part.end
    return found


def _text(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    if ESCAPE in text:
        text = strip_escapes(text)
    return text.strip(BLANK + "\0\ufeff")


def object_of(raw: bytes) -> dict[str, Any] | None:
    """Return the JSON object that a line is, its texts such as can be written; None for another line."""
    try:
        value = writable(json.loads(raw.decode("utf-8", "replace"), strict=False))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def fitting_lines(
    place: Location, fits: Callable[[dict[str, Any]], bool], wrong: str
) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    """
    Yield the number and the object of each line that holds one which fits; blank lines are passed over.

    Each other line is a `Problem` with the message `wrong`. Raises OSError.
    """
    for number, raw in enumerate(place.lines(), 1):
        if not raw.strip():
            continue
        found = object_of(raw)
        if found is None or not fits(found):
            yield Problem(place.path, wrong, number)
        else:
            yield number, found


def uncoloured(line: str) -> str:
    """Return a line without the escapes that colour it."""
    if "\x1b" not in line:
        return line
    pieces = line.split("\x1b[")
    return pieces[0] + "".join(piece.partition("m")[2] for piece in pieces[1:])
