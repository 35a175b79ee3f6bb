"""Files of that loop read and written: JSON of any quality in, whole files out."""

from __future__ import annotations

import os

from exitgate.core.ledger.gitignore import leave_out_files
from exitgate.core.model.decision import CANNOT_WRITE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.json_object import as_object, object_or_none
from exitgate.core.system import safe_files
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.json_object import Json, JsonObject


#: Bytes of a state file that are read; the loop's own have some hundred, with a long summary more.
LIMIT = 1_000_000
#: Bytes of an agent's output that are read, as many as of a response that is decided on.
OUTPUT_LIMIT = 50_000_000


def text_of(path: str, limit: int = LIMIT) -> str | None:
    """Return the text of a file, None where it is missing, no file, cannot be read or is too large."""
    try:
        return safe_files.content(path, limit, links=True).decode("utf-8", "replace")
    except OSError:
        return None


def object_in(text: str | None) -> JsonObject | None:
    """Return the JSON object in a text, None where it holds no such thing."""
    return object_or_none(value_in(text))


def value_in(text: str | None) -> object:
    """Return the JSON value in a text, None where it holds none."""
    if text is None:
        return None
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def answer_value_in(text: str | None) -> object:
    """Return the JSON value in an agent's output; of one value a line, a list; None where it holds none."""
    if text is None or text.lstrip()[:1] not in ("{", "["):
        return None
    value = value_in(text)
    if value is not None:
        return value
    values: list[object] = []
    for line in text.split("\n"):  # the other ends of lines may be within a JSON string
        if line.strip():
            values.append(value_in(line))
            if values[-1] is None:
                return None
    return values


def count_in(values: Mapping[str, Json] | None, name: str) -> int:
    """Return a count out of an object: whole and from 0; anything else is 0."""
    told = as_object(values or {})
    try:
        return max(0, int(told.number(name, told.text(name, "0"))))
    except (ValueError, OverflowError):
        return 0


def replace(path: str, text: str) -> None:
    """
    Put `text` instead of a file, whole or not at all; the permissions of one that is there stay.

    A file that was missing is left out of git.

    Raises:
        ExitgateError: 73 when it cannot be written.
    """
    if not os.path.lexists(path):
        leave_out_files((path, f"{path}.*"))
    try:
        safe_files.replace(path, text.encode("utf-8", "surrogatepass"), mode=0o644)
    except OSError as error:
        message = f"`{path}` cannot be written: {error.strerror or error}"
        help = "free some space, or let this user write there; the loop depends on that file"
        raise problem(NOT_WRITTEN, message, help, CANNOT_WRITE) from error


def line_of(value: object) -> str:
    """Return a value as one line of JSON in ASCII, with its end."""
    return f"{dumps(value)}\n"


def pretty(value: Mapping[str, Json]) -> str:
    """Return an object as JSON in ASCII, one member a line, as the loop's own files have it."""
    return f"{_members(value, '    ')}\n"


def _members(value: Mapping[str, Json], indent: str) -> str:
    lines = []
    for name, inner in value.items():
        text = _members(inner, indent + "    ") if isinstance(inner, dict) else dumps(inner)
        lines.append(f"{indent}{dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + f"\n{indent[4:]}" + "}"


def written(instant: float) -> str:
    """Return an instant, seconds since the epoch, as ISO 8601 in UTC to the second."""
    from time import gmtime

    year, month, day, hour, minute, second = gmtime(instant)[:6]
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+00:00"


# What can be wrong around the drop-in for ralph's loop.

NOT_WRITTEN, NO_STEP, NO_SETTING = "EP577", "EP578", "EP579"

#: Code -> what it means.
CODES = {
    NOT_WRITTEN: "a state file of the loop cannot be written",
    NO_STEP: "a step of the loop is called with wrong arguments",
    NO_SETTING: "a variable of the loop has a value that the policy does not accept",
}


def problem(code: str, message: str, help: str, exit_code: int) -> ExitgateError:
    """Return the error with one diagnostic."""
    return ExitgateError([Diagnostic(code, message, help=help)], exit_code)


# Instants as the loop writes them: ISO 8601 with an offset.

_DAYS = 86_400


def instant(text: object) -> float | None:
    """
    Return seconds since the epoch of ``2026-01-31T10:30:00+02:00``, None for what is none.

    ``Z``, ``+0200``, fractions of a second and a blank for the ``T`` are read too; no offset is UTC.
    """
    if not isinstance(text, str) or len(text) < 19 or not text.isascii():
        return None
    day, clock, rest = text[:10], text[11:19], text[19:]
    try:
        year, month, date = (int(part) for part in day.split("-"))
        hour, minute, second = (int(part) for part in clock.split(":"))
        offset = _offset(rest.lstrip(".0123456789") if rest.startswith(".") else rest)
        return float(_days(year, month, date) * _DAYS + hour * 3600 + minute * 60 + second - offset)
    except ValueError:
        return None


def _offset(text: str) -> int:
    """Return the seconds that a clock with this offset is ahead; ValueError for what is none."""
    if text.strip() in ("", "Z", "z"):
        return 0
    digits = text[1:].replace(":", "")
    if text[0] not in "+-" or len(digits) != 4:
        raise ValueError(text)
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return seconds if text[0] == "+" else -seconds


def _days(year: int, month: int, day: int) -> int:
    """Return days since 1970-01-01 of a date of the Gregorian calendar."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError(month)
    shifted = year - (month <= 2)
    in_era = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400 + in_era - 719_468
