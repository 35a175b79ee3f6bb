"""`activity.log` and `errors.log` of iannuttall/ralph: what they say of iterations."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.transcripts.instants import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ITERATION = "ITERATION "
_START, _END = " start (", " end ("
_LINE_LIMIT = 4_000
#: Seconds by which the instants of a summary and of an event of the same iteration may differ.
_SAME = 5.0
SUCCESS = "success"


class Told(Value):
    """
    What a line says of an iteration.

    Args:
        number: The loop's own number of it.
        at: Seconds since the epoch; the log's local clock is taken as UTC.
        line: Where it stands, from 1.
        what: `start`, `end`, `summary`, or another event in the log's words.
        fields: Its `name=value` parts.
    """

    __slots__ = ("at", "fields", "line", "number", "what")

    def __init__(
        self, number: int, at: float | None, line: int, what: str, fields: Mapping[str, str]
    ) -> None:
        self.number = number
        self.at = at
        self.line = line
        self.what = what
        self.fields = fields


def told(line: str, number: int) -> Told | None:
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
    return Told(int(digits), instant(stamp), number, kind, fields)


def _summary(line: str, number: int) -> Told | None:
    stamp, *parts = (part.strip() for part in line.split(" | "))
    fields = _fields(parts)
    digits = fields.get("iter", "")
    if "run" not in fields or not digits.isdigit() or len(digits) > 6:
        return None
    return Told(int(digits), instant(stamp), number, "summary", fields)


def _fields(parts: Iterable[str]) -> dict[str, str]:
    split = (part.partition("=") for part in parts)
    return {name: value for name, equals, value in split if equals}


class Known:
    """What is known of one iteration; `lines` are those of the log that tell of it."""

    __slots__ = ("ended", "lines", "number", "started", "status", "story")

    def __init__(self, number: int) -> None:
        self.number = number
        self.started: float | None = None
        self.ended: float | None = None
        self.story = ""
        self.status = ""
        self.lines: list[int] = []


class Launch:
    """One start of the loop: its id, where one is known, and its iterations in order."""

    __slots__ = ("dangling", "id", "known")

    def __init__(self) -> None:
        self.id = ""
        self.known: dict[int, Known] = {}
        self.dangling: Known | None = None


def launches(lines: Iterable[tuple[int, str]]) -> list[Launch]:
    """
    Return the launches that a log tells of, oldest first.

    A number that does not grow begins another launch. Summaries, which the loop writes newest first,
    find their iteration by number and instant; those whose events are gone make launches by their run.
    """
    found: list[Launch] = []
    summaries: list[Told] = []
    for number, line in lines:
        one = told(line, number)
        if one is None:
            continue
        if one.what == "summary":
            summaries.append(one)
        elif one.what in ("start", "end"):
            _event(found, one)
    for launch in found:
        last = max(launch.known, default=0)
        for number in [n for n, known in launch.known.items() if known.ended is None]:
            known = launch.known[number]
            if number == last:
                launch.dangling = launch.known.pop(number)
            known.status = known.status or ""
    for one in reversed(summaries):
        _summarized(found, one)
    return found


def _event(found: list[Launch], one: Told) -> None:
    if one.what == "start":
        if not found or one.number <= max(found[-1].known, default=0):
            found.append(Launch())
        known = found[-1].known.setdefault(one.number, Known(one.number))
        known.started = one.at
        known.story = one.fields.get("story", "")
    else:
        if not found:
            found.append(Launch())
        known = found[-1].known.setdefault(one.number, Known(one.number))
        known.ended = one.at
    known.lines.append(one.line)


def _summarized(found: list[Launch], one: Told) -> None:
    run = one.fields["run"]
    launch = next((x for x in found if _is_same(x, one, run)), None)
    if launch is None:
        launch = next((x for x in found if x.id == run), None)
    if launch is None:
        launch = Launch()
        found.append(launch)
    launch.id = launch.id or run
    known = launch.known.setdefault(one.number, Known(one.number))
    known.ended = known.ended if known.ended is not None else one.at
    seconds = one.fields.get("duration", "").removesuffix("s")
    if known.started is None and known.ended is not None and seconds.isdigit() and len(seconds) < 9:
        known.started = known.ended - int(seconds)
    known.story = known.story or one.fields.get("story", "")
    known.status = one.fields.get("status", "")
    known.lines.append(one.line)


def _is_same(launch: Launch, one: Told, run: str) -> bool:
    known = launch.known.get(one.number)
    if known is None or launch.id not in ("", run) or known.ended is None or one.at is None:
        return False
    return abs(known.ended - one.at) <= _SAME
