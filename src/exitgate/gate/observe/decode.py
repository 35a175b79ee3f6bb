"""Bytes to text, keeping what can be kept and saying what could not."""

from __future__ import annotations

_UTF_8_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """
    Return the text of a file and remarks on reading it.

    UTF-8, with or without a byte order mark, or UTF-16 with one. Bytes that are neither become the
    replacement character, one for each maximal wrong stretch, and are remarked on. Never raises.
    """
    warnings: list[str] = []
    if raw.startswith(_UTF_16_MARKS):
        text = raw.decode("utf-16", "replace")
        warnings.append("read as UTF-16")
    else:
        body = raw[len(_UTF_8_MARK) :] if raw.startswith(_UTF_8_MARK) else raw
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            text = body.decode("utf-8", "replace")
            wrong = len(body) - len(body.decode("utf-8", "ignore").encode("utf-8"))
            warnings.append(_plural(wrong, "byte was", "bytes were") + " not UTF-8")
    nulls = text.count("\0")
    if nulls:
        warnings.append("holds " + _plural(nulls, "NUL character", "NUL characters"))
    return text, tuple(warnings)


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
