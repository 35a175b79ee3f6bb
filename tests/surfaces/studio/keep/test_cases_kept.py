"""A decision becomes a test, which passes and would not if the policy decided otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from desk_of_project import OURS, Desk

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.testing.cases.load import load_suite
from exitgate.testing.runner import run_case


def passed(path: Path) -> list[tuple[str, bool]]:
    suite = load_suite(path.read_text(encoding="utf-8"), str(path), str(path.parent))
    return [(case.name, not run_case(case, suite.program(case)).failures) for case in suite.cases]


def test_a_decision_becomes_a_test_of_the_policys_own(desk: Callable[..., Desk], project: Path) -> None:
    one = desk(ours="ours/policy.yaml")
    run = next(line for line in one.workspace.lines if line.run.id.endswith("csv-export"))
    for at, name in ((2, "goes on while tasks are open"), (run.run.iterations, "stops at the end")):
        found = one.post("keep-test", n=run.n, at=at, policy="ours", name=name)
        one.post("keep-confirm", ticket=found["ticket"])
    path = project / "ours" / "tests.yaml"
    assert passed(path) == [("goes on while tasks are open", True), ("stops at the end", True)]
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("verdict: CONTINUE", "verdict: EXIT"), encoding="utf-8")
    assert passed(path)[0][1] is False
    with pytest.raises(ExitgateError, match="another name"):
        one.post("keep-test", n=run.n, at=2, policy="ours", name="goes on while tasks are open")


def test_tests_for_a_shipped_policy_are_the_projects(desk: Callable[..., Desk], project: Path) -> None:
    one = desk(bb3="bb3")
    found = one.post("keep-test", n=1, at=1, policy="bb3", name="goes on")
    one.post("keep-confirm", ticket=found["ticket"])
    assert passed(project / ".bb3" / "tests.yaml") == [("goes on", True)]
    one.post("keep-undo")
    assert not (project / ".bb3" / "tests.yaml").exists()


def test_what_is_only_a_draft_is_no_test_of_the_file(desk: Callable[..., Desk], project: Path) -> None:
    one = desk(ours="ours/policy.yaml")
    run = next(line for line in one.workspace.lines if line.run.id.endswith("csv-export"))
    one.drafted("ours", text=OURS + "  - id: all_tasks_done\n    exit: review\n")
    with pytest.raises(ExitgateError, match="would fail"):
        one.post("keep-test", n=run.n, at=4, policy="ours", name="asks a person")
    assert not (project / "ours" / "tests.yaml").exists()
    one.post("keep-confirm", ticket=one.proposed("ours", "policy")["ticket"])
    found = one.post("keep-test", n=run.n, at=4, policy="ours", name="asks a person")
    one.post("keep-confirm", ticket=found["ticket"])
    assert passed(project / "ours" / "tests.yaml") == [("asks a person", True)]


@pytest.mark.parametrize(("n", "at"), [(0, 1), (99, 1), (1, 0), (1, 99)])
def test_what_is_not_there_is_said(desk: Callable[..., Desk], n: int, at: int) -> None:
    with pytest.raises(ExitgateError):
        desk(bb3="bb3").post("keep-test", n=n, at=at, policy="bb3", name="x")


def test_a_name_is_taken_only_as_a_whole(desk: Callable[..., Desk]) -> None:
    one = desk(bb3="bb3")
    for name in ("stops on errors twice", "stops on errors", 'says "- name: x"', "- name: x"):
        found = one.post("keep-test", n=1, at=1, policy="bb3", name=name)
        one.post("keep-confirm", ticket=found["ticket"])
        with pytest.raises(ExitgateError, match="of this name"):
            one.post("keep-test", n=1, at=1, policy="bb3", name=name)
