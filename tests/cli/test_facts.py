"""`exitgate facts`: what the extractors find in a file, with evidence."""

from __future__ import annotations

import json
from pathlib import Path

from cli_policy import write
from cli_program import run, run_apart


def test_facts_with_evidence(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("facts", "-p", "./policy.yaml", "plan.md", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("plan.md\ntasks.present ")
    assert "    plan:3 │ - [x] one\n           │   ^^^^^^^ done\n" in ran.out
    assert "tasks.percent        50%    1 of 2\n" in ran.out


def test_stdin_and_several_files(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run_apart("facts", "-p", "./policy.yaml", "-", "plan.md", cwd=tmp_path, stdin="- [x] a\n")
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


RESULT = {
    "type": "result",
    "is_error": True,
    "result": "usage limit reached",
    "num_turns": 4,
    "session_id": "s",
}


def shipped(tmp_path: Path, text: str, *arguments: str) -> dict[str, object]:
    ran = run("facts", "-p", "recommended", "-", "--format", "json", *arguments, cwd=tmp_path, stdin=text)
    assert ran.code == 0, ran.err
    facts = json.loads(ran.out)["files"][0]["facts"]
    return {name: fact["value"] for name, fact in facts.items()}


def test_a_response_is_taken_out_of_its_json(tmp_path: Path) -> None:
    facts = shipped(tmp_path, json.dumps(RESULT))
    assert facts["infrastructure.kind"] == "USAGE_LIMIT"
    assert facts["tools.turns"] == 4


def test_lines_of_evidence_are_those_of_what_was_said(tmp_path: Path) -> None:
    said = "Done.\n\n---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n"
    text = json.dumps({**RESULT, "is_error": False, "result": said})
    ran = run("facts", "-p", "recommended", "-", cwd=tmp_path, stdin=text)
    assert "    output:4 │ EXIT_SIGNAL: true\n" in ran.out


def test_a_form_can_be_forced(tmp_path: Path) -> None:
    facts = shipped(tmp_path, json.dumps(RESULT), "--input-format", "text")
    assert facts["infrastructure.kind"] == "NONE"
    ran = run("facts", "-p", "recommended", "-", "--input-format", "json", cwd=tmp_path, stdin="words")
    assert ran.code == 65
    assert "--input-format" in ran.err


def test_what_is_cut_off_is_said(tmp_path: Path) -> None:
    ran = run("facts", "-p", "recommended", "-", cwd=tmp_path, stdin=json.dumps(RESULT)[:60])
    assert "\nwarning: its JSON is cut off at the end; the rest counts\n" in ran.out


def test_a_response_is_no_plan_and_no_list_of_stories(tmp_path: Path) -> None:
    (tmp_path / "said.md").write_text("---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n")
    (tmp_path / "plan.md").write_text("1. [x] one\n")

    def found(name: str) -> dict[str, dict[str, object]]:
        ran = run("facts", "-p", "recommended", name, "--format", "json", cwd=tmp_path)
        return json.loads(ran.out)["files"][0]["facts"]

    said = found("said.md")
    assert said["status.exit_signal"]["value"] is True
    assert (said["tasks.present"]["value"], said["stories.present"]["value"]) == (False, False)
    for fact in ("tasks.total", "stories.total"):
        assert "`said.md` " in said[fact]["value"]["unknown"]
    assert found("plan.md")["tasks.total"]["value"] == 1


def test_what_calls_gave_back_is_seen_as_a_check_sees_it(tmp_path: Path) -> None:
    called = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "npx tsc"}}
    error = "a.ts(3,1): error TS2304: Cannot find name 'Mast'."
    told = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": error}
    events = [
        {"type": "assistant", "session_id": "s", "message": {"content": [called]}},
        {"type": "user", "session_id": "s", "message": {"content": [told]}},
        {"type": "result", "subtype": "success", "is_error": False, "session_id": "s", "result": "Rigged."},
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, events)))
    shown = json.loads(run("facts", "-p", "recommended", "a.jsonl", "--format", "json", cwd=tmp_path).out)
    (file,) = shown["files"]
    assert file["facts"]["errors.count"]["value"] == 1
    assert file["facts"]["errors.count"]["evidence"][0]["source"] == "tool_calls"
    assert file["facts"]["tools.background"]["value"] == 0
