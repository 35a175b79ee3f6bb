"""`exitgate migrate`: shown by default, written when told to, all files or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_repository import Program

OLD = (
    "policy: ours   # which\nversion: 1.0.0\nrules:\n  - {id: a, when: run.iterations > 3, exit: exhausted}\n"
)
NEW = OLD.replace("version", "format: 1\nversion")
SKETCH = Path(__file__).parents[1] / "analysis" / "migrate" / "sketch.yaml"


@pytest.fixture
def exitgate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text(OLD, encoding="utf-8")
    return Program(capsys)


DIFF = """\
--- policy.yaml
+++ policy.yaml (migrated)
@@ -1,3 +1,4 @@
 policy: ours   # which
+format: 1
 version: 1.0.0
 rules:
"""


def test_what_would_change_is_shown(tmp_path: Path, exitgate: Program) -> None:
    assert exitgate("migrate", "policy.yaml") == (0, DIFF, "would migrate policy.yaml from format 0\n")
    assert exitgate("migrate", "--check", "policy.yaml")[0] == 69
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == OLD


def test_write_keeps_mode_and_links_and_is_done_then(tmp_path: Path, exitgate: Program) -> None:
    (tmp_path / "policy.yaml").chmod(0o640)
    (tmp_path / "link.yaml").symlink_to("policy.yaml")
    assert exitgate("migrate", "--write", "link.yaml") == (0, "", "migrated link.yaml from format 0\n")
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == NEW
    assert (tmp_path / "policy.yaml").stat().st_mode & 0o777 == 0o640
    assert exitgate("migrate", "--check") == (0, "", "2 policies are in the current format\n")
    assert exitgate("validate", "policy.yaml")[0] == 0


def test_other_files_are_left_alone_and_said_so(tmp_path: Path, exitgate: Program) -> None:
    others = {
        "tests.yaml": "tests: []\n",
        "own.yaml": "lexicon: own\ntitle: Own\n",
        "docker.yaml": "services: &a {b: 1}\nmore: *a\n",
        ".bb3/config.yaml": "exit_decision: {policy: bb3}\n",
    }
    for path, text in others.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    code, out, err = exitgate("migrate", "--write")
    assert (code, out) == (0, "")
    assert err == "migrated ./policy.yaml from format 0\n4 files left alone: not a policy\n"
    assert {path: (tmp_path / path).read_text(encoding="utf-8") for path in others} == others


def test_one_file_with_an_error_leaves_all_as_they_are(tmp_path: Path, exitgate: Program) -> None:
    (tmp_path / "a.yaml").write_text("policy: a\npolicy: b\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("policy: b\nformat: 7\n", encoding="utf-8")
    code, out, err = exitgate("migrate", "--write")
    assert (code, out) == (65, "")
    assert "EP105" in err
    assert "--> ./a.yaml:2:1" in err
    assert "error[EP207]: this policy is written in format 7" in err
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == OLD


def test_a_sketch_is_migrated_with_remarks(tmp_path: Path, exitgate: Program) -> None:
    (tmp_path / "policy.yaml").write_text(SKETCH.read_text(encoding="utf-8"), encoding="utf-8")
    code, out, err = exitgate("migrate", "--write", "policy.yaml")
    assert (code, out) == (0, "")
    assert err.count("warning[EP546]") == 5
    assert exitgate("validate", "policy.yaml")[0] == 0


def test_an_old_policy_says_how_to_go_on(tmp_path: Path, exitgate: Program) -> None:
    text = SKETCH.read_text(encoding="utf-8").partition("tests:")[0]
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    code, out, _ = exitgate("validate", "policy.yaml")
    assert code == 65
    assert out.count("error[") == 1
    assert "help: run `exitgate migrate policy.yaml` to see the changes, then add `--write`" in out


def test_wrong_uses(tmp_path: Path, exitgate: Program) -> None:
    assert exitgate("migrate", "--write", "--check")[0] == 64
    assert exitgate("migrate", "nowhere.yaml")[0] == 66
    (tmp_path / "empty").mkdir()
    assert exitgate("migrate", "empty")[0] == 66
    (tmp_path / "latin.yaml").write_bytes(b"policy: \xe9\n")
    assert exitgate("migrate", "latin.yaml")[0] == 65
