"""A policy whose rules match patterns: every command that proves or compares says of it what is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_repository import Program

from exitgate.core.language.evaluation.kleene import searcher

POLICY = """\
# yaml-language-server: $schema=policy.schema.json
policy: summaries
format: 1
version: 1.0.0
title: Ends by what the summary says
doc: The agent sums up each iteration in a line; this line ends the run.
parameters:
  most: {type: count, default: 20, min: 1, doc: Iterations after which the run ends.}
facts:
  status:
    extract: status_block
    from: response
    name: LOOP_STATUS
    fields:
      summary: {type: text, key: SUMMARY}
rules:
  - id: failed
    when: status.summary matches "[0-9]+ tests? failed"
    exit: stuck
    because: "{status.summary}"
  - id: ok
    when: status.summary matches "^ok$"
    exit: complete
    because: all is well
  - id: too_long
    when: run.iterations >= $most
    exit: exhausted
    because: "{run.iterations} iterations"
otherwise: {continue: true, because: no word of an end yet}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
  - {id: ok_is_no_failure, given: status.summary matches "^ok$", always: exit}
"""
TESTS = """\
# yaml-language-server: $schema=tests.schema.json
format: 1
tests:
  - name: ok
    facts: {status.summary: ok}
    expect: {class: complete, rule: ok, message: all is well}
  - name: failures
    facts: {status.summary: 3 tests failed}
    expect: {class: stuck, rule: failed}
  - name: one failure
    facts: {status.summary: 1 test failed}
    expect: {class: stuck, rule: failed}
  - name: okay is not ok
    facts: {status.summary: okay}
    expect: {verdict: CONTINUE}
  - name: twenty iterations
    facts: {run.iterations: 20}
    expect: {class: exhausted, rule: too_long}
  - name: nineteen iterations
    facts: {run.iterations: 19}
    expect: {verdict: CONTINUE}
"""
OKAY = ('"^ok$"\n    exit', '"^okay$"\n    exit')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the policy and its tests, and the place to be."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "tests.yaml").write_text(TESTS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("method", ["walk", "both"])
def test_prove_says_that_every_rule_decides(folder: Path, exitgate: Program, method: str) -> None:
    assert folder.exists()
    code, out, _ = exitgate("prove", "policy.yaml", "--with", method)
    assert code == 0
    for rule in ("failed", "ok", "too_long"):
        assert re.search(rf"● {rule} +can decide", out)
    assert re.search(r"● ok_is_no_failure +proved", out)
    assert "never decides" not in out


def test_prove_finds_the_rule_that_another_takes_everything_from(folder: Path, exitgate: Program) -> None:
    text = POLICY.replace('"^ok$"\n    exit', '"^[0-9] tests failed$"\n    exit')
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    code, out, _ = exitgate("prove", "policy.yaml", "--only", "rules", "--with", "both")
    assert code == 69
    assert re.search(r"✗ ok +broken: never decides: ", out)
    assert "point walked" not in out, "that there is none is proved"


def test_ci_passes(folder: Path, exitgate: Program) -> None:
    assert folder.exists()
    code, out, _ = exitgate("ci", "--skip", "release-check")
    assert code == 0, out


def test_no_mutant_that_differs_is_called_equivalent(folder: Path, exitgate: Program) -> None:
    assert folder.exists()
    _, out, _ = exitgate("mutate", "tests.yaml", "--format", "json")
    (found,) = json.loads(out)["policies"]
    assert found["counts"]["open"] == 0
    same = [one["id"] for one in found["mutants"] if one["status"] == "equivalent"]
    assert same == ["failed:swapped_rules:1"], "no text matches both patterns"


def test_diff_finds_both_texts_that_part_two_patterns(folder: Path, exitgate: Program) -> None:
    (folder / "new.yaml").write_text(POLICY.replace(*OKAY), encoding="utf-8")
    code, out, _ = exitgate("diff", "policy.yaml", "new.yaml")
    assert code == 69
    assert "4 kinds of input are decided differently, and no other; proved" in out
    assert "EXIT complete → CONTINUE" in out
    assert 'status.summary "ok"' in out
    assert 'status.summary "okay"' in out


def test_diff_proves_that_two_spellings_of_a_pattern_are_one(folder: Path, exitgate: Program) -> None:
    text = POLICY.replace('"[0-9]+ tests? failed"', r'"(?:\d test|\d tests) failed"')
    (folder / "new.yaml").write_text(text, encoding="utf-8")
    code, out, _ = exitgate("diff", "policy.yaml", "new.yaml")
    assert (code, "no input is decided differently: that is proved" in out) == (0, True), out


LENGTHS = (("<= 7", "length(status.summary) < 8", 0), ("< 7", "length(status.summary) <= 7", 69))


@pytest.mark.parametrize(("old", "new", "code"), LENGTHS)
def test_diff_knows_lengths(folder: Path, exitgate: Program, old: str, new: str, code: int) -> None:
    for name, when in (("policy.yaml", f"length(status.summary) {old}"), ("new.yaml", new)):
        text = POLICY.replace('status.summary matches "^ok$"\n', f"{when}\n")
        (folder / name).write_text(text, encoding="utf-8")
    assert exitgate("diff", "policy.yaml", "new.yaml")[0] == code


def test_the_examples_are_confirmed_by_the_engine(folder: Path, exitgate: Program) -> None:
    assert folder.exists()
    _, out, _ = exitgate("prove", "policy.yaml", "--only", "rules", "--format", "json")
    texts = [str(one) for one in re.findall(r'"status\.summary": "([^"]*)"', out)]
    assert any(searcher("^ok$")(text) for text in texts)
    assert any(searcher("[0-9]+ tests? failed")(text) for text in texts)
