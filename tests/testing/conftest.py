"""A small policy, and fixtures that make a suite of it and a few cases. Puts this folder on the path."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from exitgate.testing.cases.case import Result
from exitgate.testing.cases.load import Suite, load_suite
from exitgate.testing.runner import run_case

sys.path.insert(0, str(Path(__file__).parent))

POLICY = """\
policy: small
format: 1
version: 1.0.0
parameters:
  enough: {type: percent, default: 80, min: 1, doc: Share of ticked tasks that ends the run.}
  still: {type: count, default: 3, min: 1, doc: Iterations without a tick.}
facts:
  tasks: {extract: checklist, from: plan}
  left: {formula: tasks.total - tasks.done}
circuit: {from: state.json}
rules:
  - id: open
    when: circuit.state is OPEN
    exit: halted
    because: "Breaker: {circuit.reason}"
  - id: few_left
    when: left <= 1
    warn: true
    because: Only {left} left
  - id: would_stop
    when: tasks.done >= 2
    exit: review
    mode: shadow
    because: shadow
  - id: enough
    when: tasks.percent >= $enough
    exit: complete
    outcome: plan_complete
    because: "{tasks.done} of {tasks.total}"
    advice: Rest.
    escalation: Look at {tasks.total} tasks.
  - id: still
    when: tasks.done unchanged for $still iterations
    exit: stuck
    because: no tick
  - id: broke
    stage: after_failure
    when: run.failed is true
    exit: failed
    because: The agent ended with {run.agent_exit}
otherwise: continue
invariants:
  - {id: breaker_wins, given: circuit.state is OPEN, always: exit}
  - {id: silence_never_exits, given: nothing is known, never: exit}
"""

HEAD = "format: 1\ntests:\n"


def suite(folder: Path, cases: str, policy: str = POLICY) -> Suite:
    (folder / "policy.yaml").write_text(policy)
    return load_suite(HEAD + cases, "tests.yaml", str(folder))


@pytest.fixture
def make_suite(tmp_path: Path) -> Callable[..., Suite]:
    """Return a function from the text of the items under `tests:`, and of a policy, to their suite."""
    return partial(suite, tmp_path)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., list[Result]]:
    """Return a function from the same texts to the results of all cases."""

    def run_all(cases: str, policy: str = POLICY) -> list[Result]:
        made = suite(tmp_path, cases, policy)
        return [run_case(case, made.program(case)) for case in made.cases]

    return run_all


@pytest.fixture
def policy_text() -> str:
    """Return the text of the small policy."""
    return POLICY
