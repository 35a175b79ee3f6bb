"""`activity.log` of the Cursor dialect: sessions with their banners, and the calls of tools in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import AGENT, FileChange, Provenance, RecordedIteration, ToolCall

BANNER = "Ralph Session Started:"
#: Marks of lines behind the instant and the coloured dot.
READ, WRITE, SHELL = "READ", "WRITE", "SHELL"
_TOKENS, _ROTATE, _START, _END = "TOKENS:", "ROTATE:", "SESSION START:", "SESSION END:"
_EXIT = " → exit "
_USED = " tokens used"
_MODEL = "model="
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = 86_400.0
_BACK = 12 * 3_600.0  # a clock that is so much earlier than before has passed midnight
_LINE_LIMIT = 100_000
_NO_TEXT = dict.fromkeys(
    ("response", "output", "tool_results", "prompt"), "the log keeps tool calls, not text"
)


def sessions(place: Location) -> Iterator[RecordedIteration]:
    """Yield every session as an iteration, numbered through. Raises OSError."""
    held: Session | None = None
    index = 0
    for number, raw in enumerate(place.lines(), 1):
        line = raw[:_LINE_LIMIT].decode("utf-8", "replace")
        if line.startswith(BANNER):
            if held is not None:
                yield held.iteration(index, place.path)
            index += 1
            held = Session(number, date(line.removeprefix(BANNER)))
        elif held is not None:
            held.take(number, line)
    if held is not None:
        yield held.iteration(index, place.path)


def date(text: str) -> float | None:
    """
    Return seconds since the epoch of what `date` printed, else None; the zone's name is passed over.

    `Fri Feb 27 22:41:35 CST 2026` or `Sun Mar 29 05:40:30 PM PDT 2026`.
    """
    words = text.split()
    if len(words) < 5 or words[1] not in _MONTHS or not words[2].isdigit():
        return None
    clock = words[3].split(":")
    if len(clock) != 3 or not all(part.isdigit() and len(part) <= 2 for part in clock):
        return None
    hour = int(clock[0])
    if words[4] in ("AM", "PM"):
        hour = hour % 12 + (12 if words[4] == "PM" else 0)
    month = _MONTHS.index(words[1]) + 1
    return instant(f"{words[-1]}-{month:02}-{int(words[2]):02}T{hour:02}:{clock[1]:0>2}:{clock[2]:0>2}")


class Session:
    """A session under way."""

    def __init__(self, line: int, at: float | None) -> None:
        self._first = self._last = line
        self._at = self._now = at
        self._calls: list[ToolCall] = []
        self._record: dict[str, object] = {}
        self._shell: list[str] | None = None

    def take(self, number: int, line: str) -> None:
        """Add a line of the log."""
        stamp, _, rest = line.removeprefix("[").partition("] ")
        clock = _clock(stamp) if line.startswith("[") else None
        if clock is None:
            if self._shell is not None and line.strip():
                self._last = number
                self._command(line)
            return
        self._last = number
        self._tick(clock)
        self._finish(None)
        words = rest.split(" ", 1)[-1]  # behind the dot
        name, _, about = words.partition(" ")
        if name == SHELL:
            self._shell = []
            self._command(about)
        elif name in (READ, WRITE):
            path = about.rpartition(" (")[0] or about
            self._calls.append(ToolCall(name, {"file_path": path}))
        elif words.startswith(_TOKENS):
            self._count(words.removeprefix(_TOKENS).split())
        elif words.startswith(_START):
            self._record["model"] = words.partition(_MODEL)[2].strip()
        elif words.startswith(_ROTATE):
            self._record |= {"stop_reason": "ROTATE", "truncated": True}
        elif words.startswith(_END):
            used = words.partition("~")[2].partition(_USED)[0]
            self._count([used])

    def _tick(self, clock: float) -> None:
        if self._at is None or self._now is None:
            return
        now = self._at - self._at % _DAY + clock
        while now < self._now - _BACK:
            now += _DAY
        self._now = now

    def _count(self, words: list[str]) -> None:
        if words and words[0].isdigit() and len(words[0]) < 15:
            self._record["tokens"] = int(words[0])

    def _command(self, text: str) -> None:
        assert self._shell is not None
        command, mark, status = text.rpartition(_EXIT)
        if not mark:
            self._shell.append(text)
            return
        self._shell.append(command)
        digits = status.split()[0] if status.split() else ""
        self._finish(int(digits) if digits.isdigit() and len(digits) < 6 else None)

    def _finish(self, status: int | None) -> None:
        """Keep the command under way, with its exit status where that is known."""
        if self._shell is None:
            return
        command, self._shell = "\n".join(self._shell), None
        failed = None if status is None else status != 0
        self._calls.append(ToolCall(SHELL, {"command": command}, is_error=failed, exit_status=status))

    def iteration(self, index: int, file: str) -> RecordedIteration:
        """Return the session as an iteration."""
        self._finish(None)
        written = dict.fromkeys(
            str(call.input["file_path"])
            for call in self._calls
            if call.name == WRITE and isinstance(call.input, dict)
        )
        ran = any(call.name == SHELL for call in self._calls)
        changed = {} if ran and not written else {"files_changed": len(written)}  # a command may write any
        return RecordedIteration(
            index,
            Provenance(file, self._first, self._last),
            record={**self._record, "tool_calls": len(self._calls), **changed},
            started_at=self._at,
            ended_at=self._now,
            tool_calls=tuple(self._calls),
            files_changed=tuple(FileChange(path, AGENT) for path in written) if changed else None,
            not_known=_NO_TEXT,
        )


def _clock(stamp: str) -> float | None:
    parts = stamp.split(":")
    if len(parts) != 3 or not all(part.isdigit() and len(part) == 2 for part in parts):
        return None
    return int(parts[0]) * 3_600.0 + int(parts[1]) * 60 + int(parts[2])


# What the Cursor dialect keeps beside its log: sessions in `progress.md`, tasks in `tasks.yaml`.

_HEADING = "### "
_SESSION, _STARTED, _ENDED = "**Session ", " started**", " ended** - "
_REMAINING = " criteria remaining)"
#: Marks with which the loop itself tells an end -> class.
_COMPLETE = "complete"
_CLASSES = (("TASK COMPLETE", _COMPLETE), ("GUTTER", "stuck"))
_STATUS, _DESCRIPTION, _COMPLETED, _GENERATED = "status:", "description:", "completed", "generated_at:"


class Noted(Struct, frozen=True):
    """
    A start or end of a session in `progress.md`.

    `number` is the loop's, `at` seconds since the epoch, `said` the loop's words at the end and None at a
    start, `line` where it is.
    """

    number: int
    at: float | None
    said: str | None
    line: int

    @property
    def how(self) -> str | None:
        """The class of the end, None where it is not one of the loop."""
        return next((c for mark, c in _CLASSES if mark in (self.said or "")), None)

    @property
    def remaining(self) -> int | None:
        """How many criteria the loop counted as open, where it says it."""
        digits = (self.said or "").partition(_REMAINING)[0].rpartition("(")[2]
        return int(digits) if digits.isdigit() and len(digits) < 7 else None

    @property
    def left(self) -> int | None:
        """How many were open: none where the loop says that the task is complete."""
        return 0 if self.how == _COMPLETE else self.remaining


def noted(lines: Iterable[bytes]) -> Iterator[Noted]:
    """Yield the starts and ends of sessions in their order."""
    at: float | None = None
    for line, raw in enumerate(lines, 1):
        text = raw[:4_000].decode("utf-8", "replace").strip()
        if text.startswith(_HEADING):
            at = instant(text.removeprefix(_HEADING).strip())
        elif text.startswith(_SESSION):
            digits, _, rest = text.removeprefix(_SESSION).partition(" ")
            if not digits.isdigit() or len(digits) > 6:
                continue
            if f" {rest}".startswith(_STARTED):
                yield Noted(int(digits), at, None, line)
            elif f" {rest}".startswith(_ENDED):
                yield Noted(int(digits), at, f" {rest}".removeprefix(_ENDED), line)


def tasks_plan(text: str) -> str | None:
    """Return the tasks of a `tasks.yaml` as a checklist, None without any."""
    lines: list[str] = []
    box = " "
    for line in text.splitlines():
        field = line.strip()
        if field.startswith(_STATUS):
            box = "x" if field.removeprefix(_STATUS).strip() == _COMPLETED else " "
        elif field.startswith(_DESCRIPTION):
            lines.append(f"- [{box}] {field.removeprefix(_DESCRIPTION).strip()}")
    return "\n".join(lines) + "\n" if lines else None


def generated(text: str) -> float | None:
    """Return when a `tasks.yaml` was made, seconds since the epoch, else None."""
    for line in text.splitlines()[:40]:
        if line.startswith(_GENERATED):
            return instant(line.removeprefix(_GENERATED).strip())
    return None
