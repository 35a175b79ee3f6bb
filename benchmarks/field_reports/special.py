"""Reports that ask about state on the disk or about a policy itself, through the whole program."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from exitgate.core.gate.check import check
from exitgate.core.gate.new_run import reset
from exitgate.core.state.request import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.field_reports.cases import Report

    Row = tuple[str, object, object]

_PLAN = "- [x] one\n- [ ] two\n- [ ] three\n"


def _project(response: str) -> Path:
    root = Path(tempfile.mkdtemp(prefix="field-report-"))
    (root / ".ralph").mkdir()
    (root / ".ralph/last-response.md").write_text(response, encoding="utf-8")
    (root / ".ralph/@fix_plan.md").write_text(_PLAN, encoding="utf-8")
    return root


def _broken_breaker(report: Report) -> Iterator[Row]:
    """The file of an external breaker holds what the report says."""
    root = _project(report.response or "")
    (root / ".ralph/circuit-state.json").write_text(str(report.other["state_file"]), encoding="utf-8")
    checked = check(Request(root=str(root), policy="bb3", time=1_767_225_600.0))
    for name, want in report.expect.items():
        yield name, want, checked.records[-1].get(name)
    said = [w.message for w in checked.decision.warnings]
    yield "a warning that the state was lost", True, any("circuit" in one or "breaker" in one for one in said)


def _reset(report: Report) -> Iterator[Row]:
    """Decisions are made, then the state is reset."""
    root = _project("I am confident that this is right.")
    request = Request(root=str(root), policy="bb3")
    for _ in range(report.state["before"]["total_decisions"]):
        check(request)
    view = root / ".ralph/exit-state.json"
    before = json.loads(view.read_text(encoding="utf-8"))
    yield "decisions before the reset", report.state["before"]["total_decisions"], before["total_decisions"]
    reset(request)
    after = json.loads(view.read_text(encoding="utf-8"))
    for name, want in report.expect.items():
        yield name, want, after[name.removeprefix("state.")]


def _lint(report: Report) -> Iterator[Row]:
    for name, want in report.expect.items():
        yield name, want, NotImplementedError("nothing checks yet whether a policy bounds its loop")


#: Input or state that marks such a report -> what runs it.
SPECIAL: dict[str, Callable[[Report], Iterator[Row]]] = {
    "state_file": _broken_breaker,
    "command": _reset,
    "policy": _lint,
}
