"""Exports, storage and events of opencode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings.discovery import discover
from exitgate.recordings.model import AUTH, CRASH, USAGE_LIMIT, FileChange
from exitgate.recordings.replay.dry_run import dry_run

T0 = 1769940000_000
INFO = {"id": "ses_1", "title": "A list", "directory": "/w", "time": {"created": T0, "updated": T0 + 90_000}}


def message(role: str, second: int, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    info = {"id": f"msg_{second:03}", "role": role, "time": {"created": T0 + second * 1000}, **more}
    return {"info": info, "parts": [{"id": f"prt_{second:03}_{n}", **part} for n, part in enumerate(parts)]}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def tool(name: str, status: str, output: str, exit: int | None = None, **input: Any) -> dict[str, Any]:
    told = {"output": output} if status == "completed" else {"error": output}
    state = {
        "status": status,
        "input": input,
        "metadata": {"exit": exit},
        "time": {"start": 1, "end": T0 + 5000},
    }
    return {"type": "tool", "callID": "REDACTED", "tool": name, "state": {**state, **told}}


def spent(cost: float, finish: str = "stop") -> dict[str, Any]:
    tokens = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 0}}
    return {"cost": cost, "tokens": tokens, "finish": finish, "modelID": "mod-1"}


TODOS = [{"content": "one", "status": "completed"}, {"content": "two", "status": "pending"}]
MESSAGES = [
    message("user", 0, text("Begin."), text("a file that was read", synthetic=True)),
    message(
        "assistant",
        1,
        {"type": "step-start"},
        {"type": "reasoning", "text": "all done"},
        text("I write."),
        tool("write", "completed", "written", filePath="a.py", content="x"),
        tool("bash", "completed", "2 failed", 2, command="pytest"),
        tool("todowrite", "completed", "ok", todos=TODOS),
        tool("edit", "error", "no match", filePath="b.py", oldString="x", newString="y"),
        {"type": "patch", "hash": "h", "files": ["a.py", "made/by/a/command.txt"]},
        {"type": "step-finish", "reason": "tool-calls", "cost": 0.5, "tokens": {"input": 999}},
        **spent(0.5, "tool-calls"),
    ),
    message("assistant", 2, text("everything is done, says the summary"), summary=True, **spent(0.125)),
    message("user", 3, text("Continue if you have next steps", synthetic=True)),
    message("assistant", 4, text("One is built."), **spent(0.25)),
    message("user", 60, text("Go on.")),
    message(
        "assistant", 61, text("I go"), error={"name": "MessageAbortedError", "data": {"message": "stopped"}}
    ),
]


def export(messages: list[Any], **info: Any) -> dict[str, Any]:
    return {"info": {**INFO, **info}, "messages": messages}


def check(one: Any) -> None:
    assert (one.prompt, one.response, one.output) == ("Begin.", "One is built.", "I write.\n\nOne is built.")
    assert (one.cost, one.record["tokens"], one.record["turns"]) == (0.875, 351, 3)
    assert (one.record["stop_reason"], one.record["is_error"], one.record["model"]) == (
        "stop",
        False,
        "mod-1",
    )
    assert "session" not in one.record
    assert one.files_changed == (FileChange("a.py"), FileChange("made/by/a/command.txt"))
    assert one.plan is not None
    assert [line for line in one.plan.split("\n") if line] == ["- [x] one", "- [ ] two"]
    assert one.tool_results == "written\n2 failed\nok\nno match"
    assert [(c.name, c.is_error, c.exit_status) for c in one.tool_calls] == [
        ("write", False, None),
        ("bash", False, 2),
        ("todowrite", False, None),
        ("edit", True, None),
    ]
    assert one.started_at == 1769940000.0


def test_a_user_message_with_what_follows_is_an_iteration(tmp_path: Path) -> None:
    path = written(tmp_path, "export.json", export(MESSAGES))
    assert sniffed(path) == "opencode"
    run = one_run("opencode", path)
    assert (run.begin.id, run.begin.title, run.begin.granularity) == ("ses_1", "A list", "turn")
    assert (run.begin.started_at, run.begin.parent) == (1769940000.0, None)
    assert (run.end.how, run.end.why, run.end.ended_at) == (
        "interrupted",
        "MessageAbortedError",
        1769940090.0,
    )
    one, two = run.iterations
    check(one)
    assert (two.record["truncated"], "is_error" in two.record, two.cost) == (True, False, None)


def test_a_session_with_a_parent_is_a_sub_agents(tmp_path: Path) -> None:
    run = one_run("opencode", written(tmp_path, "e.json", export(MESSAGES, parentID="ses_0")))
    assert run.begin.parent == "ses_0"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"name": "ProviderAuthError", "data": {"message": "no key"}}, AUTH),
        ({"name": "APIError", "data": {"message": "no key", "statusCode": 429}}, USAGE_LIMIT),
        ({"name": "UnknownError", "data": {"message": "no key"}}, CRASH),
    ],
)
def test_errors_have_a_kind(tmp_path: Path, error: Any, kind: str) -> None:
    run = one_run(
        "opencode", written(tmp_path, "e.json", export([MESSAGES[0], message("assistant", 1, error=error)]))
    )
    (one,) = run.iterations
    assert (one.record["is_error"], one.record["error"], one.error_kind) == (True, "no key", kind)
    assert (run.end.how, run.end.why) == ("failed", error["name"])


def test_an_answer_that_got_too_long_is_cut_off(tmp_path: Path) -> None:
    run = one_run(
        "opencode",
        written(tmp_path, "e.json", export([MESSAGES[0], message("assistant", 1, **spent(1, "length"))])),
    )
    assert (run.iterations[0].record["truncated"], run.iterations[0].response) == (True, "")


def store(root: Path, session: str = "ses_1") -> None:
    written(root, f"session/proj/{session}.json", {**INFO, "id": session})
    for at, one in enumerate(MESSAGES):
        told = {**one["info"], "id": f"{session}_{one['info']['id']}"}
        written(root, f"message/{session}/{9 - at}.json", told)
        for part in one["parts"]:
            written(root, f"part/{told['id']}/{part['id']}.json", part)


def test_a_storage_folder_has_a_run_for_each_session(tmp_path: Path) -> None:
    root = tmp_path / "storage"
    store(root)
    store(root, "ses_2")
    written(root, "session/proj/broken.json", "no json")
    written(root, "message/ses_2/broken.json", b"\xff")
    (found,) = discover([str(root)])
    assert (found.reader, found.place.path) == ("opencode", str(root))
    runs, problems = runs_of("opencode", root)
    assert sorted(run.begin.id for run in runs) == ["ses_1", "ses_2"]
    assert len(problems) == 2
    for run in runs:
        assert len(run.iterations) == 2
        check(run.iterations[0])
        assert run.iterations[0].provenance.file.endswith(f"session/proj/{run.begin.id}.json")


def event(kind: str, second: int, session: str = "ses_1", **more: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": T0 + second * 1000, "sessionID": session, **more}


def finished(cost: float, reason: str) -> dict[str, Any]:
    return {"type": "step-finish", "reason": reason, "cost": cost, "tokens": {"input": 3, "output": 4}}


EVENTS = [
    event("step_start", 0, part={"type": "step-start"}),
    event("text", 1, part={"id": "p1", **text("I write.")}),
    event(
        "tool_use",
        2,
        part={"id": "p2", **tool("write", "completed", "written", filePath="a.py", content="x")},
    ),
    event(
        "tool_use",
        2,
        part={"id": "p2", **tool("write", "completed", "written", filePath="a.py", content="x")},
    ),
    event("step_finish", 3, part=finished(0.5, "tool-calls")),
    event("step_start", 4, part={"type": "step-start"}),
    event("text", 5, part={"id": "p3", **text("One is built.")}),
    event("step_finish", 6, part=finished(0.25, "stop")),
]


def test_events_are_one_process(tmp_path: Path) -> None:
    path = written(tmp_path, "out.jsonl", lines(EVENTS))
    assert sniffed(path) == "opencode"
    run = one_run("opencode", path)
    (one,) = run.iterations
    assert (run.begin.id, run.begin.granularity, run.end.how) == ("ses_1", "process", None)
    assert (one.prompt, one.response, one.cost, one.record["tokens"]) == (None, "One is built.", 0.75, 14)
    assert (one.record["turns"], one.record["tool_calls"], one.record["is_error"]) == (2, 1, False)
    assert (one.started_at, one.ended_at) == (1769940000.0, 1769940006.0)
    assert (one.provenance.first, one.provenance.last) == (1, 8)


def test_events_of_another_session_are_another_run(tmp_path: Path) -> None:
    error = event(
        "error", 9, "ses_2", error={"name": "APIError", "data": {"message": "m", "statusCode": 401}}
    )
    runs, problems = runs_of(
        "opencode", written(tmp_path, "o.jsonl", lines(EVENTS) + "noise\n" + lines([error]))
    )
    assert [(run.begin.id, run.end.how) for run in runs] == [("ses_1", None), ("ses_2", "failed")]
    assert (runs[1].iterations[0].error_kind, [p.line for p in problems]) == (AUTH, [9])


def test_it_can_be_cut_anywhere() -> None:
    cut_anywhere("opencode", "s.json", json.dumps(export(MESSAGES)).encode(), 41)


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes(content: bytes) -> None:
    any_bytes("opencode", "s.json", content)
    any_bytes("opencode", "s.jsonl", lines(EVENTS[:2]).encode() + content)


def test_a_dry_run_reads_it(tmp_path: Path) -> None:
    (found,) = dry_run([str(written(tmp_path, "e.json", export(MESSAGES)))], ["recommended"]).results
    assert (found.run.reader, found.run.iterations, found.run.cost) == ("opencode", 2, 0.875)
