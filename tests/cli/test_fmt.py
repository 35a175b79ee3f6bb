"""`exitgate fmt`: canonical form, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from cli_policy import POLICY, write
from cli_program import run

FORMATTED = POLICY.replace("tasks.percent   >=  $goal   #", "tasks.percent >= $goal   #")


def test_a_file_is_rewritten_and_keeps_its_mode(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "policy.yaml").chmod(0o640)
    assert run("fmt", "policy.yaml", cwd=tmp_path) == (0, "", "changed policy.yaml\n")
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == FORMATTED
    assert (tmp_path / "policy.yaml").stat().st_mode & 0o777 == 0o640
    assert run("fmt", "policy.yaml", cwd=tmp_path) == (0, "", "")


def test_check_changes_nothing_and_is_69(tmp_path: Path) -> None:
    write(tmp_path)
    assert run("fmt", "--check", "policy.yaml", cwd=tmp_path) == (69, "", "would change policy.yaml\n")
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == POLICY


def test_diff_shows_what_would_change(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("fmt", "--diff", "policy.yaml", cwd=tmp_path)
    assert ran.code == 69
    assert (
        "-    when: tasks.percent   >=  $goal   # enough\n+    when: tasks.percent >= $goal   # enough\n"
        in ran.out
    )
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == POLICY


def test_a_broken_file_leaves_all_as_they_are(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "broken.yaml").write_text(POLICY.replace("$goal", "$goal >="), encoding="utf-8")
    ran = run("fmt", "policy.yaml", "broken.yaml", cwd=tmp_path)
    assert (ran.code, ran.out) == (65, "")
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == POLICY


def test_a_missing_file_is_66(tmp_path: Path) -> None:
    assert run("fmt", "nowhere.yaml", cwd=tmp_path).code == 66


def test_a_link_keeps_pointing(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "link.yaml").symlink_to("policy.yaml")
    assert run("fmt", "link.yaml", cwd=tmp_path).code == 0
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == FORMATTED


def test_what_is_wrong_with_all_files_is_told_at_once(tmp_path: Path) -> None:
    write(tmp_path)
    for name in ("broken", "other"):
        (tmp_path / f"{name}.yaml").write_text(POLICY.replace("$goal", "$goal >="), encoding="utf-8")
    ran = run("fmt", "policy.yaml", "broken.yaml", "other.yaml", cwd=tmp_path)
    assert (ran.code, ran.out) == (65, "")
    assert " broken.yaml:" in ran.err
    assert " other.yaml:" in ran.err
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == POLICY
    (tmp_path / "empty").mkdir()
    ran = run("fmt", "nowhere.yaml", "empty", "neither.yaml", cwd=tmp_path)
    assert ran.code == 66
    assert all(f"`{name}`" in ran.err for name in ("nowhere.yaml", "empty", "neither.yaml"))
