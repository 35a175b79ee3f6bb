"""Excuses: what they leave out of the share, and when they do not hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from small_suites import decided, shown

POLICY = """
conditions:
  much: tasks.done > 1 and tasks.percent > 90%
rules:
  - {id: most, when: tasks.percent >= 80%, exit: complete, because: a}
  - {id: all, when: tasks.complete, exit: idle, because: b}
  - {id: some, when: tasks.done > 3 and tasks.percent >= 80%, exit: review, because: c}
  - {id: rest, when: "@much", exit: failed, because: d}
  - {id: few, when: tasks.done <= 1, warn: true, because: e}
"""
TESTS = """
tests:
  - {name: two of ten, facts: {tasks.done: 2, tasks.total: 10}, expect: {rule: ~}}
"""


def problems(folder: Path, excuse: str) -> list[tuple[str, str]]:
    found = shown(folder, POLICY, f"coverage:\n  excused:\n    - {excuse}\n{TESTS}")
    return [(problem.code, problem.message) for problem in found.problems]


HOLD = [
    "{rule: all, why: w}",
    "{rule: some, why: w}",
    '{rule: all, leaf: tasks.complete, never: true, why: "a complete plan is at 100%"}',
    '{rule: some, leaf: "tasks.percent>=80%", never: true, why: the first rule takes those}',
    "{condition: much, leaf: tasks.percent > 90%, never: true, why: the only rule that asks comes too late}",
]


@pytest.mark.parametrize("excuse", HOLD)
def test_excuses_that_hold(tmp_path: Path, excuse: str) -> None:
    assert problems(tmp_path, excuse) == []


#: Excuse -> what is said of it, and a fact among those that disprove it.
FALSE = {
    "{rule: most, why: w}": ("`most` is excused as never deciding", "tasks.percent: "),
    "{rule: few, why: w}": ("`few` is excused as never true", "tasks.done: 0"),
    "{rule: some, leaf: tasks.done > 3, never: true, why: w}": (
        "`tasks.done > 3` of `some` is excused as never true",
        "tasks.done: 4",
    ),
    "{rule: most, leaf: tasks.percent >= 80%, never: unknown, why: w}": (
        "`tasks.percent >= 80%` of `most` is excused as never unknown",
        "",
    ),
    "{condition: much, leaf: tasks.done > 1, never: unknown, why: w}": (
        "`tasks.done > 1` of `much` is excused as never unknown",
        "",
    ),
}


@pytest.mark.parametrize("excuse", FALSE)
def test_excuses_that_some_facts_disprove(tmp_path: Path, excuse: str) -> None:
    ((code, said),) = problems(tmp_path, excuse)
    claimed, fact = FALSE[excuse]
    assert code == "EP512"
    assert said.startswith(f"{claimed}, but these facts show it: ") and fact in said


@pytest.mark.parametrize(
    "excuse",
    [
        "{rule: most, leaf: tasks.percent >= 80%, never: false, why: w}",
        "{condition: much, leaf: tasks.done > 1, never: true, why: w}",
    ],
)
def test_excuses_that_a_case_disproves(tmp_path: Path, excuse: str) -> None:
    found = problems(tmp_path, excuse)
    assert found[0][0] == "EP511" and "case `two of ten`" in found[0][1]


@each(
    ("excuse", "message"),
    [
        ("{rule: mosst, why: w}", "the policy has no rule `mosst`"),
        ("{circuit: watch, leaf: x, never: true, why: w}", "the policy has no part of the breaker `watch`"),
        ("{fact: tasks, leaf: x, never: true, why: w}", "the policy has no fact `tasks`"),
        ("{rule: some, leaf: tasks.done > 4, never: true, why: w}", "`some` has no leaf `tasks.done > 4`"),
        ("{rule: some, leaf: 'not (((', never: true, why: w}", "`some` has no leaf `not (((`"),
        ("{rule: some, condition: much, why: w}", "an excuse names exactly one part of the policy"),
        ("{why: w}", "an excuse names exactly one part of the policy"),
        ("{rule: some, never: true, why: w}", "an excuse for a rule as a whole has no `leaf` and no `never`"),
        ("{rule: some, leaf: tasks.done > 3, why: w}", "an excuse for a rule as a whole has no `leaf`"),
        ("{condition: much, why: w}", "an excuse for a rule as a whole has no `leaf`"),
    ],
)
def test_excuses_that_name_nothing(tmp_path: Path, excuse: str, message: str) -> None:
    ((code, said),) = problems(tmp_path, excuse)
    assert code == "EP510" and message in said


def test_what_is_excused_is_left_out_of_the_share_and_so_is_a_class_of_nothing_else(tmp_path: Path) -> None:
    before = shown(tmp_path, POLICY, TESTS)
    after = shown(tmp_path, POLICY, "coverage: {excused: [{rule: all, why: w}]}\n" + TESTS)
    assert before.share.shown == after.share.shown
    assert after.share.whole == before.share.whole - 2
    assert after.share.excused == 1
    assert "idle" in before.results and "idle" not in after.results
    assert decided(after, "all").excused == "w" and decided(before, "all").is_missing
