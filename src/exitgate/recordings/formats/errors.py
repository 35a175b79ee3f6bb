"""Of which kind an error is that a service answered with, by its HTTP status and never by its words."""

from __future__ import annotations

from exitgate.core.envelopes.members import as_object, count_at, text_at
from exitgate.recordings.model import AUTH, CRASH, MODEL, USAGE_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.core.envelopes.members import Event


#: HTTP status -> kind; any other from 400 on is the service's or the request's.
_HTTP_STATUS = {401: AUTH, 402: USAGE_LIMIT, 403: AUTH, 429: USAGE_LIMIT}
_FIRST, _LAST = 400, 599


def kind_of_status(status: int | None) -> str | None:
    """Return the kind of error of an HTTP status, None for what is not status of an error."""
    if status is None or not _FIRST <= status <= _LAST:
        return None
    return _HTTP_STATUS.get(status, MODEL)


def leading_status(text: str) -> int | None:
    """Return the HTTP status that an error's text begins with: three digits and a blank or `{` or `:`."""
    digits, mark = text[:3], text[3:4]
    plain = len(digits) == 3 and digits.isascii() and digits.isdigit()
    return int(digits) if plain and mark in ("", " ", "{", ":") else None


# Of which kind an error is that Codex reports, by its own name for it or the status of the service.

#: Names of errors that are neither the service's nor the request's.
_CODEX_NAMES = {"usage_limit_exceeded": USAGE_LIMIT, "unauthorized": AUTH}
_CODEX_STATUS = "unexpected status "


def kind_of_codex(message: str, name: object = None) -> str:
    """
    Return the kind of an error.

    Args:
        message: The program's own line; only a status that it begins with counts.
        name: `codex_error_info`, a text or an object of one member.
    """
    named = _CODEX_NAMES.get(next(iter(as_object(name)), str(name)))
    return named or kind_of_status(leading_status(message.removeprefix(_CODEX_STATUS))) or MODEL


# Of which kind the error is that Claude Code reports, by its own marks and never by its words.

#: What the program calls an error of an assistant message.
_CLAUDE_NAMES = {
    "authentication_failed": AUTH,
    "billing_error": USAGE_LIMIT,
    "rate_limit": USAGE_LIMIT,
    "invalid_request": MODEL,
    "model_not_found": MODEL,
    "server_error": MODEL,
}
#: HTTP status of the service -> kind; from `_SERVER` on the service itself failed.
_CLAUDE_STATUS = {
    400: MODEL,
    401: AUTH,
    402: USAGE_LIMIT,
    403: AUTH,
    404: MODEL,
    413: MODEL,
    429: USAGE_LIMIT,
}
_SERVER = 500
#: What the program writes before the HTTP status in an error's text.
_API_ERROR = "API Error: "
_DURING = "error_during_execution"
_REJECTED = "rejected"


def kind_of_claude(event: Event, limits: Sequence[Mapping[str, object]]) -> str | None:
    """
    Return the kind of error that an event reports, None where it reports none or nothing tells its kind.

    Args:
        event: One of Claude Code's.
        limits: The limits that were reported up to it.
    """
    kind = event.get("type", "result")
    if kind == "assistant":
        return _CLAUDE_NAMES.get(text_at(event, "error") or "")
    if kind != "result" or not _failed(event):
        return None
    status = count_at(event, "api_error_status")
    if status is None:
        status = _written(text_at(event, "result") or "")
    if status is not None:
        return _CLAUDE_STATUS.get(status, MODEL if status >= _SERVER else None)
    if limits and limits[-1].get("status") == _REJECTED:
        return USAGE_LIMIT
    return CRASH if event.get("subtype") == _DURING else None


def _failed(event: Event) -> bool:
    return event.get("is_error") is True or event.get("subtype") == _DURING


def _written(text: str) -> int | None:
    """Return the HTTP status that the program writes into the text of an error."""
    digits = text[len(_API_ERROR) : len(_API_ERROR) + 3]
    return int(digits) if text.startswith(_API_ERROR) and digits.isascii() and digits.isdigit() else None


# What Claude Code itself writes into a session about errors of its service and calls that were refused.

#: Kinds of errors by the program's own names for them.
_SESSION_NAMES = {
    "rate_limit": USAGE_LIMIT,
    "billing_error": USAGE_LIMIT,
    "authentication_failed": AUTH,
    "oauth_org_not_allowed": AUTH,
}
#: Kinds of errors by the status that the service answered with.
_SESSION_STATUSES = {"401": AUTH, "403": AUTH, "429": USAGE_LIMIT}
_SESSION_STATUS = "API Error: "
#: Of older versions: a text, this mark, and when the limit is lifted.
_LIMIT, _RESETS = "Claude AI usage limit reached", "|"
#: How results begin that the program writes in a tool's place when the call was not allowed.
_REFUSED = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "Claude requested permissions to ",
    "Permission to use ",
)
_LONGEST_NUMBER = 12
#: How the text begins that is where a person broke off what the agent was doing.
INTERRUPTED = "[Request interrupted by user"


def kind_of_session_error(text: str, error: object = None) -> str:
    """Return which kind of error a line of the program's own shows: its name for it, else its status."""
    if str(error) in _SESSION_NAMES:
        return _SESSION_NAMES[str(error)]
    if (status := as_object(error).get("status")) is not None:
        return _SESSION_STATUSES.get(str(status), MODEL)
    if text.startswith(_LIMIT):
        return USAGE_LIMIT
    return (
        _SESSION_STATUSES.get(text.removeprefix(_SESSION_STATUS)[:3], MODEL)
        if text.startswith(_SESSION_STATUS)
        else MODEL
    )


def limit_in(text: str) -> dict[str, object] | None:
    """Return the limit that such a line shows, with the instant when it is lifted; None without one."""
    head, mark, rest = text.partition(_RESETS)
    digits = rest.strip()
    if not mark or head != _LIMIT or not (digits.isascii() and digits.isdigit()):
        return None
    return {"status": "rejected", "resets_at": int(digits[:_LONGEST_NUMBER])}


def is_refusal(text: str) -> bool:
    """Return whether the result of a call says that it was not allowed."""
    return text.startswith(_REFUSED)


def is_broken_off(texts: Iterable[str]) -> bool:
    """Return whether one of the texts says that a person broke it off."""
    return any(text.startswith(INTERRUPTED) for text in texts)
