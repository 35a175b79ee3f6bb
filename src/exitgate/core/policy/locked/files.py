"""
Which files of a package or repository are taken, under which names, and the digest of all of them.

The digest is what `sha256sum` gives for the list that `sha256sum` prints of the files, in the order of their
names as bytes: it can be computed without exitgate.
"""

from __future__ import annotations

import unicodedata

from exitgate.core.system import portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


#: How many files are taken at most, how many bytes they have together and each, and how deep they lie.
COUNT, TOTAL, BYTES, DEPTH = 1000, 16 * 1024 * 1024, 4 * 1024 * 1024, 8
#: Characters of a name with its folders.
_LETTERS = 200
#: What names of files begin with that say under which terms the rest may be used.
_TERMS = ("LICENSE", "LICENCE", "COPYING", "NOTICE")
_YAML = (".yaml", ".yml")


class Refused(Exception):  # noqa: N818 - becomes a diagnostic
    """What was fetched, or is kept, is not used; the text says why, as a sentence part."""


def fault_of_name(name: str) -> str:
    """
    Return what is wrong with the name of a file, as a sentence part behind it; empty for nothing.

    A name that is right means one file, below the folder that it starts from, on every system.
    """
    parts = name.split("/")
    if not name or len(name) > _LETTERS or len(parts) > DEPTH:
        return f"has no character, more than {_LETTERS}, or more than {DEPTH} levels"
    if not name.isprintable() or any(one in name for one in '\\:*?"<>|'):
        return "has a character that not every system allows"
    if unicodedata.normalize("NFC", name) != name:
        return "has a letter that is written in two characters"
    for part in parts:
        if part in ("", ".", "..") or part.startswith(("-", "~", " ")) or part.endswith((".", " ")):
            return "is absolute, leads upwards, or has a part that is not the name of a file"
        if portable.is_device(part):
            return "is the name of a device"
    return ""


def is_taken(name: str) -> bool:
    """Return whether a file is taken: YAML and terms of use, nothing below a hidden folder."""
    parts = name.split("/")
    if any(part.startswith(".") for part in parts):
        return False
    return name.endswith(_YAML) or parts[-1].upper().startswith(_TERMS)


def check(sizes: Mapping[str, int]) -> None:
    """
    Check the names and sizes of the files that are taken.

    Raises:
        Refused: A name means another file elsewhere, or there is too much of something.
    """
    if len(sizes) > COUNT:
        raise Refused(f"it has more than {COUNT} files")
    if sum(sizes.values()) > TOTAL:
        raise Refused(f"its files have more than {TOTAL} bytes")
    for name, size in sizes.items():
        fault = fault_of_name(name)
        if fault:
            raise Refused(f"the name `{shown(name)}` {fault}")
        if size > BYTES:
            raise Refused(f"`{name}` has more than {BYTES} bytes")
    check_distinct(sizes)


def check_distinct(names: Iterable[str]) -> None:
    """
    Check that no two names are one where case does not count, and that no file is another's folder.

    Raises:
        Refused: There are two.
    """
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(_folded(name), name)
        if other is not name:
            raise Refused(f"`{shown(name)}` and `{shown(other)}` are one file where case does not count")
    for name in seen.values():
        parts = _folded(name).split("/")
        for count in range(1, len(parts)):
            if "/".join(parts[:count]) in seen:
                raise Refused(f"`{shown('/'.join(parts[:count]))}` is a file and a folder")


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the digest of files, 64 hex digits: SHA-256 over a line `SHA-256  NAME` for each."""
    from hashlib import sha256

    whole = sha256()
    for name in sorted(files, key=str.encode):
        whole.update(f"{sha256(files[name]).hexdigest()}  {name}\n".encode())
    return whole.hexdigest()


def shown(name: str) -> str:
    """Return a hostile name as a message may hold it."""
    text = name.encode("utf-8", "backslashreplace").decode()
    return ascii(text)[1:-1][:80]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())
