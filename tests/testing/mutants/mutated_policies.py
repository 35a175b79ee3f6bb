"""A policy with every part that mutants touch, a suite for it, and mutants by brute force."""

from __future__ import annotations

from pathlib import Path

from exitgate.analysis.mutation.mutant import ChangedParameter, Mutant
from exitgate.core.engine.program import Program
from exitgate.testing.cases.case import Case, Suite
from exitgate.testing.cases.load import load_suite
from exitgate.testing.cases.parse import WORDINGS
from exitgate.testing.compare import View, compare
from exitgate.testing.extract import observe

WHOLE = """\
policy: whole
format: 1
version: 1.0.0
parameters:
  enough: {type: percent, default: 80, min: 1, doc: Share of ticked tasks that ends the run.}
  still: {type: count, default: 3, min: 1, doc: Iterations without a tick.}
  sure: {type: number, default: 50, doc: As many points as make it sure.}
facts:
  tasks: {extract: checklist, from: plan}
  left: {formula: tasks.total - tasks.done}
  score:
    points:
      - {when: tasks.present, add: 30, because: a plan}
      - {when: left <= 1 and @known, add: 40, because: nearly done}
      - {when: circuit.state is OPEN, add: -20, because: broken}
    range: [0, 60]
conditions:
  known: tasks.done is known and tasks.total > 0
  certain: score >= $sure
circuit:
  open:
    - {id: no_tick, when: tasks.done unchanged for 4 iterations}
    - {id: shrunk, when: tasks.total < previous(tasks.total)}
  watch: tasks.done unchanged for 2 iterations
  close: tasks.done > previous(tasks.done)
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: "breaker: {circuit.reason}"}
  - {id: near, when: left <= 2 and not tasks.complete, warn: true, because: "{left} left"}
  - {id: enough, when: tasks.percent >= $enough and @known, exit: complete, because: "{$enough} is enough"}
  - {id: certain, when: "@certain and left >= 1", continue: true, because: sure of it}
  - {id: would, when: "left >= 2 and @known", exit: review, mode: shadow, because: so}
  - {id: still, when: tasks.done unchanged for $still iterations, exit: stuck, because: no tick}
  - {id: broke, stage: after_failure, when: run.failed is true, exit: failed, because: it broke}
otherwise: continue
undetermined: {exit_after: 3}
"""

CASES = """\
  - name: four of five
    facts: {tasks.total: 5, tasks.done: 4}
    expect: {verdict: EXIT, rule: enough, class: complete, message: 80%, warnings: [near], facts: {score: 60}}
  - name: three of five
    facts: {tasks.total: 5, tasks.done: 3}
    expect: {verdict: CONTINUE, rule: ~, warnings: [near], shadows: [would], facts: {score: 30, left: 2}}
  - name: two of five
    facts: {tasks.total: 5, tasks.done: 2}
    expect: {verdict: CONTINUE, warnings: [], firm: true, shadows: [would]}
  - name: no plan
    expect: {verdict: CONTINUE, undetermined: [near], blind: true}
  - name: blind too often
    facts: {run.cost: 1}
    history: {run.iterations: "1 2 3"}
    expect: {verdict: EXIT, class: undetermined}
  - name: nearly there, asked for more
    set: {enough: 90}
    facts: {tasks.total: 5, tasks.done: 4}
    expect: {rule: certain}
  - name: surer still
    set: {enough: 90, sure: 61}
    facts: {tasks.total: 5, tasks.done: 4}
    expect: {rule: ~}
  - name: no tick
    history: {tasks.done: "1 1 1 1"}
    facts: {tasks.total: 9}
    expect: {rule: still, facts: {circuit.state: HALF_OPEN}}
    expect_at:
      "3": {rule: ~, pending: {still: 2 of 3}}
  - name: no tick at all
    history: {tasks.done: "1x5"}
    facts: {tasks.total: 9}
    expect: {rule: open, class: halted, message: no_tick}
  - name: a tick again
    history: {tasks.done: "1 1 1 2"}
    facts: {tasks.total: 9}
    expect: {rule: ~, facts: {circuit.state: CLOSED}}
  - name: shrunk
    history: {tasks.total: "9 8"}
    facts: {tasks.done: 1}
    expect: {verdict: EXIT, facts: {circuit.state: OPEN, score: 10}}
  - name: broken
    agent_exit: 1
    expect: {verdict: EXIT, class: failed, rule: broke}
  - name: from a plan
    sources: {plan: "- [x] a\\n- [ ] b\\n- [x] c\\n"}
    expect: {verdict: CONTINUE, rule: certain}
"""


def suite_of(folder: Path, policy: str = WHOLE, cases: str = CASES, before: str = "") -> Suite:
    """Return the suite of the texts of a policy and of the items under `tests:`."""
    (folder / "policy.yaml").write_text(policy)
    return load_suite(f"format: 1\n{before}tests:\n{cases}", "tests.yaml", str(folder))


def fails(case: Case, mutant: Mutant, suite: Suite) -> bool:
    """Return whether a case fails when it is run under the mutant from its beginning."""
    policy = suite.program(case).policy
    name = mutant.change.name if isinstance(mutant.change, ChangedParameter) else ""
    if name and (name in case.settings or policy.parameters[name] != suite.policy.parameters[name]):
        return False
    program = Program(mutant.of(policy))
    observed = observe(case, program)
    for want in case.wants:
        records = tuple(one.record for one in observed[: want.iteration])
        last = observed[want.iteration - 1]
        view = View(program, case.stage, last, records, program.decide(records, case.stage, notes=last.notes))
        if not (name and want.key in WORDINGS) and compare(want, view) is not None:
            return True
    return False
