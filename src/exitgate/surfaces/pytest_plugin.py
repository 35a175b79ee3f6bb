"""
Runs policy tests under pytest: a `tests.yaml` beside a `policy.yaml`, or one that names its policy.

Every case is a test, and so is every invariant of the policy, which is compared with every input.
The heavy parts are imported when the first such file is found: pytest loads this in every project.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.system import portable
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.terminal import Style

if TYPE_CHECKING:
    from pathlib import Path

    from _pytest._code.code import TerminalRepr, TracebackStyle

    from exitgate.testing.cases.case import Case, Suite

FILE = "tests.yaml"
POLICY = "policy.yaml"


class PolicyTestError(Exception):
    """A case or invariant that failed, or a tests.yaml that cannot be used; the text is for people."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PolicyFile | None:
    """Collect a `tests.yaml` that is beside a `policy.yaml`, or that names its policy."""
    if file_path.name != FILE:
        return None
    if not (file_path.parent / POLICY).is_file():
        from exitgate.testing.cases.discover import names_its_policy

        if not names_its_policy(str(file_path)):
            return None
    return PolicyFile.from_parent(parent, path=file_path)


class PolicyFile(pytest.File):
    """One tests.yaml."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each case and for each invariant of the policy."""
        from exitgate.testing.cases.load import load_file

        shown = portable.relative(str(self.path), str(self.config.rootpath))
        try:
            suite = load_file(str(self.path), shown)
        except ExitgateError as error:
            raise self.CollectError(diagnostics_text(error.diagnostics, Style())) from None
        for case in suite.cases:
            yield CaseItem.from_parent(self, name=_plain(case.name), suite=suite, case=case)
        for number, invariant in enumerate(suite.policy.invariants):
            yield InvariantItem.from_parent(
                self, name=f"invariant {invariant.id}", suite=suite, number=number
            )


class _Item(pytest.Item):
    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        """Return the failure as it is meant to be read; a crash as pytest shows it."""
        if isinstance(excinfo.value, PolicyTestError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class CaseItem(_Item):
    """One case."""

    def __init__(self, *, suite: Suite, case: Case, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self._suite = suite
        self._case = case

    def runtest(self) -> None:
        """Run the case. Raises `PolicyTestError` where an expectation is not met."""
        from exitgate.testing.runner import failure_text, run_case

        result = run_case(self._case, self._suite.program(self._case))
        if result.failures:
            raise PolicyTestError(failure_text(result))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the case is written."""
        return self.path, self._case.place.line - 1, self.name


class InvariantItem(_Item):
    """One invariant of the policy."""

    def __init__(self, *, suite: Suite, number: int, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self._suite = suite
        self._number = number

    def runtest(self) -> None:
        """Walk the invariant's points. Raises `PolicyTestError` where it is broken or promises nothing."""
        from exitgate.testing.counterexample import as_text
        from exitgate.testing.invariants import check_invariant

        policy = self._suite.policy
        sampled = check_invariant(policy.invariants[self._number], self._suite.unset)
        if sampled.is_wrong:
            raise PolicyTestError(as_text(sampled, policy))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the policy promises it."""
        place = self._suite.policy.invariants[self._number].place
        return self.path.with_name(POLICY), (place.line if place is not None else 1) - 1, self.name


def _plain(name: str) -> str:
    """Return a name that pytest's own separators do not cut."""
    return name.replace("::", ":").replace("\n", " ")
