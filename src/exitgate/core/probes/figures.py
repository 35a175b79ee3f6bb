"""What a tool's own report says of its results."""

from __future__ import annotations

import io
import time

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Names of failures that are kept; more are counted only.
NAMES = 100
#: Characters of a name.
NAME_LENGTH = 200
#: An instant of `time.monotonic` that does not come.
NEVER = float("inf")
#: Lines after which the clock is looked at.
_LINES = 4096


class ReportError(Exception):
    """A report cannot be read, or contradicts itself; the text says why, as a sentence part."""


class LateReportError(ReportError):
    """The time in which a report can be read is up."""


class Figures(Value):
    """
    What a report says; None where it does not speak of it.

    Args:
        total: Results it lists, those that were skipped included.
        failed: How many failed; errors are failures.
        skipped: How many were not run.
        failing: Names of those that failed, at most `NAMES`, in the order of the report.
        coverage: Share of the lines that were run, in percent.
        value: The whole of a JSON document.
        lines: Where the first failures are, if a line says it: its number from 1, and what is there.
    """

    __slots__ = ("coverage", "failed", "failing", "lines", "skipped", "total", "value")

    def __init__(
        self,
        total: int | None = None,
        failed: int | None = None,
        skipped: int | None = None,
        failing: tuple[str, ...] = (),
        coverage: float | None = None,
        value: object = None,
        lines: tuple[tuple[int, str], ...] = (),
    ) -> None:
        self.total = total
        self.failed = failed
        self.skipped = skipped
        self.failing = tuple(name[:NAME_LENGTH] for name in failing[:NAMES])
        self.coverage = coverage
        self.value = value
        self.lines = lines

    def but_masked(self, mask: Callable[[str], str]) -> Figures:
        """Return them with secrets hidden in names; the document itself and lines are left out."""
        failing = tuple(mask(name) for name in self.failing)
        return Figures(self.total, self.failed, self.skipped, failing, self.coverage)


def check_time(until: float) -> None:
    """Raise `LateReportError` once the instant `until` of `time.monotonic` is over."""
    if time.monotonic() > until:
        raise LateReportError("there was no time left to read all of it")


def text_of(data: bytes) -> str:
    """Return the text of a report: UTF-8, or UTF-16 with its mark; what is neither is replaced."""
    return data.decode(_encoding(data), "replace")


def lines_of(data: bytes, until: float) -> Iterator[tuple[int, str]]:
    """
    Yield the lines of a report with their numbers from 1; text as `text_of` has it.

    Only a line feed ends a line: other separators can be part of a name.

    Raises:
        LateReportError: Behind the instant `until` of `time.monotonic`.
    """
    stream = io.TextIOWrapper(io.BytesIO(data), _encoding(data), "replace", newline="\n")
    for number, line in enumerate(stream, 1):
        if not number % _LINES:
            check_time(until)
        yield number, line.rstrip("\r\n")


def _encoding(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return "utf-8-sig"


def share(part: float, whole: float) -> float | None:
    """Return a share in percent; None of nothing, or where it is not from 0 to 100."""
    if not whole > 0 or not 0 <= part <= whole:
        return None
    return 100 * part / whole
