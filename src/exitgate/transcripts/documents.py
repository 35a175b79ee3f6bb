"""The JSON values in a file: one that is all of it, or one a line."""

from __future__ import annotations

import json

from exitgate.transcripts import json_text
from exitgate.transcripts.run import Problem
from exitgate.transcripts.values import writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.place import Place

_BLANK = b" \t\r\n"
#: Lines without an object that may belong to the one before.
_TOGETHER = 5_000


def documents(place: Place) -> Iterator[tuple[object, int] | Problem]:
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


def _is_lines(place: Place) -> bool:
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


def _lines(place: Place) -> Iterator[tuple[object, int] | Problem]:
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
