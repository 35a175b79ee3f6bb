"""Of which kind the error is that Claude Code reports, by its own marks and never by its words."""

from __future__ import annotations

from exitgate.transcripts.recorded import AUTH, CRASH, MODEL, USAGE_LIMIT
from exitgate.transcripts.values import count_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.transcripts.values import Event

#: What the program calls an error of an assistant message.
_NAMED = {
    "authentication_failed": AUTH,
    "billing_error": USAGE_LIMIT,
    "rate_limit": USAGE_LIMIT,
    "invalid_request": MODEL,
    "model_not_found": MODEL,
    "server_error": MODEL,
}
#: HTTP status of the service -> kind; from `_SERVER` on the service itself failed.
_STATUS = {400: MODEL, 401: AUTH, 402: USAGE_LIMIT, 403: AUTH, 404: MODEL, 413: MODEL, 429: USAGE_LIMIT}
_SERVER = 500
#: What the program writes before the HTTP status in an error's text.
_API_ERROR = "API Error: "
_DURING = "error_during_execution"
_REJECTED = "rejected"


def kind_of(event: Event, limits: Sequence[Mapping[str, object]]) -> str | None:
    """
    Return the kind of error that an event reports, None where it reports none or nothing tells its kind.

    Args:
        event: One of Claude Code's.
        limits: The limits that were reported up to it.
    """
    kind = event.get("type", "result")
    if kind == "assistant":
        return _NAMED.get(text_at(event, "error") or "")
    if kind != "result" or not _failed(event):
        return None
    status = count_at(event, "api_error_status")
    if status is None:
        status = _written(text_at(event, "result") or "")
    if status is not None:
        return _STATUS.get(status, MODEL if status >= _SERVER else None)
    if limits and limits[-1].get("status") == _REJECTED:
        return USAGE_LIMIT
    return CRASH if event.get("subtype") == _DURING else None


def _failed(event: Event) -> bool:
    return event.get("is_error") is True or event.get("subtype") == _DURING


def _written(text: str) -> int | None:
    """Return the HTTP status that the program writes into the text of an error."""
    digits = text[len(_API_ERROR) : len(_API_ERROR) + 3]
    return int(digits) if text.startswith(_API_ERROR) and digits.isascii() and digits.isdigit() else None
