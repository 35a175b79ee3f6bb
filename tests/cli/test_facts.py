"""`exitgate facts`: what the extractors find in a file, with evidence."""

from __future__ import annotations

import json
from pathlib import Path

from cli_policy import write
from cli_program import run


def test_facts_with_evidence(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("facts", "-p", "./policy.yaml", "plan.md", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("plan.md\ntasks.present ")
    assert "    plan:3 │ - [x] one\n           │   ^^^^^^^ done\n" in ran.out
    assert "tasks.percent        50%    1 of 2\n" in ran.out


def test_stdin_and_several_files(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("facts", "-p", "./policy.yaml", "-", "plan.md", cwd=tmp_path, stdin="- [x] a\n")
    assert ran.code == 0
    assert "<standard input>\n" in ran.out
    assert "\n\nplan.md\n" in ran.out


def test_unknown_facts_say_why(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("facts", "-p", "./policy.yaml", "-", cwd=tmp_path, stdin="nothing here\n")
    (line,) = [line for line in ran.out.splitlines() if line.startswith("tasks.percent ")]
    assert line.split()[1] == "unknown"
    assert len(line.split()) > 2


def test_json(tmp_path: Path) -> None:
    write(tmp_path)
    shown = json.loads(run("facts", "-p", "./policy.yaml", "plan.md", "--format", "json", cwd=tmp_path).out)
    (file,) = shown["files"]
    assert file["facts"]["tasks.percent"]["value"] == 50
    assert file["facts"]["tasks.done"]["evidence"][0]["excerpt"] == "[x] one"


def test_a_missing_file_is_66(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("facts", "-p", "./policy.yaml", "nowhere.md", cwd=tmp_path)
    assert (ran.code, ran.out) == (66, "")
    assert "nowhere.md" in ran.err


def test_hostile_text_is_shown_not_obeyed(tmp_path: Path) -> None:
    write(tmp_path)
    text = "- [x] \x1b[2J\x1b]0;owned\x07 \u202edone\n- [ ] \x9b5m\n"
    for form in ("text", "json"):
        ran = run("facts", "-p", "./policy.yaml", "-", "--format", form, cwd=tmp_path, stdin=text)
        assert ran.code == 0
        assert not set("\x1b\x07\x9b\u202e") & set(ran.out)
        assert "owned" in ran.out
