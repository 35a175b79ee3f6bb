"""What is said about files that were not read: no reader fits, they cannot be opened, there are none."""

from __future__ import annotations

import errno
import os

from exitgate.model.counted import counted
from exitgate.model.diagnostic import WARNING, Diagnostic, ExitgateError
from exitgate.model.spelling import nearest
from exitgate.model.verdict import BAD_POLICY, CANNOT_READ, NOTHING_TO_DECIDE, USAGE
from exitgate.transcripts import registry
from exitgate.transcripts.look import look_at
from exitgate.transcripts.looks import looks_like

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.transcripts.discover import Found
    from exitgate.transcripts.place import Place

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
        self._largest: tuple[bool, int, Place] | None = None

    def add(self, found: Found) -> None:
        """Note something that `discover` found and that has no reader."""
        if found.trouble:
            self.failed.append(unreadable(found.place.path, found.trouble))
        elif found.named and not found.place.is_folder:
            self.unknown.append(unknown_format(found, help=not self.unknown))
        else:
            self.passed_over.append(found.place.path)
            self._weigh(found.place)

    def _weigh(self, place: Place) -> None:
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
            shape = looks_like(look_at(place))
        except OSError:
            return ""
        one = "it" if len(self.passed_over) == 1 else "the largest"
        return f"{one}, `{place.path}` ({counted(size, 'byte')}), looks like {shape}"

    def of_loops(self) -> str:
        """Return a clause on the files that look like a loop's by their names, but the largest."""
        from exitgate.transcripts.loops.patterns import is_of_loop

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
        shape = looks_like(look_at(found.place))
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


def nothing(paths: Sequence[str], unread: Unread) -> ExitgateError:
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


def told(problems: Iterable[object], limit: int = 5) -> tuple[Diagnostic, ...]:
    """Return warnings for what readers could not make sense of, the first `limit` one by one."""
    lines = [str(problem) for problem in problems]
    found = [Diagnostic("EP855", line, severity=WARNING) for line in lines[:limit]]
    if len(lines) > limit:
        more = counted(len(lines) - limit, "more problem like these", "more problems like these")
        found.append(Diagnostic("EP855", more, severity=WARNING, help="see `exitgate transcripts PATH`"))
    return tuple(found)


def _readers() -> str:
    return "readers: " + ", ".join(registry.names()) + "; use `--reader ID` to choose one"
