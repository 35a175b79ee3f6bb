"""`exitgate test`: what it runs, its exit codes, and its five forms."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml
from cli_golden import same
from cli_terminal import run_on_terminal

from exitgate.cli.main import main
from exitgate.core.policy.shipped import schema

POLICY = """\
policy: small
format: 1
version: 1.2.0
parameters:
  enough: {type: percent, default: 80, min: 1, doc: Share of ticked tasks that ends the run.}
profiles:
  strict: {enough: 95}
facts:
  tasks: {extract: checklist, from: plan}
circuit: {from: state.json}
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: "Breaker: {circuit.reason}"}
  - id: enough
    when: tasks.total > 0 and tasks.percent >= $enough
    exit: complete
    because: "{tasks.done} of {tasks.total}"
    escalation: |
      # Done
      Look at {tasks.total} tasks,
      then stop.
otherwise: continue
invariants:
  - {id: breaker_wins, given: circuit.state is OPEN, always: exit}
"""
PASSING = """\
format: 1
tests:
  - name: enough ends the run
    facts: {circuit.state: CLOSED, tasks.total: 10, tasks.done: 9}
    expect: {rule: enough, class: complete}
  - name: too little goes on
    facts: {circuit.state: CLOSED, tasks.total: 10}
    table:
      columns: [tasks.done, verdict]
      rows: [[0, CONTINUE], [7, CONTINUE]]
"""
FAILING = """\
  - name: "five # of <ten> & ]]> \\x1b[31m"
    note: somebody thought so
    facts: {circuit.state: CLOSED, tasks.total: 10, tasks.done: 5}
    expect:
      verdict: EXIT
      rule: enough
  - name: words
    facts: {circuit.state: CLOSED, tasks.total: 10, tasks.done: 8}
    expect:
      escalation:
        exact: |
          # Done
          Look at 9 tasks,
          then stop.
      undetermined: [open]
"""
BROKEN = POLICY.replace("circuit.state is OPEN, exit", "circuit.state is HALF_OPEN, exit")
Told = tuple[int, str, str]
Run = Callable[..., Told]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    for name, policy, tests in (
        ("good", POLICY, PASSING),
        ("bad", BROKEN, PASSING + FAILING),
        ("unusable", POLICY, PASSING.replace("tasks.done: 9", "tasks.dune: 9").replace("rule: e", "rule: f")),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "policy.yaml").write_text(policy)
        (tmp_path / name / "tests.yaml").write_text(tests)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*words: str) -> Told:
        code = main(["test", *words])
        return (code, *capsys.readouterr())

    return call


def test_everything_passes(run: Run) -> None:
    assert run("good") == (
        0,
        "● good/tests.yaml  small 1.2.0: 3 cases, 1 invariant\n\n"
        "● 4 passed (`exitgate prove` shows which invariants are proved)\n",
        "",
    )


def test_failures_as_people_read_them(run: Run) -> None:
    code, out, err = run("bad", "good")
    assert (code, err) == (69, "")
    same("test-failures.txt", out)


def test_bad_files_are_told_at_once_and_good_ones_run(run: Run, folder: Path) -> None:
    (folder / "unusable" / "more").mkdir()
    (folder / "unusable" / "more" / "policy.yaml").write_text("policy: [")
    (folder / "unusable" / "more" / "tests.yaml").write_text(PASSING)
    code, out, _ = run("unusable", "good")
    assert code == 65
    for part in ("EP490", "EP497", "did you mean `tasks.done`?", "policy.yaml:1:", "● good/tests.yaml"):
        assert part in out
    assert out.endswith("✗ 2 cannot be used, 4 passed\n")
    assert run("unusable", "bad", "--format", "json")[0] == 65


def test_selection(run: Run) -> None:
    assert run("good", "-k", "little and not 7", "--no-invariants")[1] == (
        "● good/tests.yaml  small 1.2.0: 1 case\n\n● 1 passed, 2 not selected\n"
    )
    assert "1 passed, 3 not selected" in run("good", "-k", "'invariant breaker'")[1]
    code, out, err = run("good", "-k", "nobody")
    assert (code, out) == (66, "")
    assert "nothing is selected by `-k nobody`: 4 names do not fit" in err
    code, _, err = run("good", "-k", "a and (b")
    assert code == 64
    assert "1 │ a and (b\n  │         ^\n" in err


def test_the_first_failure_ends_it(run: Run) -> None:
    code, out, _ = run("bad", "good", "-x")
    assert code == 69
    assert out.endswith(
        "✗ bad/tests.yaml  small 1.2.0: 1 of 4 failed\n\n✗ 1 failed, 3 passed; ended at the first failure\n"
    )
    assert "good/tests.yaml" not in out


def test_settings_and_profiles(run: Run, folder: Path) -> None:
    assert run("good", "--set", "enough=95", "--no-invariants")[0] == 69
    assert run("good", "--set", "enough=70", "--no-invariants")[0] == 69
    assert run("good", "--set", "enough=85", "--no-invariants")[0] == 0
    assert run("good", "--profile", "strict", "--no-invariants")[0] == 69
    code, out, _ = run("good", "--profile", "stricter")
    assert code == 65
    assert "did you mean `strict`" in out
    code, _, err = run("good", "--set", "enuf=3")
    assert code == 65
    assert "there is no parameter `enuf`" in err
    own = PASSING.replace("expect: {rule", "set: {enough: 90}\n    expect: {rule")
    (folder / "good" / "tests.yaml").write_text(own)
    assert run("good", "--set", "enough=95", "--no-invariants")[0] == 0
    file = PASSING.replace("tests:", "profile: strict\ntests:")
    (folder / "good" / "tests.yaml").write_text(file)
    assert run("good", "--no-invariants")[0] == 69
    (folder / "good" / "tests.yaml").write_text(file.replace("strict", "strickt"))
    code, out, _ = run("good")
    assert code == 65
    assert "tests.yaml:2:10" in out
    case = PASSING.replace(
        "expect: {rule: enough, class: complete}", "profile: strict\n    expect: {rule: ~}"
    )
    (folder / "good" / "tests.yaml").write_text(case)
    assert run("good", "--no-invariants")[0] == 0
    (folder / "good" / "tests.yaml").write_text(case.replace("strict", "strickt"))
    code, out, _ = run("good")
    assert code == 65
    assert "EP478" in out


def test_json_fits_its_schema(run: Run) -> None:
    code, out, _ = run("bad", "good", "unusable", "--format", "json")
    assert code == 65
    found = json.loads(out)
    jsonschema.Draft202012Validator(schema("test-results")).validate(found)
    assert (found["passed"], found["failed"], found["unusable"]) == (7, 3, 1)
    results = {one["name"]: one for one in found["files"][0]["results"]}
    misses = results["words"]["failures"]
    assert [(m["key"], m["place"]["line"]) for m in misses] == [("escalation", 21), ("undetermined", 25)]
    assert misses[0]["expected"] == "# Done\nLook at 9 tasks,\nthen stop.\n"
    assert "counterexample to breaker_wins" in "\n".join(results["breaker_wins"]["broken"])


def test_junit_is_well_formed_and_counts(run: Run, folder: Path) -> None:
    code, out, _ = run("bad", "good", "unusable", "--format", "junit")
    assert code == 65
    root = ET.fromstring(out)
    assert root.tag == "testsuites"
    cases = list(root.iter("testcase"))
    assert int(root.attrib["tests"]) == len(cases) == 11
    assert int(root.attrib["failures"]) == len(list(root.iter("failure"))) == 3
    assert int(root.attrib["errors"]) == len(list(root.iter("error"))) == 1
    for suite in root:
        assert suite.tag == "testsuite"
        assert suite.attrib.keys() == {"name", "tests", "failures", "errors", "skipped", "time"}
        own = list(suite)
        assert int(suite.attrib["tests"]) == len(own)
        assert int(suite.attrib["failures"]) == sum(case.find("failure") is not None for case in own)
        assert {case.tag for case in own} == {"testcase"}
    for case in cases:
        assert case.attrib.keys() <= {"name", "classname", "time", "file", "line"}
        assert case.attrib.keys() >= {"name", "classname", "time"}
        assert float(case.attrib["time"]) >= 0
        assert {below.tag for below in case} <= {"failure", "error"}
        assert all(below.attrib.keys() == {"message", "type"} for below in case)
    failed = next(case for case in cases if case.attrib["name"].startswith("five"))
    assert failed.attrib["name"] == "five # of <ten> & ]]> \\x1b[31m"
    text = failed.find("failure")
    assert text is not None
    assert text.attrib["message"] == "verdict: expected EXIT, got CONTINUE (and 1 more)"
    assert "bad/tests.yaml:16:13: rule: expected enough, got none" in str(text.text)
    assert (failed.attrib["file"], failed.attrib["line"]) == ("bad/tests.yaml", "11")


def test_tap_has_its_plan_and_yaml_that_can_be_read(run: Run) -> None:
    _, out, _ = run("bad", "unusable", "--format", "tap", "-k", "not 7")
    lines = out.splitlines()
    assert lines[0] == "TAP version 14"
    points = [line for line in lines if line.startswith(("ok ", "not ok "))]
    assert lines[1] == f"1..{len(points)}"
    assert [line.removeprefix("not ").split()[1] for line in points] == [
        str(n + 1) for n in range(len(points))
    ]
    assert any("five \\# of <ten> & ]]> \\\\x1b[31m" in line for line in points)
    blocks = out.split("  ---\n")[1:]
    assert len(blocks) == sum(line.startswith("not ok") for line in points) == 4
    said = [yaml.safe_load(block.split("  ...\n")[0]) for block in blocks]
    assert said[0]["message"] == "verdict"
    assert (said[0]["file"], said[0]["line"]) == ("bad/tests.yaml", 15)
    assert said[1]["expected"] == "# Done\nLook at 9 tasks,\nthen stop.\n"
    assert said[3]["problems"]
    assert lines[-1] == "# 1 not selected"


def test_github_annotates_what_was_expected(run: Run) -> None:
    _, out, _ = run("bad", "unusable", "--format", "github")
    lines = out.splitlines()
    assert all(line.startswith("::") for line in lines)
    assert any(
        line.startswith("::error file=bad/tests.yaml,line=16,col=13,title=five # of") for line in lines
    )
    assert any("file=bad/policy.yaml,line=" in line and "breaker_wins" in line for line in lines)
    assert any("file=unusable/tests.yaml" in line and "title=EP490" in line for line in lines)
    assert lines[-1] == "::notice title=exitgate test::3 passed, 3 failed, 1 file cannot be used"


def test_a_file_for_the_result(run: Run, folder: Path) -> None:
    code, out, _ = run("good", "--format", "junit", "-o", "out.xml")
    assert code == 0
    assert out.startswith("● good/tests.yaml")
    assert ET.parse(folder / "out.xml").getroot().attrib["tests"] == "4"
    code, _, err = run("good", "-o", "good/tests.yaml")
    assert code == 64
    assert (folder / "good" / "tests.yaml").read_text() == PASSING
    assert "which is" in err
    assert run("good", "-o", "none/out.xml")[0] == 73


def test_durations(run: Run) -> None:
    _, out, _ = run("good", "--durations", "2")
    lines = out.splitlines()
    assert lines[0] == "slowest"
    assert [line.split(" s  ")[1] for line in lines[1:4]][2] == "all files, including reading"
    assert run("good", "--durations", "0")[0] == 64


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["gone"], 66, "no file, folder or shipped policy `gone`"),
        (["gone/tests.yaml"], 66, "check the path"),
        (["a\0b"], 66, "no file, folder or shipped policy"),
        (["."], 65, ""),
        (["pipe"], 74, "it is a pipe"),
        (["latin.yaml"], 65, "byte 0xfc is not UTF-8"),
        (["huge.yaml"], 65, "EP104"),
        (["good", "--yes"], 64, "without `--update`"),
        (["recommended", "--update"], 64, "comes with exitgate"),
        (["gone", "--update"], 66, "no file, folder or shipped policy `gone`"),
        (["good", "--set", "enough"], 64, "NAME=VALUE"),
    ],
)
def test_bad_input(run: Run, folder: Path, words: list[str], code: int, part: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "latin.yaml").write_bytes("format: 1 # für".encode("latin-1"))
    (folder / "huge.yaml").write_text(
        "format: 1\ntests:\n" + "  - {name: a, expect: {firm: true}}\n" * 130_000
    )
    found, out, err = run(*words, "--no-invariants")
    assert found == code
    assert part in out + err


def test_without_a_path_the_project_is_tested(run: Run, folder: Path) -> None:
    assert run()[0] == 66
    (folder / "policies").mkdir()
    (folder / "good").rename(folder / "policies" / "good")
    assert run("--no-invariants") == (
        0, "● policies/good/tests.yaml  small 1.2.0: 3 cases\n\n● 3 passed\n", "",
    )  # fmt: skip


def test_update_shows_first_and_writes_when_told(run: Run, folder: Path) -> None:
    file = folder / "bad" / "tests.yaml"
    before = file.read_text()
    code, out, err = run("bad", "--update", "--no-invariants")
    assert code == 69
    assert file.read_text() == before
    assert "-      verdict: EXIT\n-      rule: enough\n+      verdict: CONTINUE\n+      rule: ~\n" in out
    assert "it is in a block of several lines" in err
    assert "nothing is written: 3 expectations in bad/tests.yaml would change; `--yes` writes it" in err
    code, again, err = run("bad", "--update", "--yes", "--no-invariants")
    assert (code, again) == (69, out)
    assert "wrote 3 expectations in bad/tests.yaml" in err
    assert "      verdict: CONTINUE\n      rule: ~\n" in file.read_text()
    code, out, err = run("good", "--update")
    assert (code, out, err) == (0, "", "every expectation already holds\n")


def test_update_asks_on_a_terminal(run: Run, folder: Path) -> None:
    file = folder / "bad" / "tests.yaml"
    words = ("test", "bad", "--update", "--no-invariants", "-k", "five", "--color", "never")
    asked = run_on_terminal(*words, cwd=folder, typed="n\n")
    assert asked.code == 69
    assert "write 2 expectations in bad/tests.yaml? [y/N]" in asked.out
    assert "      verdict: EXIT\n" in file.read_text()
    agreed = run_on_terminal(*words, cwd=folder, typed="y\n")
    assert agreed.code == 0
    assert "      verdict: CONTINUE\n      rule: ~\n" in file.read_text()


def test_colour(run: Run) -> None:
    _, out, _ = run("bad", "--color", "always", "--no-invariants")
    assert "\x1b[1;31m" in out
    assert "\x1b[1;32m+Look at 10 tasks,\x1b[0m" in out
    assert "\x1b[31m\n" not in out.replace("\x1b[1;31m", "")
