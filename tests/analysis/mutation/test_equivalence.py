"""What the analysis says of mutants: proofs, points walked, inputs that tell them apart."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from small_policies import compiled, only, rule

from exitgate.analysis.mutation.equivalence import IN_BREAKER, judge
from exitgate.analysis.mutation.registry import mutants
from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.program import Program
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

LIMITS = Limits(seconds=30.0, points=15_000)


def test_the_dead_rule_of_the_seed_can_be_dropped_swapped_and_changed() -> None:
    policy = load_policy("bb3-faithful")
    for id in (
        "all_tasks_done:dropped_rule:1",
        "all_tasks_done:swapped_rules:1",
        "all_tasks_done:effect:1",
        "all_tasks_done:effect:2",
    ):
        assert judge(policy, only(policy, id), LIMITS).status == PROVED, id


@pytest.mark.parametrize(
    ("when", "id", "status"),
    [
        ("tasks.complete and not tasks.complete", "one:dropped_part:1", REFUTED),
        ("tasks.complete or (tasks.complete and tasks.present)", "one:dropped_part:2", PROVED),
        ("tasks.done > 2 and tasks.done >= 3", "one:dropped_part:1", PROVED),
        ("tasks.done > 2 and tasks.done >= 3", "one:comparison:1", PROVED),
        ("tasks.done > 2 and tasks.done >= 3", "one:comparison:2", REFUTED),
        ("tasks.done + tasks.open >= tasks.done", "one:comparison:1", REFUTED),
        ("tasks.done - tasks.total > 0 or tasks.done > 3", "one:dropped_part:1", UNDECIDED),
        ("status.signal is known and status.signal is unknown", "one:dropped_part:1", REFUTED),
    ],
)
def test_conditions(tmp_path: Path, when: str, id: str, status: str) -> None:
    policy = compiled(tmp_path, rule(when))
    judged = judge(policy, only(policy, id), LIMITS)
    assert judged.status == status
    assert (judged.run is not None) == (status == REFUTED)


CHAIN = """\
conditions:
  finished: tasks.complete or status.signal is true
  spare: tasks.present
rules:
  - {id: late, when: tasks.done > 5, exit: stuck, because: so}
  - {id: done, when: "@finished", exit: complete, because: so}
  - {id: never, when: "tasks.done > 7 and @spare", exit: complete, because: so}
  - {id: told, when: tasks.total > 3, warn: true, because: so}
"""


def outcome(policy: CompiledPolicy, record: dict[str, object]) -> tuple[object, ...]:
    program = Program(policy)
    decision = program.decide(program.complete_all([record]))
    warned = [warning.rule for warning in decision.warnings]
    return decision.verdict, decision.exit_class, decision.outcome, warned


def test_what_is_proved_holds_on_every_input_and_what_is_found_does_not(tmp_path: Path) -> None:
    """Every mutant of a small policy against every record: nothing is left to the analysis' word."""
    policy = compiled(tmp_path, CHAIN)
    records = []
    counts = (*range(10), None)
    for done, total, signal in product(counts, (0, 3, 4, 9, None), (True, False, None)):
        record: dict[str, object] = {"tasks.done": done, "tasks.total": total, "status.signal": signal}
        record["tasks.complete"] = None if done is None or not total else done >= total
        record["tasks.present"] = None if total is None else total > 0
        if done is None or total is None or done <= total:
            records.append({n: Unknown("not given", n) if v is None else v for n, v in record.items()})
    seen = {PROVED: 0, REFUTED: 0}
    for one in mutants(policy):
        judged = judge(policy, one, LIMITS)
        changed = one.of(policy)
        apart = any(outcome(policy, record) != outcome(changed, record) for record in records)
        assert judged.status == (REFUTED if apart else PROVED), one.id
        if judged.run is not None:
            assert outcome(policy, dict(judged.run[-1])) != outcome(changed, dict(judged.run[-1])), one.id
        seen[judged.status] += 1
    assert seen[PROVED] >= 4
    assert seen[REFUTED] >= 20


BREAKER = """\
circuit:
  open:
    - {id: still, when: tasks.done unchanged for 3 iterations}
    - {id: full, when: tasks.done unchanged for 5 iterations and tasks.total > 2}
  close: tasks.complete
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: so}
"""


@pytest.mark.parametrize(
    ("id", "status"),
    [
        ("circuit.still:window:1", REFUTED),
        ("circuit.still:dropped_rule:1", REFUTED),
        ("circuit.full:window:2", REFUTED),
        ("circuit.close:negation:1", REFUTED),
    ],
)
def test_conditions_of_the_breaker_are_asked_by_themselves(tmp_path: Path, id: str, status: str) -> None:
    policy = compiled(tmp_path, BREAKER)
    judged = judge(policy, only(policy, id), LIMITS)
    assert (judged.status, judged.kind) == (status, IN_BREAKER)


def test_what_cannot_be_decided_within_the_limits_is_open() -> None:
    policy = load_policy("loop-detection")
    one = only(policy, "oscillation:comparison:2")
    judged = judge(policy, one, Limits(seconds=30.0, points=20), draws=False)
    assert judged.status == UNDECIDED
    assert judged.why


def test_where_the_walk_comes_to_no_end_runs_are_drawn(tmp_path: Path) -> None:
    policy = compiled(tmp_path, CHAIN)
    one = only(policy, "late:comparison:1")
    judged = judge(policy, one, Limits(seconds=30.0, points=1))
    assert judged.status == REFUTED
    assert judged.run is not None
    assert outcome(policy, dict(judged.run[-1])) != outcome(one.of(policy), dict(judged.run[-1]))
