"""What a host sends: one JSON object of bounded size, no matter what the bytes."""

from __future__ import annotations

import os

from exitgate.hosts.codes import PAYLOAD, problem
from exitgate.model.quick_json import loads
from exitgate.model.verdict import BAD_POLICY, CANNOT_READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Bytes that are read; a message and its surroundings are far smaller.
SIZE_LIMIT = 32 * 1024 * 1024
#: How often the end of what came is tried for a whole object before the end of the stream.
_TRIES = 32
_PIECE = 1 << 16
_MARK = b"\xef\xbb\xbf"


def read(descriptor: int = 0) -> Mapping[str, object]:
    """
    Return the object on a descriptor.

    Reading ends with the object: some hosts keep the stream open.

    Raises:
        ExitgateError: 74 where nothing can be read, 65 for what is not JSON object or too large.
    """
    raw = b""
    tries = 0
    while True:
        piece = _piece(descriptor)
        raw += piece
        if len(raw) > SIZE_LIMIT:
            raise _wrong(f"the payload is larger than {SIZE_LIMIT // 1024 // 1024} MB")
        if not piece:
            return parsed(raw)
        if len(piece) < _PIECE and tries < _TRIES and raw.rstrip().endswith(b"}"):
            tries += 1
            found = _object(raw)
            if found is not None:
                return found


def parsed(raw: bytes) -> Mapping[str, object]:
    """Return the object that `raw` is. Raises `ExitgateError` (65)."""
    found = _object(raw)
    if found is None:
        raise _wrong("the payload is empty" if not raw.strip() else "the payload is not a JSON object")
    return found


def _object(raw: bytes) -> Mapping[str, object] | None:
    if not raw.strip():
        return None
    try:
        found = loads(raw.removeprefix(_MARK).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None  # the caller says so, or waits for more
    return found if isinstance(found, dict) else None


def _piece(descriptor: int) -> bytes:
    try:
        if os.isatty(descriptor):
            help = "a host calls this; to try it: `exitgate hook HOST < payload.json`"
            raise problem(PAYLOAD, "no payload: standard input is a terminal", help, CANNOT_READ)
        return os.read(descriptor, _PIECE)
    except OSError as error:
        help = "the host gives the payload on standard input"
        raise problem(PAYLOAD, f"the payload cannot be read: {error.strerror}", help, CANNOT_READ) from error


def _wrong(message: str) -> Exception:
    return problem(PAYLOAD, message, f"`exitgate explain {PAYLOAD}` says what is wanted", BAD_POLICY)
