"""Which case notices which mutant: the quick way against running every case from its beginning."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import shipped_suite
from mutated_policies import fails, suite_of

from exitgate.analysis.mutation.registry import KINDS, mutants
from exitgate.testing.cases.case import Suite
from exitgate.testing.mutants.kill import Killers
from exitgate.testing.runner import run_case


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return suite_of(tmp_path_factory.mktemp("whole"))


def test_the_cases_pass_without_a_mutant(whole: Suite) -> None:
    for case in whole.cases:
        assert run_case(case, whole.program(case)).failures == (), case.name


def test_each_case_notices_what_it_fails_under(whole: Suite) -> None:
    alone = {case.name: Killers(whole, [case]) for case in whole.cases}
    killed = 0
    for mutant in mutants(whole.policy)[::2]:
        for case in whole.cases:
            noticed = alone[case.name].first_to_notice(mutant) is not None
            assert noticed == fails(case, mutant, whole), (mutant.id, case.name)
            killed += noticed
    assert killed > 60


@pytest.mark.parametrize(("name", "step"), [("bb3", 9), ("guardrails", 6), ("loop-detection-faithful", 4)])
def test_shipped_cases_notice_what_they_fail_under(name: str, step: int) -> None:
    suite = shipped_suite(name)
    cases = suite.cases[::5]
    alone = {case.name: Killers(suite, [case]) for case in cases}
    for mutant in mutants(suite.policy)[::step]:
        for case in cases:
            noticed = alone[case.name].first_to_notice(mutant) is not None
            assert noticed == fails(case, mutant, suite), (mutant.id, case.name)


def test_every_kind_is_noticed_by_some_case_and_the_first_one_fails_under_it(whole: Suite) -> None:
    watchdogs = Killers(whole)
    noticed = set()
    for mutant in mutants(whole.policy):
        case = watchdogs.first_to_notice(mutant)
        if case is not None:
            assert fails(case, mutant, whole), mutant.id
            noticed.add(mutant.kind)
    assert noticed == set(KINDS) - {"member"}


MEMBERS = """\
policy: members
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: few, when: "tasks.done in [1, 2]", exit: stuck, because: few}
otherwise: continue
"""


def test_only_the_case_about_a_member_notices_that_it_is_gone(tmp_path: Path) -> None:
    cases = "".join(
        f"  - {{name: done {n}, facts: {{tasks.done: {n}}}, expect: {{verdict: {v}}}}}\n"
        for n, v in ((1, "EXIT"), (2, "EXIT"), (3, "CONTINUE"))
    )
    suite = suite_of(tmp_path, MEMBERS, cases)
    found = {}
    for mutant in mutants(suite.policy, ["member"]):
        case = Killers(suite).first_to_notice(mutant)
        assert case is not None
        found[mutant.after] = case.name
    assert found == {"tasks.done in [2]": "done 1", "tasks.done in [1]": "done 2"}


def test_what_a_message_says_of_a_parameter_is_no_mistake_in_the_decision(tmp_path: Path) -> None:
    cases = """\
  - name: all of them
    facts: {tasks.total: 5, tasks.done: 5}
    expect: {rule: enough, message: 80% is enough}
"""
    suite = suite_of(tmp_path, cases=cases)
    watchdogs = Killers(suite)
    moved = mutants(suite.policy, ["boundary"], "$enough")
    assert [watchdogs.first_to_notice(one) for one in moved] == [None, None]
