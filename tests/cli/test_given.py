"""Given facts from the command line to the ledger and back: check, explain, replay, test, dry run, prove."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_program import Ran, run

from exitgate.ledger.encode import decode_fact

POLICY = """\
policy: gated
format: 1
version: 1.0.0
title: A person has the last word
given:
  deploy.approved: {type: bool, doc: A person has approved the deployment.}
  budget.left: {type: money, currency: USD, range: [0, 100 USD]}
  stage: {type: enum, members: [DEV, PROD]}
rules:
  - {id: broke, when: budget.left < 5 USD, exit: exhausted, because: "{budget.left} are left"}
  - {id: go, when: deploy.approved and stage is PROD, exit: complete, because: approved}
  - {id: refused, when: (not deploy.approved) for 2 consecutive iterations, exit: blocked, because: refused}
otherwise: continue
invariants:
  - {id: no_word, given: deploy.approved is unknown and budget.left is unknown, never: exit}
"""
TESTS = """\
policy: ./policy.yaml
format: 1
tests:
  - {name: approved, facts: {deploy.approved: true, stage: prod}, expect: {rule: go}}
  - {name: silent, expect: {verdict: CONTINUE, undetermined: [broke, go]}}
  - name: refused
    history: {deploy.approved: "false false"}
    expect: {rule: refused}
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "tests.yaml").write_text(TESTS)
    return tmp_path


def check(place: Path, *facts: str, more: tuple[str, ...] = ()) -> Ran:
    given = [word for fact in facts for word in ("--fact", fact)]
    return run("check", "-", "-p", "./policy.yaml", *given, *more, cwd=place, stdin="said\n")


def test_values_decide_and_without_them_rules_are_open(place: Path) -> None:
    assert check(place).code == 0
    assert check(place, "deploy.approved=true", "stage=prod").out.startswith("EXIT complete · go\n")
    assert check(place, "deploy.approved=true", "budget.left=4.99 USD").out.startswith("EXIT exhausted")


def test_history_reads_what_was_given_before(place: Path) -> None:
    assert check(place, "deploy.approved=false").code == 0
    assert check(place, "deploy.approved=false").code == 2


def test_one_that_is_not_given_is_not_taken_from_the_check_before(place: Path) -> None:
    check(place, "deploy.approved=true")
    ran = check(place, "stage=prod", more=("--format", "json"))
    assert json.loads(ran.out)["facts"]["deploy.approved"]["value"]["unknown"] == "not given"


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ("deploy.approved=perhaps", "fact `deploy.approved` is a bool"),
        ("deploy.aproved=true", "did you mean `deploy.approved`?"),
        ("budget.left=101 USD", "write a value of at most `100 USD`"),
        ("budget.left=5 EUR", "is not in USD"),
        ("stage=test", "members: `DEV`, `PROD`"),
    ],
)
def test_what_does_not_fit_is_64_and_leaves_no_line(place: Path, fact: str, said: str) -> None:
    ran = check(place, fact)
    assert (ran.code, ran.out) == (64, "")
    assert said in " ".join(ran.err.split())
    assert not list(place.rglob("*.jsonl"))


def test_ledger_explain_and_replay_know_them(place: Path) -> None:
    check(place, "deploy.approved=true", "stage=prod", "budget.left=7.50 USD")
    (ledger,) = place.rglob("ledger*.jsonl")
    found = decode_fact(
        "budget.left", json.loads(ledger.read_text().splitlines()[-1])["facts"]["budget.left"]
    )
    assert found.value == 7.5
    assert [(one.source, one.excerpt) for one in found.evidence] == [("given", "7.50 USD")]
    told = run("explain", "--all", cwd=place).out
    assert "given:1 │ true" in told
    again = run("replay", cwd=place)
    assert (again.code, again.out) == (0, "● 1 reproduced, 0 differ\n")


def test_tests_and_proofs_know_them(place: Path) -> None:
    assert run("test", cwd=place).code == 0
    told = run("prove", "policy.yaml", cwd=place).out
    assert "● no_word          proved" in told
    assert "● go               can decide" in told


BOUNDED = """\
policy: bounded
format: 1
version: 1.0.0
given:
  tries: {type: count, range: [0, 9]}
  stage: {type: enum, members: [DEV, PROD]}
  left: {type: money, currency: USD, range: [1 USD, 50 USD]}
rules:
  - {id: never, when: tries > 9 or left < 1 USD or left > 50 USD, exit: failed}
  - {id: dev, when: stage is DEV, exit: review}
  - {id: prod, when: stage is PROD, exit: complete}
  - {id: last, when: stage is known, exit: blocked}
"""


@pytest.mark.parametrize("method", ["walk", "z3"])
def test_both_methods_take_range_and_members_for_all_there_can_be(place: Path, method: str) -> None:
    (place / "bounded.yaml").write_text(BOUNDED)
    told = run("prove", "bounded.yaml", "--with", method, cwd=place).out
    assert "✗ never            broken: never decides: its condition is never true" in told
    assert "● prod             can decide" in told
    assert "✗ last             broken: never decides" in told


def test_a_dry_run_of_the_loops_own_ledger_decides_as_the_loop_did(place: Path) -> None:
    for facts in (("budget.left=50 USD",), (), ("budget.left=4 USD",)):
        check(place, *facts)
    ran = run("dry-run", ".ralph/exitgate", "-p", "./policy.yaml", "--format", "json", cwd=place)
    (stop,) = json.loads(ran.out)["stops"]
    assert (stop["iterations"], stop["stop"], stop["rule"]) == (3, 3, "broke")


def test_the_page_of_one_says_how_it_is_given(place: Path) -> None:
    told = run("explain", "deploy.approved", "--policy", "policy.yaml", cwd=place).out
    assert "it is given: `--fact deploy.approved=VALUE`" in told


def test_no_source_is_called_given(place: Path) -> None:
    ran = check(place, more=("--source", "given=policy.yaml"))
    assert ran.code == 64
