"""Probes that a gate asks, as `exitgate check` does."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from exitgate import Gate, Iteration
from exitgate.core.gate.settings import policy_of
from exitgate.core.probes import trust
from exitgate.core.state.request import Request

pytestmark = pytest.mark.usefixtures("own_event_loop")

OPEN, DONE = "- [x] a\n- [ ] b\n", "- [x] a\n- [x] b\n"
POLICY = """\
policy: ours
format: 1
version: 1.0.0
extends: verified@^1
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: done, when: tasks.complete, exit: complete, because: "{tasks.done} of {tasks.total}"}
"""
SCRIPT = "echo x >> ran; test -e fixed || { echo test_login broke; exit 1; }"


@pytest.fixture
def project(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one probe that no person allowed yet."""
    (place / ".bb3").mkdir()
    (place / "ours.yaml").write_text(POLICY)
    section = {"policy": "../ours.yaml", "verify": ["tests"], "probes": {"tests": {"shell": SCRIPT}}}
    (place / ".bb3" / "config.yaml").write_text(json.dumps({"exit_decision": section}))
    monkeypatch.setenv("XDG_STATE_HOME", str(place / "own"))
    monkeypatch.delenv(trust.VARIABLE, raising=False)
    return place


def ran(project: Path) -> int:
    """Return how often the probe ran."""
    return len((project / "ran").read_text()) // 2 if (project / "ran").exists() else 0


def test_a_gate_asks_where_the_answer_decides(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(trust.VARIABLE, trust.digest_of(trust.covered(policy_of(Request(root=str(project))))))
    monkeypatch.chdir(project.parent)
    gate = Gate(root=project)
    assert gate.check(Iteration("going on", plan=OPEN)).go_on
    assert ran(project) == 0
    sent_back = gate.check(Iteration("all done", plan=DONE))
    assert (sent_back.go_on, sent_back.outcome, ran(project)) == (True, "not_verified", 1)
    assert "test_login broke" in sent_back.advice
    told = gate.explain()
    assert "asked because rule `cannot_be_verified` hung on" in " ".join(told.split())
    (project / "fixed").touch()
    done = asyncio.run(gate.acheck(Iteration("fixed it", plan=DONE)))
    assert (done.exit_class, done.outcome, ran(project)) == ("complete", "done", 2)


def test_a_gate_that_only_looks_asks_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(trust.VARIABLE, trust.digest_of(trust.covered(policy_of(Request(root=str(project))))))
    seen = Gate(root=project, record=False).check(Iteration("all done", plan=DONE))
    assert (seen.outcome, ran(project)) == ("not_verified", 0)


def test_without_consent_nothing_runs_and_nothing_completes(project: Path) -> None:
    gate = Gate(root=project)
    first = gate.check(Iteration("all done", plan=DONE))
    assert (first.outcome, ran(project)) == ("not_verified", 0)
    assert "exitgate trust" in first.message
    assert gate.check(Iteration("all done, really", plan=DONE)).exit_class == "review"
    assert ran(project) == 0
