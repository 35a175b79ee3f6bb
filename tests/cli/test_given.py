"""Given facts from the command line to the ledger and back: check, explain, replay, test, dry run, prove."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each
from cli_program import Ran, run

from exitgate.core.ledger.line import decode_fact
from exitgate.core.model.json_object import JsonObject

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
    line = JsonObject(json.loads(ledger.read_text().splitlines()[-1]))
    found = decode_fact("budget.left", line.object("facts").object("budget.left"))
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


def test_an_iteration_that_is_asked_about_again_with_other_facts_says_so(place: Path) -> None:
    first = check(place, "deploy.approved=true", "stage=dev", more=("--iteration", "1"))
    assert first.code == 0
    for facts, named in (
        (("deploy.approved=true", "stage=DEV"), ""),
        ((), ""),
        (("deploy.approved=true", "stage=prod"), "another value of `stage`"),
        (
            ("deploy.approved=unknown", "budget.left=5 USD"),
            "other values of `deploy.approved`, `budget.left`",
        ),
    ):
        ran = check(place, *facts, more=("--iteration", "1"))
        assert ran.code == 0
        said = " ".join(ran.out.split())
        wanted = f"iteration 1 was decided on {named}; that decision is kept (line 2)"
        assert (wanted in said) == bool(named), said
        assert ("was decided on" in said) == bool(named), said


def test_naming_a_response_is_not_advised_where_it_was_named(place: Path) -> None:
    """A policy of given facts alone reads nothing that files could bring."""
    ran = check(place, more=("-v", "--no-record"))
    said = " ".join(ran.out.split())
    assert "could be read: no fact of the policy rests on what it said or did" in said
    assert "name the file" not in said


JSON = """\
policy: covered
format: 1
version: 1.0.0
facts:
  coverage: {extract: json, file: build/coverage.json, at: /percent, type: percent, unreadable: 50%}
rules:
  - {id: covered, when: coverage >= 80%, exit: complete, on_silence: exit, why: test, because: c}
"""


def bound(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.path.relpath(path))


#: What is where a JSON file is named -> what a warning says.
THERE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (os.mkfifo, "`build/coverage.json` cannot be read: it is a pipe"),
    "a folder": (os.mkdir, "`build/coverage.json` cannot be read: it is a directory"),
    "a socket": (bound, "`build/coverage.json` cannot be read: it is a socket"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "leads out of the project and was not read"),
    "a link out": (lambda path: path.symlink_to("/etc/hosts"), "leads out of the project and was not read"),
    "a link to a pipe": (
        lambda path: (os.mkfifo(path.with_name("p")), path.symlink_to("p")), "cannot be read: it is a pipe"),
    "more than there is room for": (
        lambda path: (path.touch(), os.truncate(path, 10**11)), "is larger than 10 MB"),
    "nothing": (lambda path: None, "no coverage at `build/coverage.json`"),
    "no JSON": (lambda path: path.write_text("{"), "build/coverage.json:1:2"),
    "levels": (lambda path: path.write_text("[" * 10**6), "nested too deeply"),
    "no number": (lambda path: path.write_text('{"percent": NaN}'), "holds `NaN`, which is not JSON"),
    "no text": (lambda path: path.write_bytes(b'{"percent": \xff}'), "1 byte was not UTF-8"),
}  # fmt: skip


@each("what", THERE)
def test_whatever_is_where_a_json_file_is_named_the_value_is_unknown(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "policy.yaml").write_text(JSON)
    monkeypatch.chdir(tmp_path)
    make, said = THERE[what]
    make(Path("build/coverage.json").absolute())
    ran = check(tmp_path, more=("--format", "json", "--no-record"))
    assert ran.code == 0
    assert said in ran.out
    assert json.loads(ran.out)["facts"]["coverage"]["value"] != 50
    named = check(tmp_path, more=("--source", "coverage=build/coverage.json", "--no-record"))
    assert named.code in (0, 66, 74)
    assert (named.code == 0) == (what in ("no JSON", "levels", "no number", "no text", "a link out")), named
