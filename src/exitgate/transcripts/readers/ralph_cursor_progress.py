"""What the Cursor dialect keeps beside its log: sessions in `progress.md`, tasks in `tasks.yaml`."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.transcripts.instants import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEADING = "### "
_SESSION, _STARTED, _ENDED = "**Session ", " started**", " ended** - "
_REMAINING = " criteria remaining)"
#: Marks with which the loop itself tells an end -> class.
_COMPLETE = "complete"
_CLASSES = (("TASK COMPLETE", _COMPLETE), ("GUTTER", "stuck"))
_STATUS, _DESCRIPTION, _COMPLETED, _GENERATED = "status:", "description:", "completed", "generated_at:"


class Noted(Value):
    """
    A start or end of a session in `progress.md`.

    `number` is the loop's, `at` seconds since the epoch, `said` the loop's words at the end and None at a
    start, `line` where it is.
    """

    __slots__ = ("at", "line", "number", "said")

    def __init__(self, number: int, at: float | None, said: str | None, line: int) -> None:
        self.number = number
        self.at = at
        self.said = said
        self.line = line

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
