"""History, the count of iterations and the breaker are of one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.analysis.prove.backend import BOTH, WALK, Backend
from exitgate.analysis.results.answer import PROVED, REFUTED
from exitgate.analysis.space.counters import number_of_first
from exitgate.analysis.walk.queries import most_iterations
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compile import load_policy

CHECKLIST = """\
policy: x
format: 1
version: 1.0.0
title: x
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, words: [error]}
"""
#: Body of a policy, a rule or the opening of its breaker, the most iterations, whether that can be.
CASES = {
    "a window longer than the budget": ("""
rules:
  - {id: late, when: (errors.count > 0) for 21 consecutive iterations, exit: stuck, because: x}
  - {id: ends, when: run.iterations >= 10, exit: exhausted, stage: before_iteration, because: x}
""", "late", 10, PROVED),
    "a window as long as the budget": ("""
rules:
  - {id: late, when: tasks.done unchanged for 9 iterations, exit: stuck, because: x}
  - {id: ends, when: run.iterations >= 10, exit: exhausted, stage: before_iteration, because: x}
""", "late", 10, REFUTED),
    "one iteration longer": ("""
rules:
  - {id: late, when: tasks.done unchanged for 10 iterations, exit: stuck, because: x}
  - {id: ends, when: run.iterations >= 10, exit: exhausted, stage: before_iteration, because: x}
""", "late", 10, PROVED),
    "a count beyond the budget": ("""
rules:
  - {id: late, when: run.iterations >= 21, exit: stuck, because: x}
  - {id: ends, when: run.iterations >= 10, exit: exhausted, stage: before_iteration, because: x}
""", "late", 10, PROVED),
    "an agent that fails passes a budget after iterations": ("""
rules:
  - {id: late, when: (errors.count > 0) for 21 consecutive iterations, exit: stuck, because: x}
  - {id: ends, when: run.iterations >= 10, exit: exhausted, because: x}
""", "late", None, None),
    "a breaker that opens at 6 where the run ends at 3": ("""
circuit:
  open: [{id: late, when: (errors.count > 0) for 6 consecutive iterations}]
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: x}
  - {id: ends, when: run.iterations >= 3, exit: exhausted, stage: before_iteration, because: x}
""", "late", 3, PROVED),
    "a breaker that opens in time": ("""
circuit:
  open: [{id: late, when: (errors.count > 0) for 3 consecutive iterations}]
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: x}
  - {id: ends, when: run.iterations >= 3, exit: exhausted, stage: before_iteration, because: x}
""", "late", 3, REFUTED),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("who", [WALK, BOTH])
def test_history_counts_and_breaker_are_of_one_run(name: str, who: str, tmp_path: Path) -> None:
    body, subject, most, status = CASES[name]
    (tmp_path / "policy.yaml").write_text(CHECKLIST + body, encoding="utf-8")
    policy = load_policy(str(tmp_path / "policy.yaml"))
    assert most_iterations(policy) == most
    asker = Backend(who, Limits(10.0))
    if policy.breaker is not None:
        answer = asker.ask("can_be", policy, policy.breaker.openings[0].when, True)
    else:
        answer = asker.ask("can_decide", policy, subject)
    assert status is None or answer.status == status
    if answer.run is not None:
        assert number_of_first(answer.run) is not None
