"""What a tool's own report says of its results."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Names of failures that are kept; more are counted only.
NAMES = 100
#: Characters of a name.
NAME_LENGTH = 200


class ReportError(Exception):
    """A report cannot be read; the text says why, as a sentence part."""


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


def text_of(data: bytes) -> str:
    """Return the text of a report: UTF-8, or UTF-16 with its mark; what is neither is replaced."""
    for mark, name in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if data.startswith(mark):
            return data.decode(name, "replace")
    return data.decode("utf-8", "replace")


def share(part: float, whole: float) -> float | None:
    """Return a share in percent; None of nothing, or where it is not from 0 to 100."""
    if not whole > 0 or not 0 <= part <= whole:
        return None
    return 100 * part / whole
