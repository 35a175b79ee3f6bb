"""A guess at the format of a file or folder that no reader fits, for the user who named it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.transcripts.look import Look

#: Keys or names that are shown of an object or folder.
_SHOWN = 6
_LONGEST = 40
#: First bytes -> what begins with them.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\x00", "xz-compressed data"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)
#: Shares of a text that are replaced or control characters beyond which it is not text.
_ODD = 0.1
_SAMPLE = 4_096


def looks_like(look: Look) -> str:
    """
    Return what a file or folder looks like, a noun phrase in lower case with the user's text in backticks.

    Never raises; time is linear in the head that the look holds.
    """
    if look.place.is_folder:
        return f"a folder with {_listed(look.names)}" if look.names else "an empty folder"
    head = look.head
    if not head.strip():
        return "an empty file" if not head else "a file of blanks"
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    if _is_binary(head):
        return "binary data"
    return _json(look) or _text(look.text)


def _is_binary(head: bytes) -> bool:
    if b"\x00" in head[:_SAMPLE]:
        return True
    text = head[:_SAMPLE].decode("utf-8", "replace")
    odd = sum(c == "�" or (c < " " and c not in "\t\r\n\x0c\x1b\x08\x07") for c in text[:-1])
    return odd > _ODD * len(text)


def _json(look: Look) -> str | None:
    lines = look.events
    if len(lines) > 1 or (lines and not look.whole):
        return f"JSON lines whose first object has {_keys(lines[0])}"
    value = look.value
    if isinstance(value, dict):
        return f"a JSON object with {_keys(value)}"
    if isinstance(value, list):
        first = value[0] if value else None
        if isinstance(first, dict):
            return f"a JSON list whose first object has {_keys(first)}"
        return "a JSON list" if value else "an empty JSON list"
    return f"text with JSON lines whose first object has {_keys(lines[0])}" if lines else None


def _text(text: str) -> str:
    begin = text.lstrip()
    first = begin.split("\n", 1)[0].rstrip()
    if begin.startswith("<?xml"):
        return "XML"
    if first[:9].lower() == "<!doctype" or first[:5].lower() == "<html":
        return "HTML"
    if first == "---":
        return "YAML or Markdown with front matter"
    if first.startswith("#!"):
        return "a script"
    if any(line.startswith(("# ", "## ", "### ", "- [")) for line in begin.split("\n", 200)[:200]):
        return "Markdown"
    return f"text that begins with `{_short(first)}`"


def _keys(value: Mapping[str, object]) -> str:
    if not value:
        return "no keys"
    return ("the key " if len(value) == 1 else "the keys ") + _listed(tuple(value))


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(f"`{_short(name)}`" for name in names[:_SHOWN])
    more = len(names) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
