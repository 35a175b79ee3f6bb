"""What the analysis does not decide is shown by every command, and fails only where that is wanted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exitgate.cli.command import Answer
from exitgate.cli.main import answer_to

#: No constant is near 13, so no point of a walk is an example; 13 tasks done are one.
POLICY = """\
# yaml-language-server: $schema=policy.schema.json
policy: ours
format: 1
version: {version}
title: Ends a run at thirteen tasks
doc: Ends a run at thirteen tasks.
facts:
  tasks: {{extract: checklist, from: plan}}
rules:
  - {{id: thirteen, when: {when}, exit: complete, because: "{{tasks.done}} tasks are done"}}
  - {{id: used_up, when: run.iterations >= 50, exit: exhausted, stage: before_iteration, because: enough}}
otherwise: {{continue: true, because: Work continues}}
undetermined: {{exit_after: 5}}
invariants:
  - {{id: silence_never_exits, given: nothing is known, never: exit}}
  - {{id: thirteen_ends, given: {given}, always: exit}}
"""
CASES = """\
format: 1
policy: ./policy.yaml
tests:
  - {name: thirteen, facts: {tasks.done: 13, tasks.total: 20}, expect: {rule: thirteen}}
  - {name: fourteen, facts: {tasks.done: 14, tasks.total: 20}, expect: {verdict: CONTINUE}}
  - {name: the end, stage: before_iteration, facts: {run.iterations: 50}, expect: {rule: used_up}}
  - {name: before the end, stage: before_iteration, facts: {run.iterations: 49}, expect: {verdict: CONTINUE}}
"""
THIRTEEN, FOURTEEN = "7 * tasks.done == 91", "7 * tasks.done == 98"


def write(folder: Path, when: str, version: str = "1.0.0", given: str = THIRTEEN) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "policy.schema.json").write_text("{}", encoding="utf-8")
    (folder / "tests.yaml").write_text(CASES, encoding="utf-8")
    text = POLICY.format(when=when, version=version, given=given)
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    return str(folder / "policy.yaml")


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "ours", THIRTEEN)


def run(*words: str) -> Answer:
    return answer_to([*words, "--color", "never"])


def test_a_correct_policy_passes_and_what_is_not_decided_is_shown(ours: str) -> None:
    proved = run("prove", ours)
    assert proved.code == 0
    said = " ".join(proved.out.split())
    assert "? thirteen not decided: no example at any of" in said
    assert "● silence_never_exits proved" in said, "arithmetic of what is unknown is unknown"
    assert "never decides" not in said
    assert "never reached" not in said
    assert run("prove", ours, "--strict").code == 69
    steps = ("--skip", "release-check", "--skip", "fmt")
    checked = run("ci", ours, *steps)
    assert checked.code == 0, checked.out
    assert "passed, " in checked.out
    assert "== not decided\nours: invariants, thirteen_ends: no example at any of" in checked.out
    assert run("ci", ours, *steps, "--strict").code == 69
    (proofs,) = json.loads(run("prove", ours, "--format", "json").out)["policies"]
    assert {
        (one["status"] == "not decided") == (one["answer"] == "not decided") for one in proofs["proofs"]
    } == {True}


def test_tests_do_not_fail_on_an_invariant_that_nothing_met(ours: str, tmp_path: Path) -> None:
    assert run("test", ours).code == 0
    assert (
        run("test", write(tmp_path / "other", THIRTEEN, given="tasks.done < 3 and tasks.done > 5")).code == 69
    )


def test_policies_that_differ_between_the_points_are_not_the_same(ours: str, tmp_path: Path) -> None:
    compared = run("diff", ours, write(tmp_path / "other", FOURTEEN))
    assert compared.code == 69
    said = " ".join(compared.out.split())
    assert "no difference found; not decided: no example at any of" in said
    assert "no input is decided differently" not in said
    found = json.loads(run("diff", ours, str(tmp_path / "other" / "policy.yaml"), "--format", "json").out)
    decided = found["decisions"]
    assert (decided["differ"], decided["others"]) == (None, "not decided")
    assert decided["why"].startswith("no example at any of")
    same = run("diff", ours, write(tmp_path / "same", THIRTEEN))
    assert (same.code, "no input is decided differently" in same.out) == (0, True)


def test_a_change_is_not_called_minor_on_what_is_not_decided(ours: str, tmp_path: Path) -> None:
    other = write(tmp_path / "other", FOURTEEN, "1.1.0")
    released = run("release-check", other, "--against", ours)
    assert released.code == 0
    said = " ".join(released.out.split())
    assert "not decided: whether an input is decided differently, which is a major change: no example" in said
    assert "right: 1.1.0 says at least a minor change" in said
    assert run("release-check", other, "--against", ours, "--strict").code == 69
    major = write(tmp_path / "major", FOURTEEN, "2.0.0")
    assert run("release-check", major, "--against", ours, "--strict").code == 0
    patch = run("release-check", write(tmp_path / "patch", FOURTEEN, "1.0.1"), "--against", ours)
    assert patch.code == 69, "that the rule is written differently is known"
    (found,) = json.loads(run("release-check", other, "--against", ours, "--format", "json").out)["policies"]
    assert (found["level"], found["right"]) == ("minor", True)
    assert found["not_decided"].startswith("whether an input is decided differently")


def test_a_mutant_that_no_point_tells_apart_is_not_called_equivalent(ours: str) -> None:
    (Path(ours).parent / "tests.yaml").write_text(
        CASES.replace("13,", "12,").replace("rule: thirteen", "rule: null")
    )
    made = run("mutate", ours, "--rule", "thirteen", "--kinds", "arithmetic,boundary", "--format", "json")
    (found,) = json.loads(made.out)["policies"]
    assert found["counts"]["equivalent"] == 0
    assert found["counts"]["open"] > 0
    words = ("mutate", ours, "--rule", "thirteen", "--kinds", "arithmetic,boundary", "--fail-under", "100")
    assert run(*words, "--strict").code == 69
    text = run(*words)
    assert f"; {found['counts']['open']} not decided" in text.out
