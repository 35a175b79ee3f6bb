"""A problem in something the user wrote."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.model.place import Place

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
        place: Place | None = None,
        help: str = "",
        severity: str = ERROR,
        source: str = "",
        related: tuple[tuple[str, Place], ...] = (),
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
