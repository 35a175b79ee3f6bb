"""`activity.log` and `errors.log` of iannuttall/ralph: what they say of iterations."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.transcripts.instants import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from exitgate.transcripts.place import Place

_ITERATION = "ITERATION "
_START, _END = " start (", " end ("
_LINE_LIMIT = 4_000
SUCCESS = "success"


class Told(Value):
    """
    What a line says of an iteration.

    Args:
        number: The loop's own number of it.
        at: Seconds since the epoch; the log's local clock is taken as UTC.
        line: Where it is, from 1.
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


def told_in(place: Place) -> Iterator[Told]:
    """Yield what the lines of a log say of iterations. Raises OSError."""
    for number, raw in enumerate(place.lines(), 1):
        one = told(raw.decode("utf-8", "replace"), number)
        if one is not None:
            yield one


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
