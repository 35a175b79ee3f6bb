"""Signals that fall, change or are true, over whole runs: remembered in the totals, replayed, told."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.gate.check import check
from exitgate.core.gate.decision import CheckResult
from exitgate.core.ledger import read
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import replay

STATE = ".ralph/exitgate"
POLICY = """\
policy: p
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
  progress:
    extract: progress
    signals: [tasks.done, {fact: output.length, moves: falls}, {fact: output.lines, moves: changes}]
rules:
  - {id: flat, when: progress.made is false and progress.known >= 3, exit: stuck}
  - {id: lone, when: progress.made is false, warn: true}
otherwise: continue
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "p.yaml").write_text(POLICY)
    return tmp_path


def look(length: int, now: float, plan: str | None = None) -> CheckResult:
    Path(".ralph/last-response.md").write_text("x" * length)
    if plan is None:
        Path("plan.md").unlink(missing_ok=True)
    else:
        Path("plan.md").write_text(plan)
    return check(Request(policy="p.yaml", plan="plan.md" if plan else None, time=now))


def test_a_falling_number_is_held_against_the_least_of_the_run(place: Path) -> None:
    assert load_policy("p.yaml").lookback == 0
    found = [look(length, 1000.0 + n) for n, length in enumerate((9, 7, 8, 7, 6))]
    made = [one.facts["progress.made"].value for one in found]
    assert isinstance(made[0], Unknown)
    assert made[1:] == [True, False, False, True]
    signals = [one.facts["progress.signals"].value for one in found[1:]]
    assert signals == [("output.length",), (), (), ("output.length",)]
    last = [one for one in read.lines(STATE) if one["kind"] == "decision"][-1]
    assert last["totals"]["least"] == {"output.length": 6}
    assert [one.difference for one in replay(STATE)] == [""] * 5


def test_how_many_could_tell_and_what_each_said(place: Path) -> None:
    look(9, 1000.0)
    lone = look(9, 1001.0)
    assert (lone.facts["progress.known"].value, lone.decision.verdict) == (2, "CONTINUE")
    note = lone.facts["progress.made"].note
    assert note.startswith("flat: output.length, output.lines; unknown: tasks.done (")
    look(9, 1002.0, "- [x] a\n- [ ] b\n")
    whole = look(9, 1003.0, "- [x] a\n- [ ] b\n")
    assert (whole.facts["progress.known"].value, whole.decision.rule) == (3, "flat")
    assert whole.facts["progress.made"].note == "flat: tasks.done, output.length, output.lines"
