"""
The launches in the log of a loop, with their iterations: two passes over the file, one iteration in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.model import capabilities
from exitgate.recordings.formats.loops.console import lines_in, lines_of, plain, sample, timed_lines_of
from exitgate.recordings.formats.loops.headers import is_ruler, line_of, pattern
from exitgate.recordings.formats.loops.sections import Note, Section, section_of
from exitgate.recordings.formats.loops.series import Candidate, Launch, surveyed, surveyed_in_time
from exitgate.recordings.formats.ralph.log import TIME_UP
from exitgate.recordings.formats.timestamps import time_in
from exitgate.recordings.location import Location
from exitgate.recordings.model import (
    PROCESS,
    TIMEOUT,
    Begin,
    End,
    Part,
    Provenance,
    RecordedIteration,
    from_unwrapped,
)

Snapshot = tuple[str, tuple[str, ...], tuple[bool, ...], str]


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

    def __init__(self, head: Candidate, last: int, body: Section) -> None:
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


class LoggedLaunch:
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


def is_log(place: Location) -> bool:
    """Return whether a file is the log of a loop: headers of iterations, or a line that starts one."""
    return bool(surveyed(lines_in(sample(place))).launches())


def logged_launches(place: Location) -> Iterator[LoggedLaunch]:
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
    current: LoggedLaunch | None = None
    lead: list[Note] = []
    for nth, (first, lines) in enumerate(_cut(place, bounds)):
        if first in opens:
            if current is not None:
                without_snapshots([one.body for one in current.entries])
                yield current
            current = LoggedLaunch(opens[first][1], opens[first][0], len(found))
            current.lead, lead = lead, []
        head = heads.get(first)
        if current is None or head is None:
            (lead if current is None else current.lead).extend(_lead(lines, first, kind))
            if current is not None:
                current.text = any(line_of(plain(raw)).stamp is None and raw.strip() for raw in lines[1:])
            continue
        drawn = _ruled(lines)
        end = len(lines) - (nth + 1 < len(bounds) and is_ruler(line_of(plain(lines[-1])).body))
        body = section_of(lines[drawn:end], first + drawn, kind, head.at, headings)
        current.entries.append(Entry(head, first + len(lines) - 1, body))
    if current is not None:
        without_snapshots([one.body for one in current.entries])
        yield current


def _kind(launches: list[Launch]) -> str:
    """Return the kind of the times at the heads of the loop's own lines."""
    kinds = [head.stamp for launch in launches for head in launch.headers]
    return max(set(kinds), key=kinds.count) if kinds else ""


def _cut(place: Location, bounds: list[int]) -> Iterator[tuple[int, list[str]]]:
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


# The list of tasks that a loop prints before it starts the agent: no part of what the agent said.
#
# It is at the head of every iteration, the same items in the same order; no box is ticked in the first, and
# none loses its tick later. An agent that shows its list has ticked something by then.

_BOX = r"^\s*(?:[-*+]|\d+[.)]) \[(?P<mark>[ xX])\] (?P<item>.*)$"


def without_snapshots(bodies: Sequence[Section]) -> None:
    """Take the list off the texts of the iterations of a launch, where a loop printed one before each."""
    found = [_snapshot(body.text or "") for body in bodies]
    told = [one for one in found if one is not None]
    if len(told) < 2 or len(told) < len(found) or any(told[0][2]):
        return
    for before, after in pairwise(told):
        if before[:2] != after[:2] or any(a and not b for a, b in zip(before[2], after[2], strict=True)):
            return
    for body, (_, _, _, rest) in zip(bodies, told, strict=True):
        body.text = rest if rest.strip() else None
        body.others = True


def _snapshot(text: str) -> Snapshot | None:
    """Return title, items, ticks of the list at the head of a text, and the text behind a blank line."""
    lines = text.split("\n")
    at = 0 if pattern(_BOX).match(lines[0]) else 1
    title = lines[0] if at else ""
    items: list[str] = []
    ticks: list[bool] = []
    for line in lines[at:]:
        box = pattern(_BOX).match(line)
        if box is None:
            break
        items.append(box.group("item").strip())
        ticks.append(box.group("mark") != " ")
    end = at + len(items)
    if not items or (end < len(lines) and lines[end].strip()):
        return None
    return title, tuple(items), tuple(ticks), "\n".join(lines[end:]).strip("\n")


# Runs from the launches in the log of a loop.

#: What such logs can tell.
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TIMES, capabilities.EXIT_STATUS, capabilities.COST,
        capabilities.TOKENS, capabilities.DENIALS, capabilities.TOOL_CALLS, capabilities.FILES,
    )
)  # fmt: skip
_NOTHING = "nothing was printed between its header and the next line of the loop"
_CUT = "the recording breaks off after its header"


def run_of(
    place: Location,
    stretch: LoggedLaunch,
    texts: Mapping[int, RecordedIteration],
    *,
    last: Mapping[str, str] = {},
) -> Iterator[Part]:
    """
    Yield the run of a launch.

    Args:
        place: The log.
        stretch: The launch.
        texts: Place of an entry in the launch, from 0 -> what a file of its own holds of it.
        last: Files as they are in the folder, which fit the end of this run.
    """
    counted = Counted()
    for note in stretch.lead:
        counted.take(note)
    stem = place.name.rpartition(".")[0] or place.name
    entries = stretch.entries
    how, why, ended = end_of(stretch)
    begun = stretch.launch.at
    begun = begun if begun is not None else next((n.at for n in stretch.lead if n.at is not None), None)
    if begun is None and entries:
        begun = entries[0].at if entries[0].at is not None else entries[0].day
    limit = stretch.launch.limit
    yield Begin(
        stem if stretch.of == 1 else f"{stem}#{stretch.nth}",
        PROCESS,
        place.path,
        begun,
        "" if limit is None else f"at most {limit} iteration{'' if limit == 1 else 's'}",
        plan=counted.text(begun=False),
        limit=limit,
    )
    for nth, entry in enumerate(entries):
        following = entries[nth + 1].at if nth + 1 < len(entries) else None
        one = iteration_of(place, entry, nth + 1, counted, texts.get(nth), following)
        if nth + 1 == len(entries) and last:
            one = one.but(files={**one.files, **last})
        yield one
    yield End(how, why, ended)


def iteration_of(
    place: Location,
    entry: Entry,
    index: int,
    counted: Counted,
    text: RecordedIteration | None,
    following: float | None,
) -> RecordedIteration:
    """Return an iteration, with the text of a file of its own where there is one."""
    for note in entry.notes:
        counted.take(note)
    status, timed_out = how_it_went(entry.notes)
    status = TIME_UP if timed_out and status is None else status
    provenance = Provenance(place.path, entry.first, entry.last)
    if text is not None:
        one = text.but(index=index)
    elif entry.body.text is None:
        why = _CUT if following is None and not entry.notes else _NOTHING
        missing = dict.fromkeys(("response", "output"), why)
        one = RecordedIteration(index, provenance, not_known=missing)
    else:
        found = unwrap(entry.body.text, failed=status not in (None, 0))
        one = from_unwrapped(index, provenance, found)
        if entry.body.results is not None:
            one = one.but(tool_results=entry.body.results)
    record = {**one.record, **({"truncated": True} if entry.body.truncated else {})}
    ended = next((note.at for note in entry.notes if note.at is not None and _is_end(note)), None)
    return one.but(
        record=record,
        started_at=entry.at if entry.at is not None else one.started_at,
        ended_at=ended if ended is not None else following if following is not None else one.ended_at,
        exit_status=status if status is not None else one.exit_status,
        timed_out=timed_out or one.timed_out,
        error_kind=TIMEOUT if timed_out else one.error_kind,
        plan=counted.text() if one.plan is None else one.plan,
        number=entry.number if entry.number != index else None,
    )


def how_it_went(notes: Sequence[Note]) -> tuple[int | None, bool | None]:
    """Return the exit status and whether the time was up, None for what is not reported."""
    status = next((note.status for note in reversed(notes) if note.status is not None), None)
    return status, True if any(note.timed_out for note in notes) else None


def _is_end(note: Note) -> bool:
    return note.status is not None or note.timed_out or note.key is not None


def end_of(stretch: LoggedLaunch) -> tuple[str | None, str, float | None]:
    """Return how a launch ended, in the words of its loop, and when."""
    notes = stretch.entries[-1].notes if stretch.entries else stretch.lead
    ends = [note for note in notes if note.ends is not None]
    at = next((note.at for note in reversed(notes) if note.at is not None), None)
    if not ends:
        return None, "", at
    how = next((note.ends[0] for note in ends if note.ends is not None and note.ends[0] is not None), None)
    words = "; ".join(note.ends[1] for note in ends if note.ends is not None)
    last = stretch.entries[-1].number if stretch.entries else None
    if how is None and last is not None and last == stretch.launch.limit:
        how = "exhausted"
    return how, words[:400], at


# The plan of a loop from what it counts: how much work is left, and what it marks as done.

#: Items that are written out.
_MOST = 10_000


class Counted:
    """
    The counts of one launch.

    Where only what is open is reported, what was closed since the first count is known to be done: there may
    be more of it, so the share that is done is never said to be greater than it is.
    """

    def __init__(self) -> None:
        self._open: int | None = None
        self._done = 0
        self._marked: set[str] = set()

    def take(self, note: Note) -> None:
        """Take what a line of the loop says."""
        if note.plan is not None:
            total, left = note.plan
            if total is not None:
                self._done = total - left
            elif self._open is not None and left < self._open:
                self._done += self._open - left
            self._open = left
            self._marked.clear()
        elif note.closed and note.key is not None and self._open and note.key not in self._marked:
            self._marked.add(note.key)
            self._open, self._done = self._open - 1, self._done + 1

    def text(self, *, begun: bool = True) -> str | None:
        """
        Return the plan as a list of boxes, each named by its number; None where nothing was counted.

        Before the loop has `begun`, a count of nothing is not a list of finished work.
        """
        if self._open is None or self._open + self._done > _MOST:
            return None
        if not begun and self._open == 0:
            return None
        total = self._open + self._done or 1  # nothing is left of what there was
        boxes = [
            f"- [{' ' if number > total - self._open else 'x'}] {number}" for number in range(1, total + 1)
        ]
        return "\n".join((f"# {self._open} open, as the loop counted", *boxes, ""))
