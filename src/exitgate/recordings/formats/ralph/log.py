"""
A loop's own log, line by line, into launches.

Two loops may run in one folder at once, so that their lines interleave: lines with a number belong to the
loop that expects it, lines that name an output file to the process of that file; any other belongs to the
only process under way, or, if there are several, to the one whose time is up then or whose end is reported
next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from exitgate.core.facts.text.structure import ESCAPE, strip_escapes
from exitgate.recordings.location import Location

Marks = Sequence[tuple[str, str, str | None]]


#: What a mark in a line says.
LAUNCH, MAIN, LOOP, TURN, EXECUTING, BUDGET, COMPLETED, COUNT = (
    "launch", "main", "loop", "turn", "executing", "budget", "completed", "count",
)  # fmt: skip
GOOD, BAD, TIMED_OUT, LIMIT, RESUMED, FRESH, ENDS, REASON, BREAKER = (
    "good", "bad", "timed_out", "limit", "resumed", "fresh", "ends", "reason", "breaker",
)  # fmt: skip
#: What `timeout` exits with when the time is up; loops say that it is by this status.
TIME_UP = 124
#: Seconds beyond its budget after which a process whose end was never reported is taken for dead.
_SLACK, _BUDGET = 900, 3600
#: Seconds within which two lines say of one process that its time was up.
_TWICE = 5
#: Characters of a reason that are shown.
_SHOWN = 200
_OUTPUT, _STAMP = "claude_output_", 19
#: Beginnings of lines that name the output file.
_NAMING = ("Output file: ", "Claude Code execution failed, check: ")
#: Seconds between what a process ended with and the end of its turn: the loop analyzes, waits, retries.
_TURN_ENDS = 120
#: Seconds before the turn and behind the start of a process in which its output file may have been named.
BEFORE, BEHIND = 1.0, 2.0
#: Launches back to which a line is looked for: more never run together in one folder.
_NEAR = 32


class LoopLog:
    """
    Launches so far.

    Args:
        marks: Mark, what it says, and a class of exit for `ENDS`; the first that fits counts.
        reasons: Word that the loop gives as its reason -> class of exit.

    A mark begins a line, behind pictures and numbers: what an agent said is further on.
    """

    def __init__(self, marks: Marks, reasons: Mapping[str, str | None]) -> None:
        self.launches: list[Launch] = []
        self._marks = marks
        self._reasons = reasons
        self._current: Launch | None = None
        self._up_at = float("-inf")
        self._told: list[tuple[bool, int | None, float]] = []

    def take(self, line: Line) -> None:
        """Take the next line."""
        lead = lead_of(line.text)
        mark, says, how = next((m for m in self._marks if lead.startswith(m[0])), ("", "", None))
        if says == LAUNCH:
            self._current = Launch(line.at, line.file, line.number)
            self.launches.append(self._current)
            return
        if self._current is None and says in (LOOP, TURN, EXECUTING):
            self._current = Launch(line.at, line.file, line.number)
            self._current.headless = True
            self.launches.append(self._current)
        if self._current is None:
            return
        if says in (LOOP, TURN):
            self._begin(line, number_after(line.text, mark) or 0, executing=says == TURN)
        elif says == COMPLETED:
            self._complete(line, number_after(line.text, mark) or 0)
        elif says:
            self._say(line, mark, says, how, _named(lead))
        elif line.level == "ERROR" and not self._current.running and not self._current.error:
            self._current.error, self._current.error_at = line.text[:_SHOWN], line.at
        if says not in (GOOD, BAD, TIMED_OUT) and (stamp := _named(lead)) is not None:
            _keep(self._of_file(stamp, self._under_way(line.at)) or self._latest(), stamp)

    def _say(self, line: Line, mark: str, says: str, how: str | None, stamp: str | None) -> None:
        launch = self._current
        assert launch is not None
        if says == MAIN:
            launch.running = True
        elif says == EXECUTING:
            self._execute(self._waiting() or launch, line)
        elif says in (GOOD, BAD, TIMED_OUT, LIMIT):
            self._went(line, mark, says, stamp)
        elif says == COUNT:
            counted = share_after(line.text, mark) or _written_out(line.text, mark)
            at: Launch | Execution = launch.executions[-1] if launch.executions else launch
            at.counted = counted or at.counted
        elif says in (ENDS, BREAKER):
            launch.opened = launch.opened or says == BREAKER
            launch.end(how, line.text[:_SHOWN], line.at)
            self._stop(launch, line)
        elif says == REASON:
            word = self._reason(line.text.partition(mark)[2])
            launch.end(self._reasons.get(word), word, line.at)
        elif (one := launch.executions[-1] if launch.executions else None) is not None:
            if says == BUDGET:
                one.started = line.at
                minutes = number_after(line.text, mark)
                one.budget = minutes * 60.0 if minutes is not None else None
            elif says in (RESUMED, FRESH):
                one.resumed = says == RESUMED

    def _reason(self, text: str) -> str:
        """Return the last known word of a reason, which may be wrapped in another line of the log."""
        words = text.split()
        known = [word for word in words if word in self._reasons]
        return known[-1] if known else " ".join(words)[:_SHOWN]

    def _begin(self, line: Line, number: int, *, executing: bool) -> None:
        launch = self._expecting(number)
        self._current = launch
        launch.loop, launch.loop_at, launch.loop_line = number, line.at, line.number
        launch.running = True
        if executing:
            self._execute(launch, line)

    def _expecting(self, number: int) -> Launch:
        assert self._current is not None
        others = [one for one in reversed(self._near()) if one is not self._current]
        expecting = [one for one in (self._current, *others) if not one.over and one.loop + 1 == number]
        return next((one for one in expecting if one.idle), expecting[0] if expecting else self._current)

    def _near(self) -> list[Launch]:
        """Return the launches that a line can be about: many are killed silently, and stay open."""
        near = self.launches[-_NEAR:]
        return near if self._current is None or self._current in near else [self._current, *near]

    def _waiting(self) -> Launch | None:
        """Return the launch whose turn has begun and whose process has not: the turn that began last."""
        waiting = []
        for launch in self._near():
            last = launch.executions[-1] if launch.executions else None
            began = last is not None and (last.begun, last.first) == (launch.loop_at, launch.loop_line)
            if not launch.over and launch.loop_at is not None and not began:
                waiting.append(launch)
        return max(waiting, key=lambda one: (one.loop_at, one is self._current), default=None)

    def _execute(self, launch: Launch, line: Line) -> None:
        begun = launch.loop_at if launch.loop_at is not None else line.at
        one = Execution(launch.loop, begun, line.file, launch.loop_line)
        one.started = line.at
        one.last = line.number
        launch.executions.append(one)
        self._current = launch

    def _under_way(self, at: float) -> list[Execution]:
        found = []
        for launch in self._near():
            one = launch.executions[-1] if launch.executions and not launch.over else None
            if one is None or one.over or one.ended is not None:
                continue
            if one is self._latest() or one.started + (one.budget or _BUDGET) + _SLACK >= at:
                found.append(one)
        return found

    def _latest(self) -> Execution | None:
        launch = self._current
        return launch.executions[-1] if launch is not None and launch.executions else None

    def _of_file(self, stamp: str, among: Sequence[Execution]) -> Execution | None:
        """Return the process whose output file is named so, None where none began then."""
        at = instant(stamp)
        known = next((one for one in among if one.stamp == stamp and one.ended is None), None)
        if known is not None or at is None:
            return known
        fitting = [
            one for one in among if one.stamp is None and one.begun - BEFORE <= at <= one.started + BEHIND
        ]
        return min(fitting, key=lambda one: abs(one.started - at), default=None)

    def _went(self, line: Line, mark: str, says: str, stamp: str | None) -> None:
        """Take how a process went: that of the file, the only one under way, or the one whose time is up."""
        status = number_after(line.text, mark)
        running = self._under_way(line.at)
        own = None if stamp is None else self._of_file(stamp, running)
        running = running if own is None else [own]
        if len(running) == 1:
            _keep(running[0], stamp)
        if says == LIMIT:
            one = self._latest()
            if one is not None:
                one.limited, one.last = True, line.number
        elif says == TIMED_OUT and line.at - self._up_at <= _TWICE:
            return  # the same, said in other words
        elif says == TIMED_OUT and running:
            self._up_at = line.at
            one = min(running, key=lambda e: abs(e.started + (e.budget or _BUDGET) - line.at))
            one.timed_out, one.status, one.ended, one.last = True, TIME_UP, line.at, line.number
        elif says != TIMED_OUT and len(running) > 1:
            self._told.append((says == GOOD, status, line.at))
        elif says != TIMED_OUT and running:
            _set(running[0], says == GOOD, status, line)

    def _complete(self, line: Line, number: int) -> None:
        """Take that a turn is over: one whose process has ended, the current launch's first."""
        assert self._current is not None
        around = [launch for launch in reversed(self._near()) if launch is not self._current]
        found = []
        for launch in (self._current, *around):
            one = launch.executions[-1] if launch.executions and not launch.over else None
            if one is not None and not one.over and one.loop == number:
                found.append((launch, one))
        if not found:
            return
        launch, one = next((pair for pair in found if pair[1].ended is not None), found[0])
        self._told = [told for told in self._told if line.at - told[2] <= _TURN_ENDS]
        if self._told and one.ended is None:
            good, status, at = self._told.pop(0)
            _set(one, good, status, line, at)
        one.ended = line.at if one.ended is None else one.ended
        one.over, one.last = True, line.number
        self._current = launch

    def _stop(self, launch: Launch, line: Line) -> None:
        """The process that is under way when its loop ends is over too."""
        one = launch.executions[-1] if launch.executions else None
        if one is not None and not one.over:
            one.over, one.last = True, line.number
            one.ended = line.at if one.ended is None else one.ended

    def finished(self) -> list[Launch]:
        """
        Return the launches once all lines are taken.

        One that ends in silence was ended by its breaker where the next one finds it open at once, and by
        its first error where it never came to begin.
        """
        for launch in self.launches:
            if launch.error and not launch.running and not launch.over:
                launch.end("failed", launch.error, launch.error_at)
        for launch, after in zip(self.launches, self.launches[1:], strict=False):
            at_once = after.opened and not after.executions
            if at_once and launch.executions and not launch.over and launch.executions[-1].ended is not None:
                launch.opened = True
                launch.end("halted", f"the next launch: {after.why}", launch.executions[-1].ended)
        return self.launches


def lead_of(text: str) -> str:
    """Return a line without the pictures, numbers and blanks that it begins with."""
    at = 0
    while at < len(text) and (text[at] in "0123456789 " or not text[at].isascii()):
        at += 1
    return text[at:]


def _named(text: str) -> str | None:
    """Return the stamp of the output file that a line of the log names, None where it names none."""
    _, found, rest = text.partition(_OUTPUT) if text.startswith(_NAMING) else ("", "", "")
    return rest[:_STAMP] if found else None


def _keep(one: Execution | None, stamp: str | None) -> None:
    if one is not None and one.stamp is None:
        one.stamp = stamp


def _set(one: Execution, good: bool, status: int | None, line: Line, at: float | None = None) -> None:
    if one.timed_out:
        return
    one.failed, one.last = not good, line.number
    one.status = 0 if good else status
    one.timed_out = one.status == TIME_UP
    one.ended = line.at if at is None else at


def _written_out(text: str, mark: str) -> tuple[int, int] | None:
    """Return done and total of `total_items:16, completed_items:3` behind the mark."""
    rest = text.partition(mark)[2]
    total, done = number_after(rest, "total_items:"), number_after(rest, "completed_items:")
    return None if total is None or done is None or done > total else (done, total)


# What a loop's own log says of its launches, and of the processes of the agent that each one ran.


class Execution:
    """
    One process of the agent, as the log shows it. None is not reported.

    Args:
        loop: The number that the loop gave it, from 1 in each launch.
        begun: When the loop's turn began, in seconds since the epoch; its output file is named then or later.
        file: The log.
        line: Where the turn begins there.
    """

    def __init__(self, loop: int, begun: float, file: str, line: int) -> None:
        self.loop = loop
        self.begun = begun
        self.started = begun
        self.ended: float | None = None
        self.file = file
        self.first = line
        self.last = line
        self.budget: float | None = None
        self.status: int | None = None
        self.failed = self.timed_out = self.limited = self.over = False
        self.resumed: bool | None = None
        self.counted: tuple[int, int] | None = None
        self.stamp: str | None = None


class Launch:
    """
    One start of the loop, up to its end.

    `how` and `why` are as in `exitgate.recordings.model.End`; `opened` says that the log ends it because
    its breaker was open; `counted` is what of the plan was done before the first process, of how much;
    `headless` says that the log begins in the middle of it.
    """

    def __init__(self, at: float | None, file: str, line: int = 0) -> None:
        self.at = at
        self.file = file
        self.line = line
        self.executions: list[Execution] = []
        self.loop = 0
        self.loop_at: float | None = None
        self.loop_line = line
        self.how: str | None = None
        self.why = ""
        self.ended: float | None = None
        self.opened = self.over = self.running = self.headless = False
        self.error = ""
        self.error_at = 0.0
        self.counted: tuple[int, int] | None = None

    @property
    def idle(self) -> bool:
        """Whether no process of it is under way."""
        last = self.executions[-1] if self.executions else None
        return last is None or last.over or last.ended is not None

    def end(self, how: str | None, why: str, at: float) -> None:
        """Note how it ended; what is said first counts, and what has a class before what has none."""
        self.over = True
        if self.ended is None or (self.how is None and how is not None):
            self.how, self.why, self.ended = how, why, at


# Lines of a loop's own log: `[2026-01-31 12:00:00] [LEVEL] text`, in local time without a zone, taken as
# UTC.
#
# A line without such a beginning continues with the one before it. Colours are left out.

#: Characters of a line and of what continues with it.
_LIMIT = 4000
#: Characters of `2026-01-31 12:00:00`, and of the same in the name of a file.
_STAMP_LENGTH = 19


class Line(Struct, frozen=True):
    """A line: its number from 1 and its file, seconds since the epoch, level, text."""

    file: str
    number: int
    at: float
    level: str
    text: str


def read_lines(places: Sequence[Location]) -> Iterator[Line]:
    """Yield the lines of logs, one after the other. Raises OSError."""
    for place in places:
        held: Line | None = None
        for number, raw in enumerate(place.lines(), 1):
            text = raw[:_LIMIT].decode("utf-8", "replace").rstrip("\0 ")
            if ESCAPE in text:
                text = strip_escapes(text)
            line = parsed(text, place.path, number)
            if line is not None:
                if held is not None:
                    yield held
                held = line
            elif held is not None and text and len(held.text) < _LIMIT:
                held = Line(held.file, held.number, held.at, held.level, f"{held.text}\n{text}")
        if held is not None:
            yield held


def parsed(text: str, file: str = "", number: int = 0) -> Line | None:
    """Return a line of a log, None for any other."""
    if text[:1] != "[" or text[_STAMP_LENGTH + 1 : _STAMP_LENGTH + 4] != "] [":
        return None
    level, mark, rest = text[_STAMP_LENGTH + 4 :].partition("]")
    at = instant(text[1 : _STAMP_LENGTH + 1])
    if at is None or not mark or not level.isupper():
        return None
    return Line(file, number, at, level, rest.strip())


def instant(stamp: str) -> float | None:
    """Return seconds since the epoch of `2026-01-31 12:00:00` or `2026-01-31_12-00-00`, else None."""
    from datetime import UTC, datetime

    if len(stamp) != _STAMP_LENGTH or stamp[10] not in " _T":
        return None
    written = f"{stamp[:10]} {stamp[11:].replace('-', ':')}"
    try:
        return datetime.strptime(written, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def number_after(text: str, mark: str) -> int | None:
    """Return the number that right follows the first `mark`, None without one."""
    _, found, rest = text.partition(mark)
    if not found:
        return None
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return int(digits) if 0 < len(digits) < 10 else None


def share_after(text: str, mark: str) -> tuple[int, int] | None:
    """Return the numbers of `12/34` right behind the first `mark`, None without such."""
    done = number_after(text, mark)
    total = None if done is None else number_after(text.partition(mark)[2], f"{done}/")
    return None if done is None or total is None or done > total else (done, total)
