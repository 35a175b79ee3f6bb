"""What is said about files that were not read: no reader fits, they cannot be opened, there are none."""

from __future__ import annotations

import errno
import os

from exitgate.core.model.decision import BAD_POLICY, CANNOT_READ, NOTHING_TO_DECIDE, USAGE
from exitgate.core.model.diagnostic import WARNING, Diagnostic, ExitgateError
from exitgate.core.model.display import counted
from exitgate.core.model.spelling import nearest
from exitgate.recordings import registry
from exitgate.recordings.probe import probe_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.recordings.discovery import Found
    from exitgate.recordings.location import Location
    from exitgate.recordings.probe import Probe


CODES = {
    "EP850": "no reader recognises the format of a named file",
    "EP851": "a file or folder cannot be read",
    "EP852": "no such reader",
    "EP853": "nothing that a reader recognises",
    "EP854": "a reader from another package cannot be used",
    "EP855": "a part of a transcript could not be read; the rest was",
}
#: Ends of names of files that a run is rather in, and bytes of one that is worth a word.
_TOLD = (".log", ".txt", ".out", ".jsonl", ".ndjson", ".console", ".ansi", ".stdout")
_SIZE = 400
#: What the operating system says of a path at which there is nothing.
_GONE = f": {os.strerror(errno.ENOENT)}"
#: Paths of files that look like a loop's that are named.
_NAMED = 3


class Unread:
    """
    What was found and not read, added up while the rest continues.

    `unknown` are the diagnostics of files that the user named and no reader fits, `failed` of those that
    cannot be opened, `passed_over` the paths in folders that no reader takes.
    """

    __slots__ = ("_largest", "failed", "passed_over", "unknown")

    def __init__(self) -> None:
        self.unknown: list[Diagnostic] = []
        self.failed: list[Diagnostic] = []
        self.passed_over: list[str] = []
        self._largest: tuple[bool, int, Location] | None = None

    def add(self, found: Found) -> None:
        """Note something that `discover` found and that has no reader."""
        if found.trouble:
            self.failed.append(unreadable(found.place.path, found.trouble))
        elif found.named and not found.place.is_folder:
            self.unknown.append(unknown_format(found, help=not self.unknown))
        else:
            self.passed_over.append(found.place.path)
            self._weigh(found.place)

    def _weigh(self, place: Location) -> None:
        """Keep a file that no reader takes where it is the largest so far; logs and notes before all else."""
        size = 0 if place.is_folder else place.size() or 0
        told = place.name.lower().endswith(_TOLD)
        if size >= _SIZE and (self._largest is None or (told, size) > self._largest[:2]):
            self._largest = (told, size, place)

    def largest(self) -> str:
        """Return a clause on the largest of the files that were passed over, which may hold a whole run."""
        if self._largest is None:
            return ""
        _, size, place = self._largest
        try:
            shape = guess_format(probe_of(place))
        except OSError:
            return ""
        one = "it" if len(self.passed_over) == 1 else "the largest"
        return f"{one}, `{place.path}` ({counted(size, 'byte')}), looks like {shape}"

    def of_loops(self) -> str:
        """Return a clause on the files that look like a loop's by their names, but the largest."""
        from exitgate.recordings.formats.loops.file_names import is_of_loop

        but = "" if self._largest is None else self._largest[2].path
        found = [path for path in self.passed_over[:_SIZE] if path != but and is_of_loop(path)]
        if not found:
            return ""
        shown = ", ".join(f"`{path}`" for path in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        return f"; {'a name' if len(found) == 1 else 'names'} as loops give them: {shown}{more}"

    def fail(self, path: str, error: OSError) -> None:
        """Note a file that could be found and not be read to its end."""
        self.failed.append(unreadable(path, error.strerror or str(error) or type(error).__name__))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Those of both kinds, the formats first."""
        return (*self.unknown, *self.failed)

    @property
    def code(self) -> int:
        """The exit code that they ask for: 74, or 66 where nothing of the kind is there; 65 or 0."""
        if self.failed:
            gone = all(one.message.endswith(_GONE) for one in self.failed)
            return NOTHING_TO_DECIDE if gone else CANNOT_READ
        return BAD_POLICY if self.unknown else 0

    def line(self) -> str:
        """Return one line on the files that were passed over, or the empty text."""
        count = len(self.passed_over)
        if not count:
            return ""
        what = "1 other file is" if count == 1 else f"{count} other files are"
        largest = self.largest()
        return f"{what} in a format that no reader recognises" + (f"; {largest}" if largest else "")


def unknown_format(found: Found, *, help: bool = True) -> Diagnostic:
    """
    Return the diagnostic for a file that the user named and that no reader fits; opens it once more.

    `help` says whether it lists the readers: once is enough.
    """
    path = found.place.path
    try:
        shape = guess_format(probe_of(found.place))
    except OSError as error:
        return unreadable(path, error.strerror or str(error))
    return Diagnostic(
        "EP850",
        f"no reader recognises the format of `{path}`: it looks like {shape}",
        help=_readers() if help else "",
    )


def unreadable(path: str, why: str) -> Diagnostic:
    """Return the diagnostic for a file or folder that cannot be opened; the operating system says `why`."""
    return Diagnostic("EP851", f"cannot read `{path}`: {why}")


def known_reader(id: str | None) -> str | None:
    """Return `id`, or None for None. Raises `ExitgateError` (64) when no reader has it."""
    if id is None or id in registry.names():
        return id
    near = nearest(id, registry.names())
    help = f"did you mean `{near}`?" if near else _readers()
    raise ExitgateError([Diagnostic("EP852", f"no reader `{id}`", help=help)], USAGE)


def nothing_read(paths: Sequence[str], unread: Unread) -> ExitgateError:
    """
    Return the error where `paths` lead to nothing that was read.

    74 or 65 where `unread` says why, else 66.
    """
    if unread.diagnostics:
        return ExitgateError(unread.diagnostics, unread.code)
    shown = ", ".join(f"`{path}`" for path in paths[:3]) + (", …" if len(paths) > 3 else "")
    count = len(unread.passed_over)
    why = (
        f"{count} file{'' if count == 1 else 's'}, none in a format that a reader recognises"
        if count
        else "empty"
    )
    largest = unread.largest()
    message = f"no recorded runs in {shown}: {why}" + (f"; {largest}" if largest else "") + unread.of_loops()
    return ExitgateError([Diagnostic("EP853", message, help=_readers())], NOTHING_TO_DECIDE)


def reader_warnings(problems: Iterable[object], limit: int = 5) -> tuple[Diagnostic, ...]:
    """Return warnings for what readers could not make sense of, the first `limit` one by one."""
    lines = [str(problem) for problem in problems]
    found = [Diagnostic("EP855", line, severity=WARNING) for line in lines[:limit]]
    if len(lines) > limit:
        more = counted(len(lines) - limit, "more problem like these", "more problems like these")
        found.append(Diagnostic("EP855", more, severity=WARNING, help="see `exitgate transcripts PATH`"))
    return tuple(found)


def _readers() -> str:
    return "readers: " + ", ".join(registry.names()) + "; use `--reader ID` to choose one"


# A guess at the format of a file or folder that no reader fits, for the user who named it.

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


def guess_format(look: Probe) -> str:
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


def _json(look: Probe) -> str | None:
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
