"""mini-swe-agent: trajectories of version 2, of version 1, and of the responses API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, one_run, runs_of, sniffed, written

from exitgate.recordings.replay.dry_run import dry_run

READER = "mini-swe-agent"
START = 1_780_000_000.5


def asked(at: float, text: str, *commands: str, cost: float = 0.01) -> dict[str, Any]:
    usage = {"prompt_tokens": 90, "completion_tokens": 10}
    choices = [{"finish_reason": "tool_calls"}]
    return {
        "role": "assistant", "content": text,
        "extra": {
            "actions": [{"command": c, "tool_call_id": f"call-{c}"} for c in commands],
            "response": {"model": "maker/model-1", "usage": usage, "choices": choices},
            "cost": cost, "timestamp": at,
        },
    }  # fmt: skip


def gave(at: float, command: str, code: int, output: str, broken: str = "") -> dict[str, Any]:
    return {
        "role": "tool", "tool_call_id": f"call-{command}",
        "content": f"<returncode>{code}</returncode>\n<output>\n{output}</output>",
        "extra": {"raw_output": output, "returncode": code, "timestamp": at, "exception_info": broken},
    }  # fmt: skip


def trajectory(status: str | None = "Submitted", *messages: dict[str, Any]) -> dict[str, Any]:
    steps = messages or (
        asked(START, "Let me look.", "ls"),
        gave(START + 1, "ls", 0, "app.py\n"),
        asked(START + 2, "", "cat > TODO.md", "pytest", cost=0.02),
        gave(START + 4, "pytest", 1, "1 failed\n"),
        gave(START + 3, "cat > TODO.md", 0, ""),
    )
    return {
        "info": {
            "model_stats": {"instance_cost": 0.03, "api_calls": 2}, "mini_version": "2.2.0",
            "exit_status": status, "config": {"agent": {"step_limit": 9}},
        },
        "messages": [
            {"role": "system", "content": "You can run commands."},
            {"role": "user", "content": "Add a port."},
            *steps,
            {"role": "exit", "content": "diff", "extra": {"exit_status": status, "submission": "diff"}},
        ],
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "acme__port-1",
    }  # fmt: skip


def test_every_part(tmp_path: Path) -> None:
    path = written(tmp_path, "x.traj.json", json.dumps(trajectory(), indent=2))
    assert sniffed(path) == READER
    run = one_run(READER, path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("acme__port-1", "step", START)
    look, two = run.iterations
    assert (look.response, look.prompt) == ("Let me look.", "Add a port.")
    assert look.tool_results == "<returncode>0</returncode>\n<output>\napp.py\n</output>"
    assert look.record == {
        "format": "JSON", "cost": 0.01, "tokens": 100, "model": "maker/model-1", "stop_reason": "tool_calls",
        "tool_calls": 1,
    }  # fmt: skip
    assert (look.started_at, look.ended_at) == (START, START + 1)
    assert two.response == ""
    assert [(c.input, c.exit_status, c.is_error) for c in two.tool_calls or ()] == [
        ({"command": "cat > TODO.md"}, 0, False),
        ({"command": "pytest"}, 1, True),
    ]
    assert two.ended_at == START + 4
    assert two.files_changed is None
    assert (run.end.how, run.end.why, run.end.cost) == ("complete", "Submitted", None)
    assert run.end.ended_at == START + 4


@pytest.mark.parametrize(
    ("status", "how"),
    [
        ("Submitted", "complete"), ("LimitsExceeded", "exhausted"), ("UserInterruption", "interrupted"),
        ("ContextWindowExceededError", "exhausted"), ("InternalServerError", "failed"), ("Timeout", "failed"),
        ("NotSubmitted", "failed"), (None, None), ("", None),
    ],
)  # fmt: skip
def test_the_exit_status_is_the_name_of_what_ended_it(
    tmp_path: Path, status: str | None, how: str | None
) -> None:
    assert one_run(READER, written(tmp_path, "t.traj.json", trajectory(status))).end.how == how


def test_the_magic_words_and_a_claim_are_no_end(tmp_path: Path) -> None:
    said = asked(START, "All done!", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
    run = one_run(READER, written(tmp_path, "t.traj.json", trajectory(None, said)))
    assert run.end.how is None


def test_older_files_fence_the_command_and_answer_as_the_user(tmp_path: Path) -> None:
    def model(text: str) -> dict[str, Any]:
        return {"role": "assistant", "content": text}

    def user(text: str) -> dict[str, Any]:
        return {"role": "user", "content": text}

    value = {
        "info": {"exit_status": "LimitsExceeded", "submission": "", "model_stats": {"instance_cost": 0.3,
                 "api_calls": 3}, "mini_version": "1.14.2"},
        "messages": [
            {"role": "system", "content": "You can run commands."}, user("Add a port."),
            model("THOUGHT: look\n\n```bash\nls -a\npwd\n```"),
            user("<returncode>127</returncode>\n<output>\n</output>"),
            model("I show two.\n```bash\na\n```\n```bash\nb\n```"),
            user("Please always provide EXACTLY ONE action."),
            model("```bash\necho MINI_SWE_AGENT_FINAL_OUTPUT\n```"),
            user("diff --git a/x b/x"),
        ],
    }  # fmt: skip
    path = written(tmp_path, "old-1.traj.json", value)
    assert sniffed(path) == READER
    run = one_run(READER, path)
    assert run.begin.id == "old-1"
    look, wrong, end = run.iterations
    assert look.tool_calls is not None
    assert look.tool_calls[0].input == {"command": "ls -a\npwd"}
    assert (look.tool_calls[0].exit_status, look.tool_calls[0].is_error) == (127, True)
    assert wrong.tool_calls == ()
    assert end.prompt == "Please always provide EXACTLY ONE action."
    assert end.tool_results == ""
    assert "cost" not in end.record
    assert (run.end.how, run.end.cost) == ("exhausted", 0.3)


def test_messages_of_the_responses_api(tmp_path: Path) -> None:
    said = {
        "object": "response", "model": "maker/model-2", "usage": {"input_tokens": 5, "output_tokens": 2},
        "output": [{"type": "reasoning", "summary": []},
                   {"type": "message", "content": [{"type": "output_text", "text": "Looking."}]},
                   {"type": "function_call", "name": "bash", "arguments": "{}", "call_id": "call-ls"}],
        "extra": {"actions": [{"command": "ls", "tool_call_id": "call-ls"}],
                  "cost": 0.01, "timestamp": START},
    }  # fmt: skip
    answer = {"type": "function_call_output", "call_id": "call-ls", "output": "app.py",
              "extra": {"returncode": 0, "timestamp": START + 1}}  # fmt: skip
    run = one_run(READER, written(tmp_path, "r.traj.json", trajectory("Submitted", said, answer)))
    (one,) = run.iterations
    assert (one.response, one.tool_results) == ("Looking.", "app.py")
    assert (one.record["tokens"], one.record["model"]) == (7, "maker/model-2")


def test_a_run_that_never_got_an_answer_has_no_iteration(tmp_path: Path) -> None:
    value = trajectory("Timeout")
    value["messages"] = value["messages"][:2]
    run = one_run(READER, written(tmp_path, "t.traj.json", value))
    assert (run.iterations, run.end.how, run.end.why) == ((), "failed", "Timeout")


def test_a_command_that_broke_down_has_no_exit_status(tmp_path: Path) -> None:
    value = trajectory(None, asked(START, "", "sleep 99"), gave(START, "sleep 99", -1, "", "TimeoutExpired"))
    (one,) = one_run(READER, written(tmp_path, "t.traj.json", value)).iterations
    assert one.tool_calls is not None
    assert (one.tool_calls[0].exit_status, one.tool_calls[0].is_error) == (None, True)


def test_a_backslash_that_begins_no_escape(tmp_path: Path) -> None:
    path = written(tmp_path, "t.traj.json", json.dumps(trajectory()).replace("app.py", "\\unicode \\x"))
    assert sniffed(path) == READER
    assert "\\unicode \\x" in (one_run(READER, path).iterations[0].tool_results or "")


def test_other_documents_are_told(tmp_path: Path) -> None:
    runs, problems = runs_of(READER, written(tmp_path, "t.traj.json", {"messages": 3}))
    assert (runs, [one.message for one in problems]) == ((), ["no messages; skipped"])


def test_a_policy_walks_over_it(tmp_path: Path) -> None:
    path = written(tmp_path, "x.traj.json", trajectory())
    (found,) = dry_run([str(path)], ["recommended"]).results
    assert (found.run.reader, found.run.iterations, found.run.cost) == (READER, 2, pytest.approx(0.03))


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes(content: bytes) -> None:
    any_bytes(READER, "x.traj.json", content)
    any_bytes(
        READER, "x.traj.json", b'{"trajectory_format": "mini-swe-agent-1", "messages": [{"role": ' + content
    )


def test_cut_off_anywhere() -> None:
    content = json.dumps(trajectory(), indent=1).encode()
    cut_anywhere(READER, "x.traj.json", content, 19)
