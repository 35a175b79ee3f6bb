"""Of which kind an error is that Codex reports, by its own name for it or the status of the service."""

from __future__ import annotations

from exitgate.transcripts.readers.chat_errors import kind_of_status, leading_status
from exitgate.transcripts.recorded import AUTH, MODEL, USAGE_LIMIT

#: Names of errors that are neither the service's nor the request's.
_NAMED = {"usage_limit_exceeded": USAGE_LIMIT, "unauthorized": AUTH}
_STATUS = "unexpected status "


def kind_of(message: str, name: object = None) -> str:
    """
    Return the kind of an error.

    Args:
        message: The program's own line; only a status that it begins with counts.
        name: `codex_error_info`, a text or an object of one member.
    """
    if isinstance(name, dict):
        name = next(iter(name), None)
    if isinstance(name, str) and name in _NAMED:
        return _NAMED[name]
    return kind_of_status(leading_status(message.removeprefix(_STATUS))) or MODEL
