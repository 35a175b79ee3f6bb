"""
Which start of iannuttall/ralph an iteration belongs to.

Names of files and the log's summaries name runs, and a run's id holds the second in which it was started.
The lines by which iterations start and end name none, and those of starts that ran at once are mixed: each
is given to the iteration that started or ended then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location

#: Seconds by which what shows the same moment may differ.
_SAME = 5.0
_NEVER = float("inf")


class KnownIteration:
    """
    What is known of one iteration.

    Args:
        number: The loop's own number of it.
        kept: Whether a file of it is there.

    `lines` are those of the log that tell of it, `begins` and `ends` whether one of them starts or ends it.
    """

    __slots__ = ("begins", "ended", "ends", "kept", "lines", "number", "started", "status", "story")

    def __init__(self, number: int, *, kept: bool = False) -> None:
        self.number = number
        self.kept = kept
        self.started: float | None = None
        self.ended: float | None = None
        self.story = ""
        self.status = ""
        self.begins = self.ends = False
        self.lines: list[int] = []

    def take(self, one: LogEvent) -> None:
        """Take a line of the log that starts or ends it."""
        if one.what == "start":
            self.begins, self.started = True, one.at
            self.story = one.fields.get("story", "") or self.story
        else:
            self.ends, self.ended = True, one.at
        self.lines.append(one.line)


class Launch:
    """
    One start of the loop: its id, where one is known, and its iterations by number.

    `dangling` is one that began and of which nothing else is known.
    """

    __slots__ = ("dangling", "id", "known")

    def __init__(self, id: str = "", known: Mapping[int, KnownIteration] | None = None) -> None:
        self.id = id
        self.known: dict[int, KnownIteration] = dict(known or {})
        self.dangling: KnownIteration | None = None

    @property
    def begun(self) -> float:
        """When it began, in seconds since the epoch; endlessly late where nothing tells it."""
        every = (*self.known.values(), *(() if self.dangling is None else (self.dangling,)))
        told = (begun_at(self.id), *(one.started for one in every), *(one.ended for one in every))
        return min((at for at in told if at is not None), default=_NEVER)


def begun_at(run: str) -> float | None:
    """Return the instant that a run's id begins with, as `20260131-120000`, else None."""
    day, _, rest = run.partition("-")
    clock = rest.partition("-")[0]
    if len(day) != 8 or len(clock) != 6 or not (day + clock).isdigit():
        return None
    return instant(f"{day[:4]}-{day[4:6]}-{day[6:]} {clock[:2]}:{clock[2:4]}:{clock[4:]}")


def launches(
    lines: Iterable[LogEvent], kept: Mapping[str, Mapping[int, KnownIteration]] | None = None
) -> list[Launch]:
    """
    Return the launches that a log and the files beside it tell of, oldest first.

    Args:
        lines: What the lines of the log say.
        kept: Run and number -> iteration whose files are there, with what its own summary says.

    Lines that are of no known run make launches of their own, in which a number that does not grow begins
    another one.
    """
    told = list(lines)
    runs = {run: Launch(run, known) for run, known in (kept or {}).items()}
    for one in reversed([one for one in told if one.what == "summary"]):
        _summarized(runs.setdefault(one.fields["run"], Launch(one.fields["run"])), one)
    others: list[Launch] = []
    for one in told:
        if one.what == "start":
            known = _that_starts(runs, one) or _that_follows(runs, one)
        elif one.what == "end":
            known = _that_ends(runs, one)
        else:
            continue
        if known is None:
            known = _of_others(others, one)
        known.take(one)
    found = [*runs.values(), *others]
    for launch in found:
        last = max(launch.known, default=0)
        if last and launch.known[last].ended is None and not launch.known[last].kept:
            launch.dangling = launch.known.pop(last)
    return sorted(found, key=lambda launch: (launch.begun, launch.id))


def _summarized(launch: Launch, one: LogEvent) -> None:
    """Take what a summary in the log says; the loop writes the newest first."""
    known = launch.known.setdefault(one.number, KnownIteration(one.number))
    known.ended = known.ended if known.ended is not None else one.at
    seconds = one.fields.get("duration", "").removesuffix("s")
    if known.started is None and known.ended is not None and seconds.isdigit() and len(seconds) < 9:
        known.started = known.ended - int(seconds)
    known.story = known.story or one.fields.get("story", "")
    known.status = known.status or one.fields.get("status", "")
    known.lines.append(one.line)


def _that_starts(runs: Mapping[str, Launch], one: LogEvent) -> KnownIteration | None:
    """Return the iteration that is known to have started when a line says that one did."""
    fitting = []
    for run, launch in runs.items():
        known = launch.known.get(one.number)
        if known is None or known.begins or one.at is None:
            continue
        started = begun_at(run) if known.started is None and one.number == 1 else known.started
        if started is not None and abs(started - one.at) <= _SAME:
            fitting.append((abs(started - one.at), run, known))
    return min(fitting, key=lambda each: each[:2])[2] if fitting else None


def _that_follows(runs: Mapping[str, Launch], one: LogEvent) -> KnownIteration | None:
    """
    Return the iteration that continues with a run whose turn it was, None where no run waited for it.

    One whose files are there comes first, then the run whose iteration before ended last.
    """
    fitting = []
    for run, launch in runs.items():
        before, known = launch.known.get(one.number - 1), launch.known.get(one.number)
        since = None if before is None else before.ended if before.ended is not None else before.started
        if known is not None and (known.begins or known.started is not None):
            continue
        if one.at is None or before is None or (since is not None and since > one.at):
            continue
        if known is None and max(launch.known) > one.number:
            continue
        fitting.append((known is not None, since or launch.begun, run))
    if not fitting:
        return None
    launch = runs[max(fitting)[2]]
    return launch.known.setdefault(one.number, KnownIteration(one.number))


def _that_ends(runs: Mapping[str, Launch], one: LogEvent) -> KnownIteration | None:
    """Return the iteration that is known to have ended then, or was under way as long as the line says."""
    under_way = [
        (run, known)
        for run, launch in runs.items()
        if (known := launch.known.get(one.number)) is not None and not known.ends
    ]
    if one.at is None:
        return None
    seconds = one.fields.get("duration", "").removesuffix("s")
    began = one.at - int(seconds) if seconds.isdigit() and len(seconds) < 9 else None
    fitting = [
        (abs(known.ended - one.at), run, known)
        for run, known in under_way
        if known.ended is not None and abs(known.ended - one.at) <= _SAME
    ]
    fitting = fitting or [
        (abs(known.started - began), run, known)
        for run, known in under_way
        if began is not None
        and known.ended is None
        and known.started is not None
        and abs(known.started - began) <= _SAME
    ]
    return min(fitting, key=lambda each: each[:2])[2] if fitting else None


def _of_others(found: list[Launch], one: LogEvent) -> KnownIteration:
    """Return the iteration that a line is of in launches without an id, the last of `found`."""
    grown = bool(found) and one.number > max(found[-1].known, default=0)
    if not found or (one.what == "start" and not grown):
        found.append(Launch())
    return found[-1].known.setdefault(one.number, KnownIteration(one.number))


# `activity.log` and `errors.log` of iannuttall/ralph: what they say of iterations.

_ITERATION = "ITERATION "
_START, _END = " start (", " end ("
_LINE_LIMIT = 4_000
SUCCESS = "success"


class LogEvent(Struct, frozen=True):
    """
    What a line says of an iteration.

    Args:
        number: The loop's own number of it.
        at: Seconds since the epoch; the log's local clock is taken as UTC.
        line: Where it is, from 1.
        what: `start`, `end`, `summary`, or another event in the log's words.
        fields: Its `name=value` parts.
    """

    number: int
    at: float | None
    line: int
    what: str
    fields: Mapping[str, str]


def event_in(line: str, number: int) -> LogEvent | None:
    """Return what a line says of an iteration, None where it says nothing of one."""
    line = line[:_LINE_LIMIT].strip()
    if line.startswith("- "):
        return _summary(line[2:], number)
    stamp, _, rest = line.removeprefix("[").partition("] ")
    if not line.startswith("[") or not rest.startswith(_ITERATION):
        return None
    digits, _, what = rest.removeprefix(_ITERATION).partition(" ")
    if not digits.isdigit() or len(digits) > 6:
        return None
    name = what.partition(" ")[0]
    inside = rest.partition("(")[2].rpartition(")")[0]
    fields = _fields(inside.split())
    kind = name if _START in rest or _END in rest else what
    return LogEvent(int(digits), instant(stamp), number, kind, fields)


def events_in(place: Location) -> Iterator[LogEvent]:
    """Yield what the lines of a log say of iterations. Raises OSError."""
    for number, raw in enumerate(place.lines(), 1):
        one = event_in(raw.decode("utf-8", "replace"), number)
        if one is not None:
            yield one


def _summary(line: str, number: int) -> LogEvent | None:
    stamp, *parts = (part.strip() for part in line.split(" | "))
    fields = _fields(parts)
    digits = fields.get("iter", "")
    if "run" not in fields or not digits.isdigit() or len(digits) > 6:
        return None
    return LogEvent(int(digits), instant(stamp), number, "summary", fields)


def _fields(parts: Iterable[str]) -> dict[str, str]:
    split = (part.partition("=") for part in parts)
    return {name: value for name, equals, value in split if equals}
