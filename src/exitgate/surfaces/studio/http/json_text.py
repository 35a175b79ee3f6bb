"""Values as JSON for a browser, also with the invalid Unicode that transcripts may hold."""

from __future__ import annotations

from msgspec import to_builtins
from msgspec.json import encode


def json_bytes(value: object) -> bytes:
    """
    Return a value (plain, or of structs) as JSON in UTF-8.

    A lone surrogate becomes the sign for an unreadable character; NaN and infinity become null.
    """
    try:
        return encode(value)
    except UnicodeEncodeError:
        return encode(_valid(to_builtins(value)))


def _valid(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_valid(key): _valid(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_valid(one) for one in value]
    return value
