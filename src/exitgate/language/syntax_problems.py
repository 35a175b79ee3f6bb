"""Every problem of syntax in a condition's text, in words, with the likely fix."""

from __future__ import annotations

from exitgate.language.problem import LanguageError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lark.exceptions import UnexpectedInput


def problems_of(text: str, error: UnexpectedInput | LanguageError) -> tuple[Problem, ...]:
    """Return the problems of a text that could not be read, at least one."""
    if isinstance(error, LanguageError):
        return error.problems
    start = min(max(error.pos_in_stream or 0, 0), len(text))
    return (Problem("EP313", "the condition cannot be read from here on", start, min(start + 1, len(text))),)
