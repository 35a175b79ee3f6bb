"""
The Test Anything Protocol, versions 12 to 14.

A planned test that does not appear has failed, and so has a run that bails out. Tests within tests, which are
indented, count by the test that holds them. A report without a plan may have broken off, and one that has a
second plan, a test twice, or more tests than it plans contradicts itself: neither says anything.
"""

from __future__ import annotations

import re

from exitgate.core.probes.figures import NEVER, Figures, ReportError, lines_of

NAME = "tap"
#: Tests that a report may have.
LARGEST = 10**6
#: Characters of a line that are read.
LINE = 10_000
#: Failures whose line is kept.
SHOWN = 20
_DIGITS = 9
_PLAN = re.compile(r"1\.\.([0-9]+)\s*(?:#.*)?")
_RESULT = re.compile(r"(not +)?ok\b[ \t]*([0-9]*)(.*)")
#: What makes a result one that does not count; a `#` behind a backslash is part of the description.
_DIRECTIVE = re.compile(r"(?<!\\)(?:\\\\)*#\s*(skip|todo\b)", re.IGNORECASE)
_BAIL = "bail out!"
#: Blanks before a test within another test, and the lines around what a test adds about itself.
_INDENT, _OPENS, _CLOSES = "    ", "---", "..."


def parse(data: bytes, until: float = NEVER) -> Figures:
    """Return total, failed, skipped and failing of a report. Raises `ReportError`."""
    found = _Read()
    for at, text in lines_of(data, until):
        found.take(at, text[:LINE].rstrip())
    return found.figures()


class _Read:
    """What was read so far."""

    def __init__(self) -> None:
        self._planned: int | None = None
        self._total = self._failed = self._skipped = self._highest = 0
        self._seen = bytearray(LARGEST + 1)
        self._failing: list[str] = []
        self._lines: list[tuple[int, str]] = []
        self._bailed = False
        self._within = 0  # the line of a test within the next test, which failed
        self._adds = False

    def take(self, at: int, text: str) -> None:
        """Read a line. Raises `ReportError`."""
        inner = text.lstrip()
        if inner[: len(_BAIL)].lower() == _BAIL:
            self._bailed = True
            self._fails(at, text, f"bailed out: {inner[len(_BAIL) :].strip()}")
        elif inner != text:
            self._take_inner(at, text, inner)
        elif plan := _PLAN.fullmatch(text):
            self._plan(at, plan[1])
        elif result := _RESULT.match(text):
            self._result(at, text, result)

    def _take_inner(self, at: int, text: str, inner: str) -> None:
        if self._adds or inner == _OPENS:
            self._adds = inner != _CLOSES
        elif text.startswith(_INDENT):
            result = _RESULT.match(inner)
            if result and result[1] and not _DIRECTIVE.search(result[3]):
                self._within = at

    def _plan(self, at: int, digits: str) -> None:
        if self._planned is not None:
            raise ReportError(f"line {at} is a second plan")
        if len(digits) > _DIGITS or int(digits) > LARGEST:
            raise ReportError(f"line {at} plans more than {LARGEST} tests")
        self._planned = int(digits)

    def _result(self, at: int, text: str, result: re.Match[str]) -> None:
        has_failed, digits, rest = result.groups()
        self._adds = False
        self._total += 1
        number = int(digits) if digits and len(digits) <= _DIGITS else self._total
        if not 0 < number <= LARGEST or len(digits) > _DIGITS:
            raise ReportError(f"line {at} has a test of a number that is not from 1 to {LARGEST}")
        if self._seen[number]:
            raise ReportError(f"line {at} has test {number} once more")
        self._seen[number] = 1
        self._highest = max(self._highest, number)
        within, self._within = self._within, 0
        directive = _DIRECTIVE.search(rest)
        kind = directive[1].lower() if directive else ""
        if kind == "todo" and has_failed:
            self._skipped += 1
        elif has_failed:
            self._failed += 1
            self._fails(at, text, rest.strip().removeprefix("- ") or f"test {number}")
        elif within and not kind:
            raise ReportError(f"line {at} says ok, but within that test line {within} does not")
        elif kind == "skip":
            self._skipped += 1

    def _fails(self, at: int, text: str, name: str) -> None:
        if len(self._failing) < SHOWN:
            self._lines.append((at, text))
        self._failing.append(name)

    def figures(self) -> Figures:
        """Return what the report says. Raises `ReportError`."""
        if self._planned is None and not self._bailed:
            raise ReportError(
                "it has no plan, so it may have broken off" if self._total else "it has no plan"
            )
        planned = self._total if self._planned is None else self._planned
        if self._planned is not None and self._highest > planned:
            raise ReportError(f"it plans {planned} tests and has test {self._highest}")
        missing = planned - self._total
        if missing:
            self._failing.append(f"{missing} of {planned} planned tests did not run")
        return Figures(
            total=self._total + missing + self._bailed,
            failed=self._failed + missing + self._bailed,
            skipped=self._skipped,
            failing=tuple(self._failing),
            lines=tuple(self._lines),
        )
