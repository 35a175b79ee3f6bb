"""JSON lines, line by line: events, broken ones, and what else is between them. Linear in the text."""

from __future__ import annotations

from exitgate.core.envelopes import claude, codex, others
from exitgate.core.envelopes.claude import concludes
from exitgate.core.envelopes.flat import result_fields
from exitgate.core.envelopes.gathered import Gathered
from exitgate.core.envelopes.json_text import BLANK, cut, scanned, whole
from exitgate.core.envelopes.members import as_object
from exitgate.core.facts.text.structure import strip_escapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from exitgate.core.envelopes.gathered import Gathered
    from exitgate.core.envelopes.json_text import Read
    from exitgate.core.envelopes.members import Event

    Fits = Callable[[Event], bool]
    Take = Callable[[Event, Gathered], None]


EVENT, OTHER, BROKEN, OUTSIDE = "event", "other", "broken", "outside"
_FENCES = ("```", "~~~")
#: Objects over several lines that may fail before none are looked for: each failure reads to the end.
_FAILURES = 2
#: How an object begins, on a line of its own; no line within a string of JSON begins so.
_OBJECT = '{"'
#: Lines within which a stream has its first event.
_LEADING = 1000
#: Warnings that a program may print before the one result object that it was asked for.
_WARNINGS = 5
#: What leads in a text that is shown.
_COLONS = (":", "\uff1a")


class Stream:
    """A text read as JSON lines: the sum of its events, and how many lines of each kind there are."""

    def __init__(self) -> None:
        self.gathered = Gathered()
        self.counts = {EVENT: 0, OTHER: 0, BROKEN: 0, OUTSIDE: 0}
        self.first = ""
        self.opened = self.concluded = self.fenced = False

    def is_one(self) -> bool:
        """
        Return whether the text is a stream, and not a text that shows one.

        It is when it begins with an event, or with an object of a kind that is not known. It also is
        when lines of another kind come first, but then the first event must be one that only a runner
        writes, no line may open a fence, and events must be most of the lines. A result object by itself
        is one at the end, behind a few lines that do not lead it in.
        """
        if self.counts[EVENT] == 0:
            return False
        if self.first in (EVENT, OTHER):
            return not (self.fenced and self.counts[OUTSIDE] > self.counts[EVENT])
        if self.concluded and self.counts[EVENT] == 1 and not self.fenced:
            lines = self.gathered.outside
            return len(lines) <= _WARNINGS and not (lines and lines[-1].endswith(_COLONS))
        most = self.counts[EVENT] >= 2 * self.counts[OUTSIDE] and not self.fenced
        return most and (self.opened or self.first == BROKEN)

    def add(self, number: int, read: Read | None, line: str) -> None:
        """Add a line: what was read from it, or None, and itself."""
        kind = self._kind(number, read, line)
        self.counts[kind] += 1
        self.first = self.first or kind

    def _kind(self, number: int, read: Read | None, line: str) -> str:
        into = self.gathered
        self.concluded = False
        if read is None:
            if line[0] in "{[" and line[1:2] in '"{':
                into.wrong.append(number)
                return BROKEN
            self.fenced = self.fenced or line.startswith(_FENCES)
            into.outside.append(line)
            return OUTSIDE
        if read.fixed:
            into.fixed.append(number)
        if line.startswith(_OBJECT) and read.end > len(line):
            into.calls.lose("an event is on several lines, which may be the parts of a torn one")
        event = as_object(read.value)
        if event is not read.value:
            into.outside.append(line)
            return OUTSIDE
        into.cut = into.cut or read.cut
        take = reader_of(event)
        if take is None:
            return OTHER
        if self.counts[EVENT] == 0:
            self.opened = opens(event)
        self.concluded = concludes(event)
        take(event, into)
        into.set("fields", None if is_stream(event) else result_fields(event))
        return EVENT


def read_stream(text: str, *, forced: bool = False) -> Stream:
    """Return what the text is as JSON lines; without `forced`, no more than shows that it is not one."""
    stream = Stream()
    for number, read, line in _values(text):
        stream.add(number, read, line)
        if number >= _LEADING and not forced and stream.counts[EVENT] == 0:
            break
    return stream


def _values(text: str) -> Iterator[tuple[int, Read | None, str]]:
    """Yield number, value and text of each line that is not blank; an object over several is one."""
    at, number, failures = 0, 0, 0
    last = len(text.rstrip())
    while at < last:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = strip_escapes(text[at:end]).strip(BLANK + "\0\ufeff")
        number += 1
        begun = at
        at = end + 1
        if not line:
            continue
        if line[0] not in "{[":
            yield number, None, line
            continue
        read = whole(line)
        if read is None and len(line) == 1 and failures < _FAILURES:
            read = scanned(text, text.find(line, begun))
            failures += read is None
            if read is not None:
                number += text.count("\n", begun, read.end)
                end = text.find("\n", read.end)
                at = len(text) if end < 0 else end + 1
        if read is None and at <= last and line.startswith(_OBJECT):
            read, at, ends = _over_lines(text, begun, at)
            number += ends
        if read is None and at > last:
            read = cut(line)
        if read is None:
            several = _side_by_side(line)
            if several:
                yield from ((number, one, line) for one in several)
                continue
        yield number, read, line


def _over_lines(text: str, begun: int, at: int) -> tuple[Read | None, int, int]:
    """
    Return the object at `begun` whose strings hold bare line ends, where to go on, and how many there are.

    It ends before the line that begins the next object.
    """
    found = text.find("\n" + _OBJECT, at - 1)
    end = len(text) if found < 0 else found
    read = whole(text[begun:end].rstrip(BLANK)) if end >= at else None
    return (None, at, 0) if read is None else (read, end + 1, text.count("\n", begun, end))


def _side_by_side(line: str) -> list[Read]:
    """Return the objects that are together on a line, none unless they are all of it."""
    found: list[Read] = []
    at = 0
    while at < len(line):
        read = scanned(line, at)
        if read is None or not isinstance(read.value, dict):
            return []
        found.append(read)
        at = read.end
    return found if len(found) > 1 else []


# The formats of events there are: what fits one, and who reads it.

#: The first that fits reads an event: the stricter shapes come first.
READERS: tuple[tuple[Fits, Take], ...] = (
    (claude.fits, claude.take),
    (codex.fits, codex.take),
    (others.fits_opencode, others.take_opencode),
    (others.fits_copilot, others.take_copilot),
    (others.fits_gemini, others.take_gemini),
    (others.fits_role, others.take_role),
)


def reader_of(value: object) -> Take | None:
    """Return who reads a value, None when it is not an event of any known format."""
    event = as_object(value)
    return next((take for fits, take in READERS if event and fits(event)), None)


def opens(event: Event) -> bool:
    """Return whether an event is one with which only a runner's own stream begins."""
    return claude.opens(event) or codex.opens(event)


def is_stream(event: Event) -> bool:
    """Return whether an event alone is a line of a stream, and not the one object of a format."""
    return event.get("type", "result") != "result"
