"""
A loop's own log, line by line, into launches.

Two loops may run in one folder at once, so that their lines interleave: lines with a number belong to the
loop that expects it, lines that name an output file to the process of that file; any other belongs to the
only process under way, or, if there are several, to the one whose time is up then or whose end is reported
next.
"""

from __future__ import annotations

from exitgate.transcripts.readers.ralph_launch import Execution, Launch
from exitgate.transcripts.readers.ralph_lines import instant, number_after, share_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    #: Mark, what it says, and a class of exit for `ENDS`.
    Marks = Sequence[tuple[str, str, str | None]]

    from exitgate.transcripts.readers.ralph_lines import Line

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
