"""The cases of every shipped policy, run once in a session and watched for what they show."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from unittest.mock import patch

from exitgate.analysis.results.coverage import Coverage
from exitgate.core.engine.program import Program
from exitgate.core.policy.shipped import path, policies
from exitgate.testing import runner
from exitgate.testing.cases.case import Case, Result, Suite
from exitgate.testing.cases.load import load_file
from exitgate.testing.compare import View
from exitgate.testing.coverage import Watcher

#: Policies with rules of their own; those of `verified` are there with a probe to pass, and its cases in
#: `examples/verified`.
DECIDING = tuple(name for name in policies() if name != "verified")


def run_by_one(case: Case, program: Program, watch: Callable[[View], None] | None = None) -> Result:
    """Return the result of a case by the engine alone; `test_tests_yaml.py` asks both evaluators."""
    with patch.object(runner, "ask_second_opinion"):
        return runner.run_case(case, program, watch)


@cache
def suite(name: str) -> Suite:
    return load_file(str(Path(path(name)).with_name("tests.yaml")), f"policies/{name}/tests.yaml")


@cache
def ran(name: str) -> tuple[tuple[Result, ...], Coverage]:
    """Return the result of each case of a shipped policy, and what they show of it together."""
    watcher = Watcher()
    found = suite(name)
    results = []
    for case in found.cases:
        results.append(
            run_by_one(case, found.program(case), lambda view, case=case: watcher.watch(found, case, view))
        )
    (coverage,) = watcher.coverages()
    return tuple(results), coverage
