"""The time since files last changed: what comparing tells, counted in the run's own time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.program import Program
from exitgate.core.gate.check import check
from exitgate.core.ledger.read import lines
from exitgate.core.model.fact import Source
from exitgate.core.model.value import Unknown
from exitgate.core.observe import git
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request

NOW = 1_800_000_000.0
POLICY = """\
policy: still
format: 1
version: 1.0.0
title: Nothing changes
rules:
  - {id: still, when: git.since_change > 45m, exit: stuck, because: "{git.since_change} without a change"}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("policy") / "p.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return Program(load_policy(str(path)))


def seen(changed: bool | None, files: int | None) -> Source:
    record: dict[str, object] = {"reasons": {"changed": "git was too slow"}, "head": None, "dirty": {}}
    if changed is not None:
        record["changed"] = changed
    if files is not None:
        record["files_changed"] = files
    return Source("git", record=record)


CHECKS = st.tuples(
    st.sampled_from((1, 60, 3000, -500)),
    st.sampled_from(((True, 2), (True, 0), (False, 0), (True, None), (False, None), (None, None))),
)


@settings(deadline=None)
@given(st.lists(CHECKS, min_size=1, max_size=8))
def test_it_is_the_time_since_a_check_saw_a_change(
    tmp_path_factory: pytest.TempPathFactory, program: Program, checks: list[tuple]
) -> None:
    root = tmp_path_factory.mktemp("loop")
    now, elapsed, last = NOW, 0.0, 0.0  # type: float, float, float | None
    for number, (later, (changed, files)) in enumerate(checks):
        now += later
        elapsed += max(0, later) if number else 0
        if changed is None:
            last = 0.0 if not elapsed else None  # it cannot have changed before the run began
        elif (files is None and changed) or files:
            last = elapsed
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(git, "observe", lambda *_, changed=changed, files=files, **__: seen(changed, files))
            checked = check(
                Request(program=program, root=str(root), time=now, texts={"response": f"{now}"}, ended=True)
            )
        value = checked.facts["git.since_change"].value
        if last is not None:
            assert value == elapsed - last
        else:
            assert isinstance(value, Unknown)
            assert changed is not None or value.reason == "git was too slow"
        if checked.decision.verdict == "EXIT":
            return


def test_a_run_that_changes_nothing_ends(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "observe", lambda *_, **__: seen(False, 0))
    asked = Request(program=program, root=str(tmp_path), ended=True)
    said = [
        check(asked.but(time=NOW + 60 * minutes, texts={"response": f"{minutes}"}))
        for minutes in (0, 30, 45, 46)
    ]
    assert [one.decision.verdict for one in said] == ["CONTINUE", "CONTINUE", "CONTINUE", "EXIT"]
    assert said[-1].decision.message == "46m without a change"
    kept = [line["totals"] for line in lines(str(tmp_path / ".ralph/exitgate")) if line["kind"] == "decision"]
    assert [one["changed_at"] for one in kept] == [0, 0, 0, 0]  # type: ignore[index]
