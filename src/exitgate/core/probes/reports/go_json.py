"""
Events of `go test -json`, an object on each line.

A test is named by its package and name; of one whose subtest failed only that is named. A package that fails
without a failing test, as one that does not compile, is a failure itself. What has begun and not ended has
failed.
"""

from __future__ import annotations

import json

from exitgate.core.probes.figures import Figures, ReportError, text_of

NAME = "go_json"
_OUTCOMES = ("pass", "fail", "skip")
#: Last events of what has failed.
_FAILED = ("fail", "run", "start")
#: Failures whose line is kept.
SHOWN = 20


def parse(data: bytes) -> Figures:
    """Return total, failed, skipped and failing of a report. Raises `ReportError`."""
    tests: dict[tuple[str, str], str] = {}
    packages: dict[str, str] = {}
    lines: list[tuple[int, str]] = []
    for at, line in enumerate(text_of(data).splitlines(), 1):
        event = _event(line)
        if event is None:
            continue  # what the compiler wrote in between
        package, test, action = (event.get(key) for key in ("Package", "Test", "Action"))
        if not isinstance(package, str) or not isinstance(action, str):
            continue
        if isinstance(test, str) and test:
            if action in _OUTCOMES or action == "run":
                tests[package, test] = action
        elif action in (*_OUTCOMES, "start"):
            packages[package] = action
        if action == "fail" and len(lines) < SHOWN:
            lines.append((at, line))
    if not tests and not packages:
        raise ReportError("it has no event of `go test -json`")
    failed = [name for name, outcome in tests.items() if outcome in _FAILED]
    blamed = {package for package, _ in failed}
    parents = {(package, test.rpartition("/")[0]) for package, test in failed}
    failing = [f"{package}.{test}" for package, test in failed if (package, test) not in parents]
    alone = [one for one, outcome in packages.items() if outcome in _FAILED and one not in blamed]
    return Figures(
        total=len(tests) + len(alone),
        failed=len(failed) + len(alone),
        skipped=sum(outcome == "skip" for outcome in tests.values()),
        failing=(*failing, *alone),
        lines=tuple(lines),
    )


def _event(line: str) -> dict[str, object] | None:
    if not line.startswith("{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
