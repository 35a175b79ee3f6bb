"""
The launches in the log of a loop, with their iterations: two passes over the file, one iteration in memory.
"""

from __future__ import annotations

from exitgate.transcripts.loops.body import Body, Note, body_of
from exitgate.transcripts.loops.marks import is_ruler, line_of
from exitgate.transcripts.loops.series import Candidate, Launch, surveyed, surveyed_in_time
from exitgate.transcripts.loops.snapshots import without_snapshots
from exitgate.transcripts.loops.text import lines_in, lines_of, plain, sample, timed_lines_of
from exitgate.transcripts.loops.times import time_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.place import Place

#: Lines before a first header that are looked at.
_LEAD = 200
#: Lines at the beginning of a text that may say when the iteration began.
_DATED = 4
_DATE_WORDS = (
    "date:",
    "time:",
    "started:",
    "started at:",
    "timestamp:",
    "start time:",
    "datum:",
    "fecha:",
    "date :",
)


class Entry:
    """
    An iteration in a log: its header, its first and last line, what they hold.

    `at` is when it began in seconds since the epoch, `day` the same where only the day of it is reported.
    """

    def __init__(self, head: Candidate, last: int, body: Body) -> None:
        self.head = head
        self.first = head.line
        self.last = last
        self.body = body
        told = _dated(body.text) if head.at is None else None
        self.day = None if told is None or ":" in told[1] else told[0]
        self.at = head.at if told is None or self.day is not None else told[0]
        self.notes = body.notes

    @property
    def number(self) -> int | None:
        """The loop's own number."""
        return None if self.head.header is None else self.head.header.number

    @property
    def key(self) -> str | None:
        """What is worked on."""
        return None if self.head.header is None else self.head.header.key


class Stretch:
    """A launch with its entries, and the loop's lines before the first of them; `nth` of `of` in its file,
    `text` where text that is not a line of the loop follows its start."""

    def __init__(self, launch: Launch, nth: int, of: int) -> None:
        self.launch = launch
        self.nth = nth
        self.of = of
        self.entries: list[Entry] = []
        self.lead: list[Note] = []
        self.text = False

    @property
    def notes(self) -> list[Note]:
        """All notes in order."""
        return [*self.lead, *(note for one in self.entries for note in one.notes)]


def is_log(place: Place) -> bool:
    """Return whether a file is the log of a loop: headers of iterations, or a line that starts one."""
    return bool(surveyed(lines_in(sample(place))).launches())


def stretches(place: Place) -> Iterator[Stretch]:
    """Yield the launches of a log, each with all its entries. Raises OSError."""
    survey = surveyed_in_time(timed_lines_of(place))
    found = survey.launches()
    if not found:
        return
    headings = survey.headings(sum(len(launch.headers) for launch in found))
    kind = _kind(found)
    heads = {head.line: head for launch in found for head in launch.headers}
    opens = {launch.line: (nth, launch) for nth, launch in enumerate(found, 1)}
    bounds = [0, *sorted({*opens, *heads})]
    current: Stretch | None = None
    lead: list[Note] = []
    for nth, (first, lines) in enumerate(_cut(place, bounds)):
        if first in opens:
            if current is not None:
                without_snapshots([one.body for one in current.entries])
                yield current
            current = Stretch(opens[first][1], opens[first][0], len(found))
            current.lead, lead = lead, []
        head = heads.get(first)
        if current is None or head is None:
            (lead if current is None else current.lead).extend(_lead(lines, first, kind))
            if current is not None:
                current.text = any(line_of(plain(raw)).stamp is None and raw.strip() for raw in lines[1:])
            continue
        drawn = _ruled(lines)
        end = len(lines) - (nth + 1 < len(bounds) and is_ruler(line_of(plain(lines[-1])).body))
        body = body_of(lines[drawn:end], first + drawn, kind, head.at, headings)
        current.entries.append(Entry(head, first + len(lines) - 1, body))
    if current is not None:
        without_snapshots([one.body for one in current.entries])
        yield current


def _kind(launches: list[Launch]) -> str:
    """Return the kind of the times at the heads of the loop's own lines."""
    kinds = [head.stamp for launch in launches for head in launch.headers]
    return max(set(kinds), key=kinds.count) if kinds else ""


def _cut(place: Place, bounds: list[int]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines from each bound up to the next one; of those before the first, the last ones."""
    nth = 0
    held: list[str] = []
    for number, line in enumerate(lines_of(place), 1):
        if nth + 1 < len(bounds) and number == bounds[nth + 1]:
            yield bounds[nth], held
            held, nth = [], nth + 1
        held.append(line)
        if nth == 0 and len(held) > 2 * _LEAD:
            del held[:_LEAD]
    yield bounds[nth], held


def _ruled(lines: list[str]) -> int:
    """Return how many lines the header takes with what is drawn below it."""
    return 2 if len(lines) > 1 and is_ruler(line_of(plain(lines[1])).body) else 1


def _lead(lines: list[str], first: int, kind: str) -> list[Note]:
    """Return the loop's lines between its start and its first header."""
    apart = [(number, line_of(plain(raw))) for number, raw in enumerate(lines[:_LEAD], first)]
    return [Note(number, line) for number, line in apart if (line.stamp is not None if kind else first)]


def _dated(text: str | None) -> tuple[float, str] | None:
    """Return the time that a text says of itself in its first lines, and those words; else None."""
    for line in (text or "").split("\n", _DATED)[:_DATED]:
        if line.strip().lower().startswith(_DATE_WORDS):
            at = time_in(line)
            return None if at is None else (at, line.partition(":")[2])
    return None
