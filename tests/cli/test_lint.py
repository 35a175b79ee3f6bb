"""`exitgate lint`: what it prints, its exit codes, what it writes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest

from exitgate.analysis.lint import registry
from exitgate.cli.main import main

POLICY = """\
# yaml-language-server: $schema=policy.schema.json
policy: mine
format: 1
version: 1.0.0
title: Mine
doc: Ours
rules:
  - id: used_up
    when: run.iterations>=50
    exit: exhausted
    because: Enough   # a comment
  - id: late   # lint: off warn-without-advice: people read it
    when: run.iterations > 40
    warn: true
    because: Late
otherwise: {continue: true, because: Work}
undetermined: {exit_after: 5}
invariants: [{id: silence, given: nothing is known, never: exit}]
"""
CANONICAL = POLICY.replace("run.iterations>=50", "run.iterations >= 50")
TEXT = """\
note[non-canonical-condition]: this condition is not in canonical form
 --> policy.yaml:9:11
  │
9 │     when: run.iterations>=50
  │           ^^^^^^^^^^^^^^^^^^
 help: run `exitgate fmt` or `lint --fix`
 page: `exitgate explain non-canonical-condition`

1 note; `--fix` fixes 1
"""
#: A shape that needs no more than the text of a file, so that every test is quick.
QUICK = (
    "--select",
    "non-canonical-condition",
    "--select",
    "warn-without-advice",
    "--select",
    "unused-suppression",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "tests.yaml").write_text("tests: []\n", encoding="utf-8")
    return tmp_path


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["lint", *words])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.usefixtures("folder")
def test_text_shows_the_place_the_help_and_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "policy.yaml", *QUICK) == (0, TEXT, "")
    assert ran(capsys, "policy.yaml", *QUICK, "--fail-level", "note")[0] == 69
    ignored = (
        "policy.yaml",
        *QUICK,
        "--ignore",
        "non-canonical-condition",
        "--ignore",
        "warn-without-advice",
    )
    assert ran(capsys, *ignored) == (0, "", "1 file linted, nothing found\n")
    assert ran(capsys, "policy.yaml", *QUICK, "--min-severity", "warning")[1] == ""


def test_warnings_fail_unless_only_errors_are_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = CANONICAL.replace("    because: Enough   # a comment\n", "")
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    quick = ("policy.yaml", "--select", "missing-because")
    assert ran(capsys, *quick)[0] == 69
    assert ran(capsys, *quick, "--fail-level", "error")[0] == 0


def test_json_names_every_finding_suppressed_ones_too(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = ran(capsys, "policy.yaml", *QUICK, "--format", "json")
    found = json.loads(out)
    assert (code, err, found["schema"], found["files"]) == (0, "", "exitgate/lint@1", 1)
    assert found["counts"] == {"errors": 0, "warnings": 0, "notes": 1, "suppressed": 1}
    first, second = found["findings"]
    assert (first["lint"], first["line"], first["fixable"]) == ("non-canonical-condition", 9, True)
    assert (second["lint"], second["suppressed"]) == ("warn-without-advice", {"reason": "people read it"})
    assert found["errors"] == []
    (folder / "policy.yaml").write_text(CANONICAL, encoding="utf-8")
    assert json.loads(ran(capsys, "policy.yaml", *QUICK, "--format", "json")[1])["counts"]["notes"] == 0


@pytest.mark.usefixtures("folder")
def test_github_annotations(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "policy.yaml", *QUICK, "--format", "github")
    assert code == 0
    assert out.startswith("::notice file=policy.yaml,line=9,endLine=9,col=11,")
    assert out.count("\n") == 1


#: What the official schema of SARIF 2.1.0 requires of the parts that are written.
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string", "format": "uri"},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
    },
    "additionalProperties": False,
    "$defs": {
        "message": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "run": {
            "type": "object",
            "required": ["tool", "results"],
            "additionalProperties": False,
            "properties": {
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "tool": {
                    "type": "object",
                    "required": ["driver"],
                    "properties": {
                        "driver": {
                            "type": "object",
                            "required": ["name", "rules"],
                            "properties": {"rules": {"items": {"$ref": "#/$defs/rule"}, "uniqueItems": True}},
                        }
                    },
                },
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            },
        },
        "rule": {
            "type": "object",
            "required": ["id"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/message"},
                "fullDescription": {"$ref": "#/$defs/message"},
                "help": {"$ref": "#/$defs/message"},
                "defaultConfiguration": {"properties": {"level": {"$ref": "#/$defs/level"}}},
            },
        },
        "location": {
            "type": "object",
            "required": ["physicalLocation"],
            "properties": {
                "id": {"type": "integer", "minimum": 0},
                "message": {"$ref": "#/$defs/message"},
                "physicalLocation": {
                    "required": ["artifactLocation"],
                    "properties": {
                        "artifactLocation": {"properties": {"uri": {"pattern": "^[-A-Za-z0-9._~/%]+$"}}},
                        "region": {
                            "required": ["startLine"],
                            "additionalProperties": {"type": "integer", "minimum": 1},
                        },
                    },
                },
            },
            "additionalProperties": False,
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"$ref": "#/$defs/level"},
                "message": {"$ref": "#/$defs/message"},
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "relatedLocations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                "suppressions": {
                    "type": "array",
                    "items": {
                        "required": ["kind"],
                        "properties": {"kind": {"enum": ["inSource", "external"]}, "justification": {}},
                        "additionalProperties": False,
                    },
                },
            },
        },
    },
}


def sarif(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    found = json.loads(ran(capsys, *words, "--format", "sarif")[1])
    jsonschema.Draft202012Validator(SARIF).validate(found)
    return found["runs"][0]


def test_sarif_has_rules_suppressions_and_fingerprints_that_stay(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a b.yaml").write_text(POLICY, encoding="utf-8")
    run = sarif(capsys, "a b.yaml", *QUICK)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(registry.IDS)
    first, second = run["results"]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "non-canonical-condition"
    assert first["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "a%20b.yaml"}
    assert "suppressions" not in first
    assert second["suppressions"] == [{"kind": "inSource", "justification": "people read it"}]
    moved = POLICY.replace("format: 1", "format: 1\n# a line more").replace("late", "later")
    (folder / "a b.yaml").write_text(moved, encoding="utf-8")
    again = sarif(capsys, "a b.yaml", *QUICK)["results"][0]
    assert again["locations"] != first["locations"]
    assert again["partialFingerprints"] == first["partialFingerprints"]


def test_sarif_of_a_file_with_errors_names_their_codes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "policy.yaml").write_text(POLICY.replace("run.it", "ran.it"), encoding="utf-8")
    run = sarif(capsys, "policy.yaml", *QUICK)
    codes = [r["ruleId"] for r in run["results"] if r["level"] == "error"]
    assert codes == ["EP401", "EP401"]
    assert len({r["partialFingerprints"]["exitgate/v1"] for r in run["results"]}) == len(run["results"])


def test_errors_of_a_file_are_65_with_the_lints_that_still_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "policy.yaml").write_text(POLICY.replace("run.it", "ran.it"), encoding="utf-8")
    code, out, _ = ran(capsys, ".", *QUICK)
    assert code == 65
    assert "error[EP401]" in out
    assert "note[non-canonical-condition]" in out
    assert "2 errors, 1 note" in out
    assert ran(capsys, ".", *QUICK, "--fix")[2] == ""  # nothing is fixed in a file with errors


def test_fix_writes_and_keeps_comments_and_mode(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "policy.yaml").chmod(0o640)
    shown = ran(capsys, "policy.yaml", *QUICK, "--fix", "--diff")
    assert shown[0] == 0
    assert "-    when: run.iterations>=50\n+    when: run.iterations >= 50\n" in shown[1]
    assert shown[2] == "would fix policy.yaml in 1 place\n"
    assert (folder / "policy.yaml").read_text(encoding="utf-8") == POLICY
    assert json.loads(ran(capsys, "policy.yaml", *QUICK, "--fix", "--diff", "--format", "json")[1])
    done = ran(capsys, "policy.yaml", *QUICK, "--fix")
    assert done == (0, "", "fixed policy.yaml in 1 place\n")
    assert (folder / "policy.yaml").read_text(encoding="utf-8") == CANONICAL
    assert (folder / "policy.yaml").stat().st_mode & 0o777 == 0o640
    again = (0, "", "1 file linted, nothing found, 1 turned off\n")
    assert ran(capsys, "policy.yaml", *QUICK, "--fix") == again


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("policy.yaml", "--select", "missing-becose"), 64, "did you mean `missing-because`?"),
        (("policy.yaml", "--ignore", "x"), 64, "EP520"),
        (("policy.yaml", "--diff"), 64, "write `--fix --diff`"),
        (("policy.yaml", "--today", "tomorrow"), 64, "`--today tomorrow` is not a date"),
        (("nowhere.yaml",), 66, "EP811"),
        (("policy.yaml", "--against", "HEAD"), 66, "is not in a git work tree"),
        ((), 64, "PATH"),
    ],
)
def test_mistakes_on_the_command_line(
    words: tuple[str, ...], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ran_ = ran(capsys, *words)
    assert ran_[0] == code
    assert told in ran_[2]


def test_the_day_is_an_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".bb3").mkdir()
    change = "{mode: warn, why: not yet, until: 2027-03-01}"
    text = f"exit_decision:\n  policy: bb3\n  rules:\n    low_confidence: {change}\n"
    (folder / ".bb3" / "config.yaml").write_text(text, encoding="utf-8")
    words = (".", "--select", "expired-exception", "--today")
    assert ran(capsys, *words, "2027-03-01")[0] == 0
    code, out, _ = ran(capsys, *words, "2027-03-02")
    assert code == 69
    assert "the exception of rule `low_confidence` expired" in out


def test_the_version_is_held_against_the_last_commit_or_another(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*words: str) -> None:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    words = ("policy.yaml", "--select", "version-not-raised")
    git("init", "-q")
    assert ran(capsys, *words)[0] == 0  # nothing is committed yet
    git("add", ".")
    git("commit", "-q", "-m", "one")
    (folder / "policy.yaml").write_text(CANONICAL + "# only a comment\n", encoding="utf-8")
    changed = ran(capsys, *words)
    assert (changed[0], "the policy changed but its version is still 1.0.0" in changed[1]) == (69, True)
    git("commit", "-q", "-a", "-m", "two")
    assert ran(capsys, *words)[0] == 0
    assert ran(capsys, *words, "--against", "HEAD~1")[0] == 69
    missing = ran(capsys, *words, "--against", "no-such")
    assert (missing[0], "EP540" in missing[2]) == (66, True)


def test_what_is_shipped_is_linted_by_name_and_never_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ran(capsys, "bb3", "--select", "missing-tests") == (0, "", "1 file linted, nothing found\n")


def test_in_a_folder_other_kinds_are_passed_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "workflow.yaml").write_text("on: push\n", encoding="utf-8")
    (folder / "policy.yaml").write_text(CANONICAL, encoding="utf-8")
    assert ran(capsys, ".", *QUICK) == (0, "", "1 file linted, nothing found, 1 turned off\n")
    assert ran(capsys, "tests.yaml", *QUICK) == (0, "", "0 files linted, nothing found\n")
    code, out, _ = ran(capsys, "workflow.yaml", *QUICK)  # named, it is meant to be a policy
    assert (code, "unknown key `on`" in out) == (65, True)


def test_every_path_that_is_not_there_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert main(["lint", "bb3", "gone.yaml", "empty", "away.yaml"]) == 66
    told = capsys.readouterr()
    assert told.out == ""
    assert all(f"`{name}`" in told.err for name in ("gone.yaml", "empty", "away.yaml"))
