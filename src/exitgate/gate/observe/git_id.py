"""The id that git gives a content; without `hashlib`, whose import costs a check as much as git does."""

from __future__ import annotations

try:
    from _sha1 import sha1  # type: ignore[import-not-found]
except ImportError:  # pragma: no cover - a Python built without it
    from hashlib import sha1

try:
    from _sha2 import sha256  # type: ignore[import-not-found]  # Python 3.12 and later
except ImportError:
    from hashlib import sha256

#: Hex digits of an id in a repository with SHA-256; any other length means SHA-1.
_LONG = 64


def blob_id(content: bytes, like: str) -> str:
    """Return git's id of a content, made by the function whose ids are as long as `like`."""
    function = sha256 if len(like) == _LONG else sha1
    return str(function(b"blob %d\0" % len(content) + content).hexdigest())
