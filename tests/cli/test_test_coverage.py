"""`exitgate test --coverage`: forms, files, the gate, and what goes where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exitgate.cli.main import main

POLICY = """\
policy: small
format: 1
version: 1.2.0
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: done, when: tasks.complete, exit: complete, because: a}
  - {id: never, when: tasks.complete and tasks.total > 3, exit: idle, because: b}
"""
CASES = """\
tests:
  - {name: three of three, facts: {tasks.total: 3, tasks.done: 3}, expect: {rule: done}}
  - {name: two of three, facts: {tasks.total: 3, tasks.done: 2}, expect: {verdict: CONTINUE}}
"""
EXCUSED = """\
coverage:
  excused:
    - {rule: never, why: the rule above takes every complete plan}
    - {rule: never, leaf: tasks.complete, never: true, why: the same}
"""
MORE = "  - {name: two of four, facts: {tasks.total: 4, tasks.done: 2}, expect: {verdict: CONTINUE}}\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    write(CASES)
    return tmp_path


def write(cases: str) -> None:
    Path("tests.yaml").write_text("format: 1\n" + cases, encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["test", "tests.yaml", *words])
    found = capsys.readouterr()
    return code, found.out, found.err


def test_coverage_stands_behind_the_result_of_the_tests(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--coverage")
    assert (code, err) == (0, "")
    assert out.index("2 passed") < out.index("small 1.2.0, 2 cases of tests.yaml")
    assert "policy.yaml:8:10 never: never decides" in out
    assert "policy.yaml:8:42 never: never true: tasks.total > 3" in out
    assert out.endswith("\nsmall: 63.6% shown, 7 of 11\n")


def test_without_the_option_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys)
    assert "shown" not in out


def test_the_gate(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--fail-under", "63.6")
    assert code == 0 and "is less than" not in out
    code, out, _ = run(capsys, "--fail-under", "63.7%")
    assert code == 69
    assert out.endswith("small: 63.6% is less than the required 63.7%\n")
    write(EXCUSED + CASES + MORE)
    code, out, _ = run(capsys, "--fail-under", "100")
    assert code == 0
    assert out.endswith("small: 100% shown, 8 of 8, 2 excused\n")


def test_an_excuse_that_does_not_hold_fails_whatever_the_share(capsys: pytest.CaptureFixture[str]) -> None:
    write("coverage: {excused: [{rule: done, why: w}]}\n" + CASES)
    code, out, _ = run(capsys, "--coverage")
    assert code == 69
    assert "EP511" in out and "case `three of three` shows it" in " ".join(out.split())
    assert "EP512" not in out
    code, out, _ = run(capsys)
    assert code == 0 and "EP511" not in out


def test_a_failed_case_fails_first(capsys: pytest.CaptureFixture[str]) -> None:
    write(CASES + "  - {name: wrong, facts: {tasks.total: 3}, expect: {rule: done}}\n")
    code, out, _ = run(capsys, "--fail-under", "0")
    assert code == 69 and "1 failed" in out and "3 cases" in out


@pytest.mark.parametrize("name", ["cover.html", "cover.HTM", "cover.json", "cover.txt"])
def test_the_form_of_a_file_follows_its_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--coverage-output", name)
    text = Path(name).read_text(encoding="utf-8")
    assert code == 0 and out.endswith("2 passed\n")
    if name.endswith("json"):
        assert json.loads(text)["schema"] == "exitgate/coverage@1"
    else:
        assert text.startswith("small 1.2.0" if name.endswith("txt") else "<!doctype html>")


def test_json_on_stdout_is_alone_there(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--coverage-format", "json", "--format", "tap")
    assert code == 0 and json.loads(out)["total"]["whole"] == 11
    assert err.startswith("TAP version")


def test_text_stands_beside_a_form_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--coverage", "--format", "json")
    assert code == 0 and json.loads(out)
    assert err.endswith("small: 63.6% shown, 7 of 11\n")


def test_equal_runs_write_equal_files(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--coverage-output", "a.html")
    run(capsys, "--coverage-output", "b.html")
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()


def test_unknown_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--coverage-unknown")
    assert "policy.yaml:7:22 done: never unknown: tasks.complete" in out
    assert out.endswith("small: 50% shown, 7 of 14\n")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--fail-under", "much"), 64, "EP513"),
        (("--fail-under", "101"), 64, "EP513"),
        (("--fail-under", "-1"), 64, "EP513"),
        (("--fail-under", "nan"), 64, "EP513"),
        (("--coverage", "--update"), 64, "`--update` and `--coverage`"),
        (("--coverage-output", "gone/a.html"), 73, "EP862"),
        (("--coverage-output", "tests.yaml"), 64, "EP861"),
        (("--coverage-output", "policy.yaml"), 64, "EP861"),
        (("-o", "policy.yaml"), 64, "EP861"),
        (("--coverage-output", "a.txt", "-o", "a.txt"), 64, "are both `a.txt`"),
        (("--coverage-format", "xml"), 64, "xml"),
    ],
)
def test_what_cannot_be(
    words: tuple[str, ...], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [Path(name).read_bytes() for name in ("tests.yaml", "policy.yaml")]
    found, _, err = run(capsys, *words)
    assert found == code and said in err
    assert [Path(name).read_bytes() for name in ("tests.yaml", "policy.yaml")] == before


def test_a_selection_shows_only_what_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--coverage", "-k", "three")
    assert "small 1.2.0, 2 cases" in out
    _, out, _ = run(capsys, "--coverage", "-k", "'two of'")
    assert "small 1.2.0, 1 case of" in out


def test_where_no_policy_can_be_read_nothing_is_all_shown(capsys: pytest.CaptureFixture[str]) -> None:
    write("tests: [\n")
    code, out, _ = run(capsys, "--coverage")
    assert code == 65
    assert out.endswith("no policy was checked\n")
    code, _, _ = run(capsys, "--coverage-output", "page.html")
    assert code == 65
    page = Path("page.html").read_text(encoding="utf-8")
    assert "No policy was looked at" in page
    assert "100%" not in page
