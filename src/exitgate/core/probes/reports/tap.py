"""
The Test Anything Protocol, versions 12 to 14.

A planned test that does not appear has failed, and so has a run that bails out. Tests within tests, which are
indented, count by the test that holds them.
"""

from __future__ import annotations

from tap.line import Bail, Plan, Result
from tap.parser import Parser

from exitgate.core.probes.figures import Figures, ReportError, text_of

NAME = "tap"
#: Tests that a plan may promise.
LARGEST = 10**7
#: Characters of a line that are read.
LINE = 10_000
#: Failures whose line is kept.
SHOWN = 20


def parse(data: bytes) -> Figures:
    """Return total, failed, skipped and failing of a report. Raises `ReportError`."""
    parser, planned = Parser(), None
    total = skipped = failed = 0
    failing: list[str] = []
    lines: list[tuple[int, str]] = []
    bailed = False
    for at, text in enumerate(text_of(data).splitlines(), 1):
        try:
            found = parser.parse_line(text[:LINE].rstrip())
        except ValueError as error:
            raise ReportError(f"line {at} holds a number that is too large") from error
        if isinstance(found, Plan):
            planned = found.expected_tests
            if planned > LARGEST:
                raise ReportError(f"line {at} plans {planned} tests")
        elif isinstance(found, Bail):
            bailed = True
            failing.append(f"bailed out: {found.reason}")
            lines.append((at, text))
        elif isinstance(found, Result):
            total += 1
            if found.skip:
                skipped += 1
            elif not found.ok and not found.todo:
                failed += 1
                failing.append(found.description.removeprefix("- ") or f"test {found.number or total}")
                lines.append((at, text))
    if planned is None and not total and not bailed:
        raise ReportError("it has no plan and no test")
    missing = max(0, (planned or 0) - total)
    if missing:
        failing.append(f"{missing} of {planned} planned tests did not run")
    return Figures(
        total=total + missing,
        failed=failed + missing + bailed,
        skipped=skipped,
        failing=tuple(failing),
        lines=tuple(lines[:SHOWN]),
    )
