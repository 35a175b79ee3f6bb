"""A problem in something the user wrote."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


ERROR, WARNING, NOTE = "error", "warning", "note"


class Diagnostic(Value):
    """
    One problem, described so that its reader can fix it.

    Messages: lower case, no full stop, user text in backticks. Code families: EP1xx YAML, EP2xx
    schema, EP3xx syntax of conditions, EP4xx types and names, EP5xx lint, EP6xx analysis,
    EP7xx run time, EP8xx usage, input and output.

    Args:
        code: Stable id, for example ``EP403``.
        message: What is wrong.
        place: Where, or None when no file is concerned.
        help: What to do about it, one line, or the empty text.
        severity: `ERROR`, `WARNING` or `NOTE`.
        source: The line of the file the place points at, without its line end, or the empty text.
        related: Further places with a word on each.
    """

    __slots__ = ("code", "help", "message", "place", "related", "severity", "source")

    def __init__(
        self,
        code: str,
        message: str,
        place: Location | None = None,
        help: str = "",
        severity: str = ERROR,
        source: str = "",
        related: tuple[tuple[str, Location], ...] = (),
    ) -> None:
        self.code = code
        self.message = message
        self.place = place
        self.help = help
        self.severity = severity
        self.source = source
        self.related = related


class ExitgateError(Exception):
    """
    Something the user wrote or named cannot be used; carries every diagnostic found.

    `exit_code` is the code of the process: 64 usage, 65 policy, config or input,
    66 nothing to decide on, 73 and 74 cannot write or read, 75 locked.
    """

    exit_code = 65

    def __init__(self, diagnostics: Iterable[Diagnostic], exit_code: int | None = None) -> None:
        self.diagnostics = tuple(diagnostics)
        if exit_code is not None:
            self.exit_code = exit_code
        super().__init__("; ".join(_line(one) for one in self.diagnostics))


def _line(one: Diagnostic) -> str:
    """Return what a traceback shows of a diagnostic: place, code, message, help."""
    place = "" if one.place is None else f"{one.place}: "
    return f"{place}{one.code} {one.message}{f' ({one.help})' if one.help else ''}"


# Where in a file the user wrote something.


class Location(Value):
    """
    A stretch of a file: 1-based lines and columns in characters, the end exclusive.

    `file` is the path as the user would write it, or a name in angle brackets
    (``<command line>``).
    """

    __slots__ = ("column", "end_column", "end_line", "file", "line")

    def __init__(
        self, file: str, line: int = 1, column: int = 1, end_line: int = 0, end_column: int = 0
    ) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.end_line = end_line or line
        self.end_column = end_column or column + 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def to_json(self) -> list[object]:
        """Return the five slots in reading order."""
        return [self.file, self.line, self.column, self.end_line, self.end_column]

    @staticmethod
    def from_json(plain: list[object]) -> Location:
        """Return the place that `to_json` wrote."""
        file, line, column, end_line, end_column = plain
        return Location(str(file), int(str(line)), int(str(column)), int(str(end_line)), int(str(end_column)))
