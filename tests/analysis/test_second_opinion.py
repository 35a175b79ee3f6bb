"""A disagreement of the two evaluators is an internal fault, wherever both are run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_policies import small_policies

from exitgate.analysis.reference_evaluator import evaluator
from exitgate.analysis.second_opinion import _Agreed, ask_second_opinion, word
from exitgate.analysis.space.samples import Sampler
from exitgate.cli.main import main
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import BOOL
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.testing.cases.load import load_file
from exitgate.testing.runner import run_case

HALF = {"tasks.done": 1, "tasks.total": 2, "tasks.percent": 50, "tasks.complete": False, "confidence": 90}


def test_they_agree_on_a_shipped_policy() -> None:
    ask_second_opinion(Program(load_policy("bb3")), [HALF], "after_iteration")


def test_each_disagreement_is_told_with_70(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "evaluator", lambda *_: lambda _node: True)
    with pytest.raises(ExitgateError) as caught:
        ask_second_opinion(Program(load_policy("bb3")), [HALF], "after_iteration")
    assert caught.value.exit_code == 70
    found = caught.value.diagnostics
    assert {d.code for d in found} == {"EP700"}
    assert "rule `all_tasks_done` false, the reference evaluator true" in " ".join(d.message for d in found)


def test_explain_runs_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.md").write_text("I am confident.\n", encoding="utf-8")
    (tmp_path / "p.md").write_text("- [x] a\n- [ ] b\n", encoding="utf-8")
    assert main(["explain", "r.md", "p.md", "--policy", "bb3"]) == 0
    monkeypatch.setattr(evaluator, "evaluator", lambda *_: lambda _node: True)
    assert main(["explain", "r.md", "p.md", "--policy", "bb3"]) == 70
    assert "EP700" in capsys.readouterr().err


def test_policy_tests_run_both(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).parents[2] / "policies" / "bb3"
    suite = load_file(str(folder / "tests.yaml"))
    case = suite.cases[0]
    assert run_case(case, suite.program(case)).failures == ()
    monkeypatch.setattr(evaluator, "evaluator", lambda *_: lambda _node: True)
    with pytest.raises(ExitgateError):
        run_case(case, load_file(str(folder / "tests.yaml")).program(case))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(), st.integers(0, 10**6))
def test_a_rule_is_what_it_was_on_the_values_it_reads(policy: CompiledPolicy, seed: int) -> None:
    agreed, found = _Agreed(policy), {}
    sampler = Sampler(policy, seed)
    for run in sampler.runs(Node("bool", (True,), type=BOOL), 30):
        records = Program(policy).complete_all([{**policy.unreadable, **values} for values in run])
        for cut in range(1, len(records) + 1):
            second_of = evaluator.evaluator(
                records[:cut], policy.values(), policy.conditions, unread_facts(policy)
            )
            for rule in policy.rules:
                key = agreed.key(rule, "", rule.when, records[:cut])
                truth = word(second_of(rule.when))
                assert key is None or found.setdefault(key, truth) == truth
