"""`exitgate prove`: what is told of kept and broken promises, in every form, with the right exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from compiled import COMPILED
from jsonschema import Draft202012Validator

from exitgate.cli.main import main
from exitgate.core.policy import shipped

POLICY = """\
policy: ours
format: 1
version: 1.2.0
title: Ours
parameters:
  enough: {type: percent, default: 80, min: 1, doc: Share of ticked tasks that ends the run.}
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, words: [error]}
rules:
  - {id: enough, when: tasks.percent >= $enough, exit: complete, because: done}
  - {id: all, when: tasks.percent == 100, exit: complete, because: all done}
  - {id: still, when: tasks.done unchanged for 2 iterations, exit: stuck, because: no tick}
otherwise: continue
invariants:
  - {id: ticks_end_it, given: tasks.percent >= 90, always: complete}
  - {id: errors_never_go_on, given: errors.count > 5, always: exit}
  - {id: errors_never_complete, given: errors.count > 5, never: complete}
"""
Prove = Callable[..., tuple[int, str, str]]


@pytest.fixture
def prove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Prove:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY)

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["prove", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


TEXT = """\
ours 1.2.0 (policy.yaml, by walk)
invariants
  ● ticks_end_it           proved
  ✗ errors_never_go_on     broken: CONTINUE, but `errors.count > 5` promises
                           always exit
      policy.yaml:17:10
      iteration 1 of 1: errors.count 6
      rules asked:
        `enough` is unknown
        `all` is unknown
        `still` is false
        none of them decides
      as a case of tests.yaml:
        - name: counterexample to errors_never_go_on
          facts: {errors.count: 6}
          expect: {verdict: EXIT}
  ✗ errors_never_complete  broken: EXIT complete by `enough`, but `errors.count
                           > 5` promises never complete
      policy.yaml:18:10
      iteration 1 of 1: errors.count 6, tasks.percent 80%
      rules asked:
        `enough` is true and decides
      as a case of tests.yaml:
        - name: counterexample to errors_never_complete
          facts: {errors.count: 6, tasks.percent: 80}
          expect: {verdict: CONTINUE}
silence
  ● after_iteration        proved

✗ 2 proved, 2 broken
"""


def test_promises_as_text(prove: Prove) -> None:
    code, out, err = prove("policy.yaml", "--only", "invariants")
    assert (code, err) == (69, "")
    assert out == TEXT


def test_a_counterexample_is_a_case_that_fails(
    prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = prove("policy.yaml", "--only", "invariants", "--format", "json")
    cases = [proof["case"] for proof in json.loads(out)["policies"][0]["proofs"] if "case" in proof]
    assert len(cases) == 2
    (tmp_path / "tests.yaml").write_text("format: 1\ntests:\n" + "".join(cases))
    assert main(["test", "tests.yaml", "--no-invariants"]) == 69
    assert "2 failed" in capsys.readouterr().out


def test_rules_order_bound_and_results(prove: Prove) -> None:
    code, out, _ = prove("policy.yaml", "--only", "rules")
    assert code == 69
    dead = "✗ all broken: never decides: whenever it is true, `enough` is true before it; "
    assert dead in " ".join(out.split())
    code, out, _ = prove("policy.yaml", "--only", "overlaps")
    assert code == 0
    assert "! enough  decides before still" in out
    code, out, _ = prove("policy.yaml", "--only", "bound")
    assert code == 0
    assert "a run that never ends: one iteration, repeated" in out
    code, out, _ = prove("policy.yaml", "--only", "classes")
    assert code == 0
    assert "● complete   can be reached" in out


def test_a_kept_policy_is_fine_and_a_setting_is_looked_at(prove: Prove) -> None:
    assert prove("guardrails")[0] == 0
    code, out, _ = prove("guardrails", "--only", "rules", "--set", "max_tokens=100")
    assert code == 0
    assert "never decides" not in out
    _, out, _ = prove("guardrails", "--only", "rules")
    assert "`" not in out.split("tokens_used_up")[1].split("\n")[0]
    assert "its condition is never true; with $max_tokens 1 it can" in " ".join(out.split())


def test_one_rule(prove: Prove) -> None:
    code, out, _ = prove("policy.yaml", "--rule", "still")
    assert code == 0
    assert "● still  can decide" in out
    assert "invariants" not in out


def test_what_is_not_decided_is_told_and_fails_only_when_strict(prove: Prove) -> None:
    code, out, _ = prove("bb3", "--only", "rules", "--rule", "circling", "--seconds", "0.000001")
    assert code == 0
    assert "? circling  not decided: not decided within 1e-06 s" in out
    assert prove("bb3", "--only", "rules", "--rule", "circling", "--seconds", "0.000001", "--strict")[0] == 69


def test_strict_counts_what_is_noted(prove: Prove) -> None:
    assert prove("bb3-faithful", "--only", "bound")[0] == 0
    assert prove("bb3-faithful", "--only", "bound", "--strict")[0] == 69
    code, out, _ = prove("policy.yaml", "--only", "overlaps", "--strict")
    assert (code, "! enough  decides before still" in out) == (0, True), "an order that matters is no finding"


def test_assumptions_bound_a_run(prove: Prove) -> None:
    assumed = ("--assume", "tasks.total == 4", "--assume", "tasks.done >= previous(tasks.done)")
    code, out, _ = prove("policy.yaml", "--only", "bound", *assumed)
    assert code == 0
    assert "not decided: runs of 8 iterations are possible, longer ones" in " ".join(out.split())
    assert 'tasks.done: "0x2 1x2 2x2 3x2"' in out


def test_json(prove: Prove) -> None:
    asked = ("policy.yaml", "bb3-faithful", "--seconds", "600", "--format", "json")
    code, out, _ = prove(*asked)
    assert code == 69
    found = json.loads(out)
    assert found["schema"] == "exitgate/prove@2"
    Draft202012Validator(shipped.schema("prove")).validate(found)
    ours, theirs = found["policies"]
    assert (ours["policy"], ours["version"], ours["by"]) == ("ours", "1.2.0", "walk")
    assert ours["counts"]["broken"] == 3
    assert theirs["counts"]["broken"] == 1
    broken = next(proof for proof in ours["proofs"] if proof["subject"] == "errors_never_go_on")
    assert broken["run"] == [{"errors.count": 6}]
    assert broken["place"] == "policy.yaml:17:10"
    assert all(set(p) >= {"kind", "subject", "status", "says", "stage", "points"} for p in ours["proofs"])
    assert prove(*asked)[1] == out


def test_github_and_markdown(prove: Prove) -> None:
    _, out, _ = prove("policy.yaml", "--only", "invariants", "--format", "github")
    error, _, notice = out.splitlines()
    assert error.startswith(
        "::error file=policy.yaml,line=17,col=10,title=ours%3A errors_never_go_on broken::CONTINUE"
    )
    assert "%0A  - name: counterexample" in error
    assert notice.startswith("::notice title=exitgate prove::")
    _, out, _ = prove("policy.yaml", "--format", "markdown")
    assert out.startswith("### ours 1.2.0\n\n| | question | about | answer |\n")
    assert "<details><summary>errors_never_go_on is broken</summary>" in out
    assert re.search(r"\| ✗ \| rules \| `all` \| broken: never decides", out)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("policy.yaml", "--rule", "nothing"), 64, "there is no rule `nothing` in `ours`"),
        (("policy.yaml", "--seconds", "soon"), 64, "`soon` is not a number of seconds"),
        (("policy.yaml", "--seconds", "0"), 64, "`0` is not a number of seconds"),
        (("policy.yaml", "--assume", "tasks.total === 5"), 64, "`--assume tasks.total === 5`: "),
        (("policy.yaml", "--assume", "nothing.there"), 64, "nothing.there"),
        (("policy.yaml", "--only", "nothing"), 64, "--only"),
        (("there-is-none",), 66, "there-is-none"),
        (("broken.yaml",), 65, "broken.yaml"),
    ],
)
def test_what_cannot_be_asked(
    prove: Prove, tmp_path: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    (tmp_path / "broken.yaml").write_text(POLICY.replace("tasks.percent >= $enough", "tasks.percent >="))
    found, out, err = prove(*words)
    assert (found, out) == (code, "")
    assert says in err


def test_hostile_names_are_told_safely(prove: Prove, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY.replace("title: Ours", 'title: "\\e[31m"'))
    _, out, _ = prove("policy.yaml", "--only", "invariants")
    assert "\x1b" not in out


def test_without_a_policy_the_one_in_force_is_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    (tmp_path / ".bb3").mkdir()
    rule = "tasks.done unchanged for 40 iterations"
    text = f"exit_decision: {{policy: bb3, rules: {{stagnation: {{when: {rule}}}}}}}\n"
    (tmp_path / ".bb3/config.yaml").write_text(text, encoding="utf-8")
    code = main(["prove", "--only", "invariants", "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    assert code == 69
    assert "stagnation_always_exits" in json.dumps(told)
    (tmp_path / ".bb3/config.yaml").write_text("exit_decision: {policy: bb3}\n", encoding="utf-8")
    assert main(["prove", "--only", "invariants"]) == 0
