"""The objects in a file of JSON lines, one after the other, and what is between them."""

from __future__ import annotations

from exitgate.facts.structural import ESCAPE, strip_escapes
from exitgate.model.counted import counted
from exitgate.transcripts.json_text import BLANK, cut, is_torn, scanned, whole
from exitgate.transcripts.run import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.place import Place

#: Lines that are reported one by one.
_NAMED = 20
#: Characters of a line that are shown.
_SHOWN = 60
#: Lines that may belong to the object that one of them begins.
_TOGETHER = 5_000


class Lines:
    """
    A file read line by line.

    `number` is the line that was read last, `cut` whether the last object lacks its end, `outside` the
    lines that are not JSON, at most `_NAMED`.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.number = 0
        self.cut = False
        self.outside: list[str] = []
        self._wrong = 0
        self._problems: list[Problem] = []

    def events(self) -> Iterator[dict[str, object]]:
        """Yield the objects; several on one line are several. Raises OSError."""
        pending: list[tuple[str, int]] = []
        for raw in self.place.lines():
            self.number += 1
            line = _text(raw)
            begins = line[:1] == "{"
            if pending and (begins or len(pending) >= _TOGETHER):
                yield from self._over_lines(pending)
                pending = []
            values = objects_on(line) if line else []
            if values:
                yield from values
            elif begins or pending:
                pending.append((line, self.number))
            elif line:
                self._tell(line, self.number)
        if pending:
            yield from self._over_lines(pending, last=True)
        if self._wrong > _NAMED:
            rest = self._wrong - _NAMED
            more = counted(rest, "more line is not JSON and is", "more lines are not JSON and are")
            self._problems.append(Problem(self.place.path, f"{more} skipped"))

    def _over_lines(self, lines: list[tuple[str, int]], *, last: bool = False) -> Iterator[dict[str, object]]:
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
            self._tell(line, number)

    def problems(self) -> Iterator[Problem]:
        """Yield what was wrong since this was asked last."""
        found, self._problems = self._problems, []
        yield from found

    def _last(self, line: str) -> Iterator[dict[str, object]]:
        read = cut(line)
        if read is None or not isinstance(read.value, dict):
            self._tell(line, self.number)
            return
        self.cut = True
        message = "its JSON is cut off at the end; the rest counts"
        self._problems.append(Problem(self.place.path, message, self.number))
        yield read.value

    def _tell(self, line: str, number: int) -> None:
        self._wrong += 1
        if self._wrong > _NAMED:
            return
        if line[0] != "{":
            self.outside.append(line)
        shown = line[:_SHOWN] + ("..." if len(line) > _SHOWN else "")
        self._problems.append(
            Problem(self.place.path, f"not JSON, skipped: `{shown}`", number, is_torn(line))
        )


def objects_on(line: str) -> list[dict[str, object]]:
    """Return the objects that a line holds and nothing else, several together; else none."""
    if line[0] != "{":
        return []
    read = whole(line)
    if read is not None:
        return [read.value] if isinstance(read.value, dict) else []
    found: list[dict[str, object]] = []
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
