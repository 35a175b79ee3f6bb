"""The plugin, in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PASSING = """\
format: 1
tests:
  - name: enough
    facts: {tasks.percent: 90}
    expect: {rule: enough}
"""
FAILING = """\
  - name: too little
    facts: {circuit.state: CLOSED, tasks.percent: 70}
    expect: {rule: enough}
"""


def pytest_in(folder: Path, *arguments: str) -> tuple[int, str]:
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "120"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "exitgate.surfaces.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, "--rootdir", str(folder), *arguments, str(folder)],
        capture_output=True, text=True, check=False, cwd=folder, env=environment,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_cases_and_invariants_are_tests(tmp_path: Path, policy_text: str) -> None:
    (tmp_path / "policy.yaml").write_text(policy_text)
    (tmp_path / "tests.yaml").write_text(PASSING)
    code, output = pytest_in(tmp_path, "-v")
    assert code == 0, output
    for name in ("tests.yaml::enough PASSED", "invariant breaker_wins PASSED", "silence_never_exits PASSED"):
        assert name in output


def test_failures_read_well(tmp_path: Path, policy_text: str) -> None:
    broken = policy_text.replace("when: circuit.state is OPEN", "when: circuit.state is HALF_OPEN")
    (tmp_path / "policy.yaml").write_text(broken)
    (tmp_path / "tests.yaml").write_text(PASSING + FAILING)
    code, output = pytest_in(tmp_path)
    assert code == 1, output
    assert "tests.yaml:8:20: rule: expected enough, got none" in output
    assert "rule `enough` is false: " in output
    assert "`breaker_wins` is broken: CONTINUE" in output
    assert "- name: counterexample to breaker_wins" in output
    assert (
        "nearest: would have been EXIT complete (plan_complete) if `tasks.percent` were 80% (is 70%)"
        in output
    )
    assert "2 failed, 2 passed" in output
    assert "Traceback" not in output


def test_a_broken_file_is_an_error_with_its_diagnostics(tmp_path: Path, policy_text: str) -> None:
    (tmp_path / "policy.yaml").write_text(policy_text)
    (tmp_path / "tests.yaml").write_text(PASSING.replace("tasks.percent", "tasks.percint"))
    code, output = pytest_in(tmp_path)
    assert code == 2, output
    assert "EP490" in output
    assert "tests.yaml:4:" in output
    assert "did you mean `tasks.percent`?" in output


def test_other_files_are_left_alone(tmp_path: Path, policy_text: str) -> None:
    (tmp_path / "tests.yaml").write_text("this is: [not ours\n")
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "policy.yaml").write_text(policy_text)
    code, output = pytest_in(tmp_path)
    assert code == 5, output


def test_tests_that_name_their_policy_and_selection(tmp_path: Path, policy_text: str) -> None:
    (tmp_path / "named").mkdir()
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "rules.yaml").write_text(policy_text)
    named = PASSING.replace("tests:", "policy: ../policy/rules.yaml\ntests:")
    (tmp_path / "named" / "tests.yaml").write_text(named + FAILING)
    code, output = pytest_in(tmp_path, "-v", "-k", "enough and not invariant")
    assert code == 0, output
    assert "1 passed, 3 deselected" in output
