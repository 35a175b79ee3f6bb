"""Sessions and tasks of Cline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cline_samples import HISTORY, PLAN, SHOWN, T0, said
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, one_run, sniffed, written

from exitgate.recordings.discovery import discover
from exitgate.recordings.model import FileChange
from exitgate.recordings.replay.dry_run import dry_run


def message(second: int, role: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    return {"id": f"m{second}", "role": role, "ts": T0 + second * 1000, "content": content, **more}


def used(cost: float) -> dict[str, Any]:
    counts = {"inputTokens": 100, "outputTokens": 10, "cacheReadTokens": 90, "cacheWriteTokens": 0}
    return {"metrics": {**counts, "cost": cost}, "modelInfo": {"id": "mod-1"}}


def called(id: str, name: str, **input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def gave(id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "name": "x", "content": content, **more}


MESSAGES = [
    message(0, "user", "Begin.", {"type": "file", "path": "a.py", "content": "everything is done"}),
    message(
        1,
        "assistant",
        "I write.",
        called("a", "editor", path="fix_plan.md", content=PLAN),
        called("b", "run_commands", commands=["make"]),
        **used(0.5),
    ),
    message(
        2,
        "user",
        gave("a", '{"query":"edit:fix_plan.md","result":"Edited"}'),
        gave("b", [{"query": "make", "result": "built"}]),
    ),
    message(3, "assistant", called("c", "editor", path="c.py", old_text="x", new_text="y"), **used(0.25)),
    message(4, "user", gave("c", "no match", is_error=True)),
    message(5, "assistant", "One is built.", **used(0.25)),
    message(60, "user", "Go on."),
    message(61, "assistant", "I go on.", **used(1.5)),
]


def session(messages: list[Any]) -> dict[str, Any]:
    return {
        "version": 1,
        "updated_at": "2026-02-01T10:09:00.000Z",
        "agent": "lead",
        "sessionId": "c-1",
        "messages": messages,
    }


def test_a_user_message_with_what_follows_is_an_iteration(tmp_path: Path) -> None:
    path = written(tmp_path, "c-1.messages.json", session(MESSAGES))
    assert sniffed(path) == "cline"
    run = one_run("cline", path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("c-1", "turn", 1769940000.0)
    assert (run.end.how, run.end.ended_at) == (None, 1769940540.0)
    one, two = run.iterations
    assert (one.prompt, one.response, one.output) == ("Begin.", "One is built.", "I write.\n\nOne is built.")
    assert one.record == {
        "format": "JSON",
        "model": "mod-1",
        "cost": 1.0,
        "tokens": 330,
        "turns": 3,
        "tool_calls": 3,
        "files_changed": 1,
    }
    assert (one.started_at, one.ended_at) == (1769940000.0, 1769940005.0)
    assert (one.plan, one.files_changed) == (PLAN, (FileChange("fix_plan.md"),))
    assert one.tool_results == '{"query":"edit:fix_plan.md","result":"Edited"}\nbuilt\nno match'
    assert (two.prompt, two.cost) == ("Go on.", 1.5)


def test_tasks_of_older_versions_are_told_from_roos(tmp_path: Path) -> None:
    shown = [{**SHOWN[0], "say": "task"}, *SHOWN[1:]]
    for name, value in (("ui_messages.json", shown), ("api_conversation_history.json", HISTORY)):
        written(tmp_path / "t-1", name, value)
    (found,) = discover([str(tmp_path)])
    assert (found.reader, found.place.name) == ("cline", "t-1")
    assert sniffed(tmp_path / "t-1" / "ui_messages.json") == "cline"
    run = one_run("cline", tmp_path / "t-1")
    assert [one.prompt for one in run.iterations] == ["Begin.", "Two is not."]
    assert run.iterations[0].response == "One is built."


def test_marks_of_cline_make_it_clines(tmp_path: Path) -> None:
    shown = [*SHOWN, said(99, "checkpoint_created")]
    assert sniffed(written(tmp_path, "ui_messages.json", shown)) == "cline"
    shown = [{**SHOWN[0], "conversationHistoryIndex": -1}]
    assert sniffed(written(tmp_path, "ui_messages.json", shown)) == "cline"


def test_it_can_be_cut_anywhere() -> None:
    cut_anywhere("cline", "c-1.messages.json", json.dumps(session(MESSAGES)).encode(), 41)


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes(content: bytes) -> None:
    any_bytes("cline", "x.messages.json", content)


def test_a_dry_run_reads_it(tmp_path: Path) -> None:
    path = written(tmp_path, "c-1.messages.json", session(MESSAGES))
    (found,) = dry_run([str(path)], ["recommended"], to_the_end=True).results
    assert (found.run.reader, found.run.iterations, found.costs) == ("cline", 2, (1.0, 1.5))
