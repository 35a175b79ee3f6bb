"""Session files of Goose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, sniffed, written

from exitgate.recordings.model import FileChange
from exitgate.recordings.replay.dry_run import dry_run

PLAN = "- [ ] one\n"
HEAD = {"working_dir": "/w", "description": "A list", "message_count": 6, "total_tokens": 900}


def message(role: str, second: int, *blocks: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    return {"role": role, "created": 1769940000 + second, "content": content}


def request(id: str, name: str, **arguments: Any) -> dict[str, Any]:
    call = {"status": "success", "value": {"name": name, "arguments": arguments}}
    return {"type": "toolRequest", "id": id, "toolCall": call}


def response(id: str, **result: Any) -> dict[str, Any]:
    return {"type": "toolResponse", "id": id, "toolResult": result}


EVENTS = [
    HEAD,
    message("user", 0, "Begin."),
    message(
        "assistant",
        1,
        {"type": "thinking", "thinking": "done"},
        "I write.",
        request("a", "editor", command="write", path="fix_plan.md", file_text=PLAN),
        request("b", "shell", command="make"),
    ),
    message(
        "user",
        2,
        response("a", status="success", value=[{"type": "text", "text": "written"}]),
        response("b", status="error", error="exit 2"),
    ),
    message("assistant", 3, "It does not build."),
    message("user", 60, "Go on."),
]


def test_a_user_message_with_what_follows_is_an_iteration(tmp_path: Path) -> None:
    path = written(tmp_path, "20260201_100000.jsonl", lines(EVENTS))
    assert sniffed(path) == "goose"
    run = one_run("goose", path)
    assert (run.begin.id, run.begin.title, run.begin.started_at) == (
        "20260201_100000",
        "A list",
        1769940000.0,
    )
    assert (run.begin.granularity, run.end.how, run.end.tokens) == ("turn", None, 900)
    one, two = run.iterations
    assert (one.prompt, one.response) == ("Begin.", "It does not build.")
    assert one.output == "I write.\n\nIt does not build."
    assert (one.provenance.first, one.provenance.last) == (2, 5)
    assert (one.started_at, one.ended_at) == (1769940000.0, 1769940003.0)
    assert (one.plan, one.files_changed) == (PLAN, (FileChange("fix_plan.md"),))
    assert one.tool_results == "written\nexit 2"
    assert one.tool_calls is not None
    assert [(c.name, c.is_error) for c in one.tool_calls] == [("editor", False), ("shell", True)]
    assert (one.cost, one.record["turns"], one.record["tool_calls"]) == (None, 2, 2)
    assert (two.prompt, two.response, two.output) == ("Go on.", None, None)


def test_messages_of_other_shapes_do_not_fit(tmp_path: Path) -> None:
    other = {"role": "user", "content": [{"type": "text", "text": "x"}]}
    assert sniffed(written(tmp_path, "x.jsonl", lines([other, other]))) != "goose"
    assert sniffed(written(tmp_path, "x.jsonl", lines([HEAD, {"a": {}}]))) != "goose"


def test_it_can_be_cut_anywhere() -> None:
    cut_anywhere("goose", "s.jsonl", lines(EVENTS).encode(), 23)


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes(content: bytes) -> None:
    any_bytes("goose", "s.jsonl", lines(EVENTS[:2]).encode() + content)


def test_a_dry_run_reads_it(tmp_path: Path) -> None:
    (found,) = dry_run([str(written(tmp_path, "s.jsonl", lines(EVENTS)))], ["recommended"]).results
    assert (found.run.reader, found.run.iterations, found.run.cost) == ("goose", 2, None)
