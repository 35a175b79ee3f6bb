"""`exitgate explain --as-test`: a decision of the ledger becomes a case that `exitgate test` passes."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_program import run

SECRET = "ghp_" + "a1B2c3D4e5" * 4
FAILING = f'Error: the token {SECRET} was refused 😀\nI could not go on: "it, too" failed.\n'
HEAD = "format: 1\npolicy: {}\ntests:\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "plan.md").write_text("- [x] one\n- [ ] two\n")
    return tmp_path


def check(project: Path, policy: str, said: str, *more: str) -> None:
    run("check", "-", *more, "-p", policy, cwd=project, stdin=said)


@pytest.mark.parametrize("policy", ["ralph", "loop-detection"])
def test_decisions_on_hidden_and_unknown_facts_pass_as_cases(project: Path, policy: str) -> None:
    check(project, policy, FAILING, "plan.md")
    check(project, policy, FAILING)
    check(project, policy, FAILING)
    check(project, policy, "")
    cases = ""
    for number in ("3", "4", "6" if policy == "loop-detection" else "5"):
        ran = run("explain", number, "--as-test", cwd=project)
        assert (ran.code, ran.err) == (0, ""), number
        cases += ran.out
    assert SECRET not in cases, cases
    assert "masked" in cases or policy != "loop-detection", cases
    (project / "tests.yaml").write_text(HEAD.format(policy) + cases)
    ran = run("test", "tests.yaml", "-k", "decision", cwd=project)
    assert (ran.code, ran.err) == (0, ""), ran.out + cases
    assert "3 passed" in ran.out, ran.out


def test_the_settings_of_the_project_are_in_the_case(project: Path) -> None:
    check(project, "bb3", "Done.\n", "plan.md", "--set", "min_completion=50%")
    ran = run("explain", "--as-test", cwd=project)
    assert ran == (
        0,
        '  - name: "decision 2, default#1 iteration 1 is EXIT complete"\n'
        "    set: {min_completion: 50}\n"
        "    facts: {tasks.percent: 50}\n"
        "    expect: {verdict: EXIT, class: complete, rule: high_completion, firm: true}\n",
        "",
    )


def test_a_rule_that_settings_changed_is_remarked_on(project: Path) -> None:
    (project / ".bb3").mkdir()
    (project / ".bb3" / "config.yaml").write_text(
        "exit_decision:\n  policy: bb3\n  min_completion: 40\n"
        "  rules: {high_completion: {mode: warn, why: not yet}}\n"
    )
    run("check", "-", "plan.md", cwd=project, stdin="Done.\n")
    ran = run("explain", "--as-test", cwd=project)
    assert ran.code == 0
    assert "verdict: CONTINUE" in ran.out
    assert ran.err.startswith("warning: `bb3` by itself decides otherwise now")


def test_files_as_a_case(project: Path) -> None:
    (project / "response.md").write_text("Done.\n")
    ran = run("explain", "response.md", "plan.md", "-p", "bb3", "--as-test", cwd=project)
    assert ran.code == 0
    assert ran.out.startswith("  - name: CONTINUE on response.md\n")
    assert not (project / ".ralph").exists()


def test_a_breaker_that_a_person_opened_is_not_a_case(project: Path) -> None:
    run("circuit", "trip", "--reason", "mine", "-p", "recommended", cwd=project)
    check(project, "loop-detection", "Going on.\n")
    ran = run("explain", "--as-test", cwd=project)
    assert (ran.code, ran.out) == (66, "")
    assert ran.err.startswith("error[EP551]: ")


@pytest.mark.parametrize("more", [("--rule", "x"), ("--format", "json"), ("--all",)])
def test_a_case_has_one_form(project: Path, more: tuple[str, ...]) -> None:
    ran = run("explain", "--as-test", *more, cwd=project)
    assert (ran.code, ran.out) == (64, "")
    assert "`--as-test`" in ran.err
