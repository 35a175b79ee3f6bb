"""Diagnostics on their way: all findings are gathered and reported at once."""

from __future__ import annotations

from exitgate.core.model.decision import BAD_POLICY, CANNOT_READ, NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import ERROR, NOTE, WARNING, Diagnostic, ExitgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.yaml.lines import Lines


_YAML = "EP1"


#: There is no policy of the name or path that was given.
NO_POLICY, UNREADABLE = "EP810", "EP811"


class Findings:
    """
    Gathers diagnostics while a policy is read and compiled.

    It knows the text of every file read, so that each diagnostic carries its source line; except of files
    that are not ours: a link or a path can lead to any file, and its content is private.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, Location | None], Diagnostic] = {}
        self._errors = 0
        self._told = 0
        self._yaml_trouble: set[Location] = set()
        self._files: dict[str, Lines] = {}
        self._moot: set[str] = set()
        self._follow: set[tuple[str, Location]] = set()

    def leave_out(self, codes: Iterable[str]) -> None:
        """Add nothing of these codes from now on: what they are about cannot be judged."""
        self._moot.update(codes)

    def follows(self, code: str, place: Location) -> None:
        """Add nothing of a code at a place from now on: there it would only follow from other trouble."""
        self._follow.add((code, place))

    def know(self, lines: Lines) -> None:
        """Remember the text of a file for the source lines of later diagnostics."""
        self._files[lines.file] = lines

    def error(
        self,
        code: str,
        message: str,
        place: Location | None,
        help: str = "",
        related: tuple[tuple[str, Location], ...] = (),
    ) -> None:
        """
        Add an error. Nothing is added twice, and nothing at a place that YAML itself gives trouble at:
        what is missing or of a wrong type there only follows.
        """
        self._told += 1
        if place is not None and code.startswith(_YAML):
            self._yaml_trouble.add(place)
        elif place in self._yaml_trouble:
            return
        self._add(Diagnostic(code, message, place, help, ERROR, self._line(place), related))

    def warning(self, code: str, message: str, place: Location | None, help: str = "") -> None:
        """Add a warning: the policy can be used."""
        self._told += 1
        self._add(Diagnostic(code, message, place, help, WARNING, self._line(place)))

    def note(self, code: str, message: str, place: Location | None, help: str = "") -> None:
        """Add a note: nothing is wrong, and a reader may wonder."""
        self._told += 1
        self._add(Diagnostic(code, message, place, help, NOTE, self._line(place)))

    def take(self, found: Diagnostic, help: str, quoted: bool = True) -> None:
        """Add what was found elsewhere, with another help line; without its source line if not `quoted`."""
        self._told += 1
        if found.place is not None and found.severity == ERROR and found.code.startswith(_YAML):
            self._yaml_trouble.add(found.place)
        self._add(
            Diagnostic(
                found.code,
                found.message,
                found.place,
                help,
                found.severity,
                found.source if quoted else "",
                found.related,
            )
        )

    def _line(self, place: Location | None) -> str:
        lines = self._files.get(place.file) if place is not None else None
        if lines is None or place is None or not lines.may_be_quoted:
            return ""
        return lines.line(place.line)

    def _add(self, diagnostic: Diagnostic) -> None:
        place = diagnostic.place
        if diagnostic.code in self._moot or (place is not None and (diagnostic.code, place) in self._follow):
            return
        same = (diagnostic.code, diagnostic.message, place)
        self._errors += same not in self._found and diagnostic.severity == ERROR
        self._found[same] = diagnostic  # told again, it is told with more knowledge: of facts and their types

    def errors(self) -> int:
        """Return how many errors there are."""
        return self._errors

    def told(self) -> int:
        """Return how many findings there were, shown or not, including mere consequences of others."""
        return self._told

    def sorted(self) -> tuple[Diagnostic, ...]:
        """Return all diagnostics, file by file in the order they were read, from top to bottom."""
        files = {file: number for number, file in enumerate(self._files)}

        def key(diagnostic: Diagnostic) -> tuple[int, int, int, str]:
            place = diagnostic.place
            if place is None:
                return (-1, 0, 0, diagnostic.code)
            return (files.get(place.file, len(files)), place.line, place.column, diagnostic.code)

        return tuple(sorted(self._found.values(), key=key))

    def raise_errors(self) -> None:
        """
        Stop here when there are errors.

        Raises:
            ExitgateError: With every diagnostic, warnings included; exit code 65; where all that is wrong
                is that a file named on the command line does not exist 66, or that one cannot be read 74.
        """
        if self.errors():
            codes = self._codes()
            raise ExitgateError(self.sorted(), max(codes) if all(codes) else BAD_POLICY)

    def _codes(self) -> list[int]:
        """Return the exit code of each error that has one of its own, else 0."""
        own = {NO_POLICY: NOTHING_TO_DECIDE, UNREADABLE: CANNOT_READ}
        errors = [one for one in self._found.values() if one.severity == ERROR]
        return [
            0 if one.code == NO_POLICY and one.place is not None else own.get(one.code, 0) for one in errors
        ]
