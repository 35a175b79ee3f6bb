"""A run that waits: when it may go on is decided, recorded, replayed and told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from exitgate.core.engine.program import Program
from exitgate.core.gate.check import check
from exitgate.core.gate.decision import CheckResult
from exitgate.core.ledger import read
from exitgate.core.ledger.decisions import decision_of_line
from exitgate.core.ledger.runs import EXPIRY
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.serialized import policy_from, text_of
from exitgate.core.policy.shipped import schema
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import replay
from exitgate.report.decision.plain import printed

STATE = ".ralph/exitgate"
POLICY = """\
policy: patient
format: 1
version: 1.0.0
parameters: {pause: {type: duration, default: 10m}}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: limited, when: output.length == 1, exit: wait, retry_after: 2h, because: limited}
  - {id: unsure, when: output.length == 2, exit: wait, retry_after: tasks.done * $pause, because: unsure}
  - {id: silent, when: output.length == 3, exit: wait, because: no word on when}
  - {id: past, when: output.length == 4, exit: wait, retry_after: 0s - $pause, because: past}
  - {id: loud, when: output.length == 5, exit: wait, retry_after: 1h, because: loud, mode: warn}
  - {id: done, when: tasks.open == 0, exit: complete, because: done}
  - {id: nightly, when: run.iterations >= 7, exit: wait, retry_after: $pause, stage: before_iteration}
otherwise: continue
"""
NOW = 1_700_000_000.0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "p.yaml").write_text(POLICY)
    return tmp_path


def look(text: str, now: float = NOW, plan: str | None = None, **settings: str) -> CheckResult:
    Path(".ralph/last-response.md").write_text(text)
    Path("plan.md").unlink(missing_ok=True)
    if plan is not None:
        Path("plan.md").write_text(plan)
    return check(
        Request(policy="p.yaml", plan="plan.md" if plan is not None else None, time=now, settings=settings)
    )


def test_a_fixed_time_is_counted_from_the_decision(place: Path) -> None:
    found = look("a")
    assert (found.decision.exit_class, found.decision.retry_at) == ("wait", NOW + 7200)
    (line,) = [one for one in read.lines(STATE) if one["kind"] == "decision"]
    assert line["decision"]["retry_at"] == NOW + 7200
    assert decision_of_line(line) == found.decision
    plain = printed(found)
    assert plain["retry_at"] == NOW + 7200
    Draft202012Validator(schema("decision")).validate(json.loads(json.dumps(plain)))
    Draft202012Validator(schema("ledger")).validate(line)


def test_an_expression_takes_facts_and_parameters(place: Path) -> None:
    plan = "- [x] a\n- [x] b\n- [x] c\n- [ ] d\n"
    assert look("ab", plan=plan).decision.retry_at == NOW + 1800
    assert look("ab", plan=plan, pause="1h").decision.retry_at == NOW + 3 * 3600


def test_unknown_still_waits_and_says_why(place: Path) -> None:
    found = look("ab").decision
    assert (found.verdict, found.exit_class, found.rule, found.retry_at) == ("EXIT", "wait", "unsure", None)
    (warned,) = found.warnings
    assert warned.rule == "unsure"
    assert warned.message.startswith("the time to resume is not known (tasks.done: ")
    (line,) = [one for one in read.lines(STATE) if one["kind"] == "decision"]
    assert "retry_at" not in line["decision"]


def test_without_a_word_there_is_none(place: Path) -> None:
    found = look("abc").decision
    assert (found.exit_class, found.retry_at, found.warnings) == ("wait", None, ())


def test_a_time_that_passed_is_now(place: Path) -> None:
    assert look("abcd").decision.retry_at == NOW


def test_a_rule_that_only_warns_sets_none(place: Path) -> None:
    found = look("abcde").decision
    assert (found.verdict, found.retry_at) == ("CONTINUE", None)
    assert [one.rule for one in found.warnings] == ["loud"]


def test_the_next_check_goes_on_in_the_same_run_with_the_same_budget(place: Path) -> None:
    runs = [look(text, NOW + n) for n, text in enumerate(("a", "abc", "ab", "x" * 9))]
    assert [one.iteration.run for one in runs] == ["default#1"] * 4
    assert [one.iteration.number for one in runs] == [1, 2, 3, 4]
    assert runs[-1].decision.verdict == "CONTINUE"


def test_the_run_expires_a_day_after_its_retry_time(place: Path) -> None:
    look("a")
    assert look("x" * 9, NOW + 7200 + EXPIRY - 1).iteration.run == "default#1"
    look("a", NOW + 7200 + EXPIRY)
    assert look("x" * 9, NOW + 2 * (7200 + EXPIRY) + 1).iteration.run == "default#2"


def test_before_the_next_iteration_too(place: Path) -> None:
    for n in range(6):
        assert look("x" * 9, NOW + n).decision.verdict == "CONTINUE"
    found = look("x" * 9, NOW + 7).decision
    assert (found.rule, found.stage, found.retry_at) == ("nightly", "before_iteration", NOW + 7 + 600)


def test_replay_comes_to_the_same_time(place: Path) -> None:
    for n, text in enumerate(("a", "ab", "abc", "abcd", "abcde", "x" * 9, "x" * 9, "a")):
        look(text, NOW + 61.25 * n, "- [x] a\n- [ ] b\n" if n % 2 else None)
    again = list(replay(STATE))
    assert [one.difference for one in again] == [""] * 8
    assert again[0].decision is not None
    assert again[0].decision["retry_at"] == NOW + 7200


def test_a_policy_that_was_kept_has_it_still(place: Path) -> None:
    kept = policy_from(text_of(load_policy("p.yaml")))
    decision = Program(kept).decide([{"output.length": 1}], moment=NOW)
    assert decision.retry_at == NOW + 7200
    assert Program(kept).decide([{"output.length": 1}]).retry_at is None
