"""Of which kind an error is that a service answered with, by its HTTP status and never by its words."""

from __future__ import annotations

from exitgate.transcripts.recorded import AUTH, MODEL, USAGE_LIMIT

#: HTTP status -> kind; any other from 400 on is the service's or the request's.
_STATUS = {401: AUTH, 402: USAGE_LIMIT, 403: AUTH, 429: USAGE_LIMIT}
_FIRST, _LAST = 400, 599


def kind_of_status(status: int | None) -> str | None:
    """Return the kind of error of an HTTP status, None for what is not status of an error."""
    if status is None or not _FIRST <= status <= _LAST:
        return None
    return _STATUS.get(status, MODEL)


def leading_status(text: str) -> int | None:
    """Return the HTTP status that an error's text begins with: three digits and a blank or `{` or `:`."""
    digits, mark = text[:3], text[3:4]
    plain = len(digits) == 3 and digits.isascii() and digits.isdigit()
    return int(digits) if plain and mark in ("", " ", "{", ":") else None
