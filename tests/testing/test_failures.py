"""The nearest cause: which part of a condition kept a rule, and what would have made it decide."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exitgate.testing.cases.case import Result
from exitgate.testing.runner import failures_of

Run = Callable[..., list[Result]]
POLICY = """\
policy: causes
format: 1
version: 1.0.0
parameters:
  enough: {type: percent, default: 80, min: 1}
facts:
  tasks: {extract: checklist, from: plan}
conditions:
  all_done: tasks.open == 0 and tasks.total > 3
rules:
  - id: first
    when: tasks.total > 100
    exit: review
  - id: both
    when: tasks.percent >= $enough and (tasks.total >= 20 or tasks.open <= 1) and not tasks.total == 9
    exit: complete
  - id: named
    when: "@all_done and output.length > 5"
    exit: idle
  - id: still
    when: tasks.done unchanged for 3 iterations
    exit: stuck
otherwise: continue
"""


def why(run: Run, case: str) -> list[str]:
    (result,) = run(f"  - name: a\n{case}", POLICY)
    return [line for miss in failures_of(result) for line in miss.why]


@pytest.mark.parametrize(
    ("case", "lines"),
    [
        (
            "    facts: {tasks.total: 10, tasks.done: 5}\n    expect: {rule: both}\n",
            [
                "prevented by `tasks.percent (50%) >= $enough (80%)`, which is false",
                "prevented by `tasks.total (10) >= 20`, which is false",
                "nearest: would have been EXIT complete (both) if 9 tasks were done (now 5)",
            ],
        ),
        (
            "    facts: {tasks.total: 9, tasks.done: 8}\n    expect: {rule: both}\n",
            ["prevented by `tasks.total (9) == 9`, which is true"],
        ),
        (
            "    facts: {tasks.percent: 90}\n    expect: {rule: both}\n",
            ["prevented by `tasks.total (unknown: no plan was given) >= 20`, which is unknown"],
        ),
        (
            "    facts: {tasks.total: 3, tasks.done: 3}\n    sources: {response: long enough}\n"
            "    set: {enough: 1}\n    expect: {rule: named}\n",
            ["prevented by `tasks.total (3) > 3`, which is false"],
        ),
    ],
)
def test_parts_that_kept_a_rule(run: Run, case: str, lines: list[str]) -> None:
    found = why(run, case)
    for line in lines:
        assert line in found, found


def test_one_way_is_enough_and_it_is_the_shortest(run: Run) -> None:
    found = why(run, "    facts: {tasks.total: 10, tasks.done: 8}\n    expect: {rule: both}\n")
    assert sum("prevented by" in line for line in found) == 1
    assert "nearest: would have been EXIT complete (both) if 9 tasks were done (now 8)" in found


def test_a_change_meets_all_that_is_expected(run: Run) -> None:
    found = why(
        run, "    facts: {tasks.total: 99, tasks.done: 1}\n    expect: {verdict: EXIT, class: complete}\n"
    )
    (nearest,) = [line for line in found if line.startswith("nearest")]
    assert "EXIT complete (both)" in nearest


def test_what_follows_from_another_rule_is_told_once(run: Run) -> None:
    (result,) = run(
        "  - name: a\n    facts: {tasks.total: 10, tasks.done: 5}\n"
        "    expect: {verdict: EXIT, class: complete, message: x, rule: both}\n",
        POLICY,
    )
    misses = failures_of(result)
    assert [miss.key for miss in misses if miss.why] == ["rule"]
    assert len(misses) == 4


def test_no_cause_is_looked_for_where_nothing_was_decided_wrongly(run: Run) -> None:
    (result,) = run(
        "  - name: a\n    facts: {tasks.total: 9}\n    expect: {facts: {tasks.total: 8}}\n", POLICY
    )
    assert not any("nearest" in line for miss in failures_of(result) for line in miss.why)
    (result,) = run("  - name: a\n    facts: {tasks.total: 9}\n    expect: {rule: first}\n", POLICY)
    assert not any("nearest" in line for miss in failures_of(result, nearest=False) for line in miss.why)
