"""
BLAKE2b without `hashlib`, whose import loads OpenSSL and costs a check a quarter of Python's own start.

Both give the same digests; Python builds `_blake2` unless it was compiled without it.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - a Python built without it
    from hashlib import blake2b

__all__ = ["blake2b", "digest_of_plain", "hex_digest"]

#: Bytes of a digest; twice as many hex digits.
SIZE = 16


def hex_digest(content: bytes | memoryview) -> str:
    """Return the hex BLAKE2b of `content`, 32 digits."""
    return blake2b(content, digest_size=SIZE).hexdigest()


def digest_of_plain(value: object) -> str:
    """Return the digest of a JSON value, no matter in which order its objects have their members."""
    from exitgate.core.system.quick_json import dumps_sorted

    return hex_digest(dumps_sorted(value).encode("ascii"))
