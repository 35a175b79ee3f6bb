"""`exitgate validate`: every problem of every file, in three forms."""

from __future__ import annotations

import json
from pathlib import Path

from cli_policy import write
from cli_program import run


def test_a_good_policy_is_0_and_quiet_on_stdout(tmp_path: Path) -> None:
    write(tmp_path)
    assert run("validate", "policy.yaml", cwd=tmp_path) == (0, "", "1 file checked, nothing wrong\n")


def test_all_problems_at_once_with_place_line_and_advice(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("validate", "wrong.yaml", cwd=tmp_path)
    assert (ran.code, ran.err) == (65, "")
    assert ran.out.startswith("error[EP401]: ")
    assert "  --> wrong.yaml:11:11\n   │\n11 │     when: tasks.percnt   >=  $gaol   # enough\n" in ran.out
    assert "help: did you mean `tasks.percent`?" in ran.out
    assert "help: did you mean `$goal`?" in ran.out
    assert ran.out.endswith("\n2 errors\n")


def test_a_folder_means_every_yaml_file_in_it(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("validate", ".", cwd=tmp_path)
    assert ran.code == 65
    assert ran.out.count("--> ./wrong.yaml:") == 2


def test_json_and_github(tmp_path: Path) -> None:
    write(tmp_path)
    problems = json.loads(run("validate", "wrong.yaml", "--format", "json", cwd=tmp_path).out)
    assert [(p["file"], p["line"], p["column"]) for p in problems] == [
        ("wrong.yaml", 11, 11),
        ("wrong.yaml", 11, 30),
    ]
    assert json.loads(run("validate", "policy.yaml", "--format", "json", cwd=tmp_path).out) == []
    lines = run("validate", "wrong.yaml", "--format", "github", cwd=tmp_path).out.splitlines()
    assert all(line.startswith("::error file=wrong.yaml,line=11,") for line in lines)
    assert len(lines) == 2


def test_a_missing_file_is_66_and_the_others_are_still_checked(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("validate", "nowhere.yaml", "wrong.yaml", cwd=tmp_path)
    assert ran.code == 66
    assert "nowhere.yaml" in ran.out
    assert "tasks.percnt" in ran.out


def test_a_folder_without_yaml_is_66(tmp_path: Path) -> None:
    ran = run("validate", str(tmp_path))
    assert (ran.code, ran.out) == (66, "")


def test_a_hostile_file_reaches_no_terminal_raw(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("policy: \"\\e[2J\"\nformat: 1\nversion: '\\x1b'\n\x1b]0;x\x07: 1\n")
    for form in ("text", "json", "github"):
        ran = run("validate", "x.yaml", "--format", form, cwd=tmp_path)
        assert ran.code == 65
        assert "\x1b" not in ran.out + ran.err


def test_hidden_folders_are_passed_over_but_for_the_settings(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "wrong.yaml").unlink()
    for folder in (".github/workflows", ".venv", ".bb3"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "ci.yml").write_text("name: ci\n", encoding="utf-8")
    ran = run("validate", ".", cwd=tmp_path)
    assert {line.strip().split(":")[0] for line in ran.out.splitlines() if "-->" in line} == {
        "--> ./.bb3/ci.yml"
    }
    assert run("validate", ".github", cwd=tmp_path).code == 65


def test_a_folder_without_yaml_keeps_no_file_from_being_checked(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "empty").mkdir()
    ran = run("validate", "empty", "wrong.yaml", cwd=tmp_path)
    assert ran.code == 66
    assert "no YAML file in or below `empty`" in ran.out
    assert "tasks.percnt" in ran.out
