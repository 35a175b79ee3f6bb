"""Texts cut down to what one line for people can hold: long lists as two and a count, paths made relative."""

from __future__ import annotations

import os

from exitgate.core.language.unparse import value_text as notation
from exitgate.core.model.value import DURATION, Unknown
from exitgate.report.terminal import cut, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.decision import Decision
    from exitgate.core.model.value import Type


#: Alternatives of a list in backticks that are shown; the rest is counted.
SHOWN = 2
#: Columns of a line: two rows of a narrow terminal.
LINE = 160
_OR = "` or `"


def brief_line(text: str, folder: str = "", columns: int = LINE) -> str:
    """
    Return `text` on one line, safe for a terminal, at most `columns` wide.

    Args:
        text: From a policy, an agent, or a remark on a source.
        folder: Absolute path of the working folder; paths inside it become relative.
        columns: Where it is cut, with an ellipsis.
    """
    return cut(safe(brief(text, folder)), columns)


def brief(text: str, folder: str = "") -> str:
    """Return `text` with ``no plan at `a` or `b` or 10 more`` for a long list, and relative paths."""
    if len(folder) > 1 and folder in text:
        text = text.replace(folder.rstrip("/") + "/", "")
    return _counted(text) if text.count(_OR) >= SHOWN else text


def working_folder() -> str:
    """Return the absolute path of the working folder, or the empty text where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def listed(names: list[str], most: int = 3) -> str:
    """Return names in backticks with commas, the first `most` of them and a count of the rest."""
    more = len(names) - most
    text = ", ".join(f"`{name}`" for name in names[:most])
    return f"{text} and {more} more" if more > 0 else text


def _counted(text: str) -> str:
    """Fold each run of more than `SHOWN` alternatives; one between two others holds no backtick itself."""
    first, *pieces = text.split(_OR)
    parts, run = [first], 1
    folded = 0
    for piece in pieces:
        run += 1
        _, tick, rest = piece.partition("`")
        if run <= SHOWN:
            parts.append(_OR + piece)
        else:
            folded += 1
            if tick:
                parts.append(f"` or {folded} more{rest}")
        if tick:
            run, folded = (1, 0)
    if folded:
        parts.append(f"` or {folded} more")
    return "".join(parts)


# Values of facts and parameters as people read them.


def value_text(value: object, type: Type | None = None) -> str:
    """
    Return `value` in the notation of the condition language, safe for a terminal.

    Args:
        value: As `model.value.Type` says, or `Unknown`, which reads ``unknown`` or says its bounds.
        type: Its type; without one, numbers are shown without a unit and texts in quotes.
    """
    bare = isinstance(value, Unknown) and value.least is None
    return "unknown" if bare else safe(notation(value, type))


# When a run that waits may go on, in words.


def retry_text(decision: Decision, now: float | None = None) -> str:
    """
    Return ``at 2026-03-01 14:05:00 local time, in 2h10m``; the empty text where nothing waits.

    Args:
        decision: Decisions.
        now: Seconds since the epoch; without it the time to wait is not reported.
    """
    if decision.exit_class != "wait":
        return ""
    if decision.retry_at is None:
        return "the time is not known"
    text = f"at {_local(decision.retry_at)}"
    if now is None:
        return text
    left = round(decision.retry_at - now)
    return f"{text}, in {value_text(left, DURATION)}" if left > 0 else f"{text}, now"


def _local(instant: float) -> str:
    """Return an instant as a local time; one beyond the calendar as it is."""
    from time import localtime, strftime

    try:
        return strftime("%Y-%m-%d %H:%M:%S local time", localtime(instant))
    except (OverflowError, ValueError, OSError):
        return f"{instant:g} s since the epoch"


#: Characters of the line on a probe that is running.
_PROBING = 100


def probing_text(probe: str, seconds: float, line: str, width: int = _PROBING) -> str:
    """
    Return what is shown while a probe runs: its name, its seconds so far, the last line that it wrote.

    Without a probe another check's is waited for, and `line` says since when it runs.
    """
    if probe:
        text = f"verifying `{safe(probe)}`, {seconds:.0f} s  {safe(line.strip())}"
    else:
        text = f"another check is {safe(line)}; waiting for it, {seconds:.0f} s"
    return text[: min(width, _PROBING)].rstrip()
