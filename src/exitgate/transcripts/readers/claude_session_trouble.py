"""What Claude Code itself writes into a session about errors of its service and calls that were refused."""

from __future__ import annotations

from exitgate.transcripts.recorded import AUTH, MODEL, USAGE_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Kinds of errors by the program's own names for them.
_NAMED = {
    "rate_limit": USAGE_LIMIT,
    "billing_error": USAGE_LIMIT,
    "authentication_failed": AUTH,
    "oauth_org_not_allowed": AUTH,
}
#: Kinds of errors by the status that the service answered with.
_STATUSES = {"401": AUTH, "403": AUTH, "429": USAGE_LIMIT}
_STATUS = "API Error: "
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


def kind_of(text: str, error: object = None) -> str:
    """Return which kind of error a line of the program's own shows: its name for it, else its status."""
    if isinstance(error, str) and error in _NAMED:
        return _NAMED[error]
    if isinstance(error, dict) and (status := error.get("status")) is not None:
        return _STATUSES.get(str(status), MODEL)
    if text.startswith(_LIMIT):
        return USAGE_LIMIT
    return _STATUSES.get(text.removeprefix(_STATUS)[:3], MODEL) if text.startswith(_STATUS) else MODEL


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
