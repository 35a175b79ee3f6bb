"""The command lines of calls: what they ran, and whether they failed."""

from __future__ import annotations

from exitgate.facts.structural import HIDING_PARTS, SHELL_PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Characters of a command line that are looked at.
LINE_LIMIT = 4_000


def failed(call: Mapping[str, object]) -> bool:
    """Return whether a call came back as an error, or its command with a status other than 0."""
    status = call.get("exit_status")
    return call.get("error") is True or (isinstance(status, int) and status != 0)


def commands(input: object) -> list[str]:
    """Return the commands on the command line of a call, none for a call that ran none."""
    line = line_of(input)
    for mark in SHELL_PARTS:
        line = line.replace(mark, "\n")
    return [part.strip() for part in line.split("\n") if part.strip()]


def hides_status(input: object) -> bool:
    """Return whether the status of a call's command line may be that of another command than the first."""
    line = line_of(input)
    return any(mark in line for mark in HIDING_PARTS)


def line_of(input: object) -> str:
    """Return the command line of a call, cut short; the empty text for one that ran no command."""
    return (whole_line(input) or "")[:LINE_LIMIT]


def whole_line(input: object) -> str | None:
    """Return the command line of a call, the empty text without one, None for one that is not text."""
    line = input
    if isinstance(line, dict):
        given = (line.get("command"), line.get("cmd"), line.get("script"))
        line = next((one for one in given if one is not None), "")
    if isinstance(line, list | tuple):
        line = " ".join(str(part) for part in line)
    return line if isinstance(line, str) else None


def shown(input: object) -> str:
    """Return the command of a call, or the first text that it was given."""
    if not isinstance(input, dict):
        return input if isinstance(input, str) else ""
    texts = (value for value in (input.get("command"), *input.values()) if isinstance(value, str))
    return next(texts, "")
