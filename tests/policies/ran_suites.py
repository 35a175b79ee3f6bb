"""The cases of every shipped policy, run once in a session and watched for what they show."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from exitgate.model.coverage import Coverage
from exitgate.policy.shipped import path
from exitgate.testing.case import Result
from exitgate.testing.coverage import Watcher
from exitgate.testing.load import load_file
from exitgate.testing.run import run_case
from exitgate.testing.suite import Suite


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
            run_case(case, found.program(case), lambda view, case=case: watcher.watch(found, case, view))
        )
    (coverage,) = watcher.coverages()
    return tuple(results), coverage
