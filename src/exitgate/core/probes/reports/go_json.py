"""
Events of `go test -json`, an object on each line.

A test is named by its package and name; of one whose subtest failed only that is named. A package that fails
without a failing test, as one that does not compile, is a failure itself. What has begun and not ended has
failed, and so has what failed once and then passed.
"""

from __future__ import annotations

from exitgate.core.probes.figures import NEVER, Figures, ReportError, lines_of
from exitgate.core.probes.reports.document import DECODER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Name = TypeVar("_Name")


NAME = "go_json"
_OUTCOMES = ("pass", "fail", "skip")
#: Last events of what has failed.
_FAILED = ("fail", "run", "start")
#: Of what does not compile; it names a build in place of a package.
_BUILD = "build-fail"
#: Failures whose line is kept.
SHOWN = 20


def parse(data: bytes, until: float = NEVER) -> Figures:
    """Return total, failed, skipped and failing of a report. Raises `ReportError`."""
    tests: dict[tuple[str, str], str] = {}
    packages: dict[str, str] = {}
    builds: dict[str, str] = {}
    lines: list[tuple[int, str]] = []
    for at, line in lines_of(data, until):
        event = _event(line)
        if event is None:
            continue  # what the compiler wrote in between
        package, test, action, build = (
            _text(event, name) for name in ("Package", "Test", "Action", "ImportPath")
        )
        if action == _BUILD:
            builds[build] = build.partition(" ")[0]  # `p [p.test]` is the build of the tests of p
        elif package and test and (action in _OUTCOMES or action == "run"):
            _put(tests, (package, test), action)
            packages.setdefault(package, "start")
        elif package and not test and action in (*_OUTCOMES, "start"):
            _put(packages, package, action)
        if action in ("fail", _BUILD) and len(lines) < SHOWN:
            lines.append((at, line))
    if not tests and not packages and not builds:
        raise ReportError("it has no event of `go test -json`")
    failed = [name for name, outcome in tests.items() if outcome in _FAILED]
    blamed = {package for package, _ in failed}
    parents = {(package, test.rpartition("/")[0]) for package, test in failed}
    failing = [f"{package}.{test}" for package, test in failed if (package, test) not in parents]
    alone = [one for one, outcome in packages.items() if outcome in _FAILED and one not in blamed]
    alone += [one for one, package in builds.items() if packages.get(package) not in _FAILED]
    return Figures(
        total=len(tests) + len(alone),
        failed=len(failed) + len(alone),
        skipped=sum(outcome == "skip" for outcome in tests.values()),
        failing=(*failing, *alone),
        lines=tuple(lines),
    )


def _put(outcomes: dict[_Name, str], name: _Name, action: str) -> None:
    if outcomes.get(name) != "fail":
        outcomes[name] = action


def _text(event: dict[str, object], name: str) -> str:
    found = event.get(name)
    return found if isinstance(found, str) else ""


def _event(line: str) -> dict[str, object] | None:
    if not line.startswith("{"):
        return None
    try:
        found = DECODER.decode(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
