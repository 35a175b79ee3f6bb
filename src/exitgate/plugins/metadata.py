"""
What installers wrote beside a distribution: its name and version, its entry points, the files it consists of.

Read here and not by `importlib.metadata`, which waits for pipes, reads files of any size, and raises for a
text that is not UTF-8: one folder of that kind would end every check. Formats: the core metadata, "Entry
points" and "Recording installed projects" of packaging.python.org.
"""

from __future__ import annotations

import os

from exitgate import opening
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "exitgate.extractors"
POINTS = "entry_points.txt"
#: Bytes of one of these files.
LIMIT = 8_000_000
#: Ending of a folder -> the file with the name and the version.
_HEADS = {".dist-info": "METADATA", ".egg-info": "PKG-INFO"}
_LETTERS = 100


class Metadata(Value):
    """
    One distribution that offers extractors, or may do so.

    Args:
        distribution, version: As it calls itself; by its folder where it does not say.
        points: Id of an extractor -> its module.
        files: Paths of its files as installed, with `/`; None where they are not listed.
        fault: What cannot be read, as a sentence part behind its name; empty where all can.
    """

    __slots__ = ("distribution", "fault", "files", "points", "version")

    def __init__(
        self,
        distribution: str,
        version: str,
        points: dict[str, str],
        files: tuple[str, ...] | None,
        fault: str = "",
    ) -> None:
        self.distribution = distribution
        self.version = version
        self.points = points
        self.files = files
        self.fault = fault


def key(name: str) -> str:
    """Return the name of a distribution as installers compare it: `Acme.Sonar` is `acme-sonar`."""
    return "-".join(part for part in name.lower().replace("_", "-").replace(".", "-").split("-") if part)


def found_in(place: str) -> Iterator[Metadata]:
    """Yield what the distributions in a folder of Python's path say, by name of their folders."""
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return
    for name in names:
        head = _HEADS.get(os.path.splitext(name)[1])
        folder = os.path.join(place, name)
        if head is not None and os.path.isdir(folder):
            one = _read(folder, head)
            if one is not None:
                yield one


def _read(folder: str, head: str) -> Metadata | None:
    """Return what a distribution says; None for one without extractors."""
    raw, fault = _content(folder, POINTS)
    if raw is None and not fault:
        return None
    points: dict[str, str] = {}
    if raw is not None:
        if GROUP.encode() not in raw:
            return None
        points, fault = _points(raw)
        if not points and not fault:
            return None
    name, version, wrong = _head(folder, head)
    files, unread = _files(folder)
    return Metadata(name, version, points, files, fault or wrong or unread)


def _content(folder: str, name: str) -> tuple[bytes | None, str]:
    """Return a file, and what is wrong with it; neither where there is none."""
    try:
        # a link may lead to it, as some installers make one; what is not a regular file is refused
        return opening.content(os.path.join(folder, name), LIMIT, links=True), ""
    except (FileNotFoundError, NotADirectoryError):
        return None, ""
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return None, f"cannot be used: its `{name}` cannot be read: {why[:1].lower()}{why[1:]}"


def _text(raw: bytes, name: str) -> tuple[str, str]:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return "", f"cannot be used: its `{name}` is not UTF-8"
    return (text, "") if "\0" not in text else ("", f"cannot be used: its `{name}` holds a NUL")


def _points(raw: bytes) -> tuple[dict[str, str], str]:
    """Return the entry points of our group, and what is wrong with them."""
    text, fault = _text(raw, POINTS)
    points: dict[str, str] = {}
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif line and line[0] not in "#;" and group == GROUP:
            id, equals, module = (part.strip() for part in line.partition("="))
            if not equals or not id:
                fault = fault or f"cannot be used: its `{POINTS}` has a line that is not an entry point"
            elif id in points:
                fault = fault or f"names the extractor `{id[:_LETTERS]}` twice"
            else:
                points[id] = module
    return points, fault


def _head(folder: str, head: str) -> tuple[str, str, str]:
    """Return name and version, and what is wrong with them."""
    name, _, version = os.path.splitext(os.path.basename(folder))[0].partition("-")
    raw, fault = _content(folder, head)
    if raw is None:
        return name, version, fault or f"cannot be used: it has no `{head}`"
    text, fault = _text(raw, head)
    if fault:
        return name, version, fault
    fields: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip():
            break  # the description follows
        field, colon, value = line.partition(":")
        if colon and field.lower() not in fields:
            fields[field.lower()] = value.strip()
    told = fields.get("name", "")
    if not _is_name(told):
        return name, version, f"cannot be used: its `{head}` has no name that installers take"
    return told, fields.get("version", version)[:_LETTERS], ""


def _is_name(name: str) -> bool:
    plain = name.replace("-", "a").replace("_", "a").replace(".", "a")
    return len(name) <= _LETTERS and plain.isascii() and plain.isalnum() and name[-1:].isalnum()


def _files(folder: str) -> tuple[tuple[str, ...] | None, str]:
    """Return the installed files, None where they are not listed, and what is wrong with the list."""
    raw, fault = _content(folder, "RECORD")
    if raw is None:
        return None, fault
    text, fault = _text(raw, "RECORD")
    import csv

    try:
        return tuple(row[0] for row in csv.reader(text.splitlines()) if row), fault
    except csv.Error as error:
        return None, f"cannot be used: its `RECORD` cannot be read: {error}"
