"""Streams of `--output-format stream-json`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import read, reader
from streams import INIT, answer, assistant, call, delta, lines, result, starts, text

from exitgate.recordings import registry
from exitgate.recordings.formats import claude_process
from exitgate.recordings.location import Location
from exitgate.recordings.model import TIMEOUT, USAGE_LIMIT
from exitgate.recordings.probe import probe_of
from exitgate.recordings.replay.dry_run import dry_run


def timed(event: dict, clock: str) -> dict:
    return {**event, "timestamp": f"2026-01-31T{clock}.000Z"}


WROTE = call("t-1", "Write", file_path=".ralph/fix_plan.md", content="- [x] parser\n- [ ] docs\n")
EVENTS = (
    {"type": "system", "subtype": "hook_started", "hook_name": "SessionStart:resume", "session_id": "s-1"},
    INIT,
    assistant(text("I begin."), WROTE),
    timed(answer("t-1", "written"), "12:00:10"),
    assistant(call("t-2", "Task", prompt="look"), id="m-2"),
    assistant(text("I am only a part."), call("t-3", command="ls"), id="m-3", parent="t-2"),
    answer("t-3", "a.py", parent="t-2"),
    timed(answer("t-2", "found"), "12:01:00"),
    {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed", "resetsAt": 1769871600}},
    assistant(text("The parser is done."), id="m-4"),
    result("The parser is done.", duration_ms=120_000, total_cost_usd=1.25),
)


def write(folder: Path, body: str | bytes, name: str = "out.jsonl") -> Path:
    path = folder / name
    path.write_bytes(body.encode() if isinstance(body, str) else body)
    return path


def test_a_stream_is_one_iteration_with_all_parts(tmp_path: Path) -> None:
    path = write(tmp_path, lines(*EVENTS))
    (run,), problems = read(path)
    (one,) = run.iterations
    assert (run.reader, run.begin.id, run.begin.resumed, problems) == ("claude-stream", "out", True, ())
    assert one.response == "The parser is done."
    assert one.output == "I begin.\n\nThe parser is done."
    assert one.tool_results == "written\nfound"
    assert (one.cost, one.record["tool_calls"], one.record["truncated"]) == (1.25, 2, False)
    assert one.record["limits"] == [{"status": "allowed", "resets_at": 1769871600}]
    assert one.tool_calls is not None
    assert [(c.name, c.own, c.result) for c in one.tool_calls] == [
        ("Write", True, "written"),
        ("Task", True, "found"),
        ("Bash", False, "a.py"),
    ]
    assert (one.provenance.first, one.provenance.last) == (1, len(EVENTS))
    assert one.plan == "- [x] parser\n- [ ] docs\n"
    assert (one.started_at, one.ended_at) == (1769860740.0, 1769860860.0)
    (played,) = dry_run([str(path)], ["recommended"]).results
    assert (played.run.cost, played.run.granularity, played.rows[0].verdict) == (1.25, "process", "CONTINUE")


def test_what_a_sub_agent_has_to_do_is_no_plan(tmp_path: Path) -> None:
    todo = [{"content": "look", "status": "completed"}]
    inner = assistant(call("t-2", "TodoWrite", todos=todo), parent="t-1")
    (run,), _ = read(write(tmp_path, lines(INIT, inner, answer("t-2", "ok", parent="t-1"), result())))
    assert run.iterations[0].plan is None


def test_a_bad_line_is_told_with_its_number_and_voids_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path, lines(EVENTS[1], "Terminated: 15", '{"type": "assis', *EVENTS[2:]))
    (run,), problems = read(path)
    assert [(p.line, "skipped" in p.message) for p in problems] == [(2, True), (3, True)]
    assert run.iterations[0].response == "The parser is done."


def test_many_bad_lines_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path, lines(*EVENTS, *["words"] * 50))
    _, problems = read(path, "claude-stream")
    assert len(problems) == 21 and "30 more lines" in problems[-1].message


def test_of_several_results_the_last_counts_and_refusals_add_up(tmp_path: Path) -> None:
    refused = [{"tool_name": "Bash", "tool_input": {"command": "git push"}}]
    first = result("One.", total_cost_usd=0.1, permission_denials=refused)
    other = [{"tool_name": "Write", "tool_input": {"file_path": "a"}}]
    last = result("Two.", total_cost_usd=0.3, permission_denials=other)
    (run,), _ = read(write(tmp_path, lines(INIT, first, last)))
    (one,) = run.iterations
    assert (one.response, one.cost) == ("Two.", 0.3)
    assert [d["tool"] for d in one.record["denials"]] == ["Bash", "Write"]  # type: ignore[attr-defined]


def test_a_rejected_limit_is_a_usage_limit(tmp_path: Path) -> None:
    limit = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1769871600}}
    (run,), _ = read(write(tmp_path, lines(INIT, limit, result("resets at noon", is_error=True))))
    assert run.iterations[0].error_kind == USAGE_LIMIT


def test_a_stream_without_a_result_has_what_was_said(tmp_path: Path) -> None:
    body = lines(INIT, assistant(text("I begin.")), starts("m-2"), delta("I go "), delta("on"))
    (run,), _ = read(write(tmp_path, body))
    (one,) = run.iterations
    assert (one.response, one.record["truncated"], one.exit_status) == ("I begin.\n\nI go on", True, None)
    assert (one.cost, one.timed_out, one.error_kind) == (None, None, None) and one.error_kind != TIMEOUT


@pytest.mark.parametrize("mark", ["\r\n", "\n\n", "\n\0\n"])
def test_line_ends_marks_and_control_characters(tmp_path: Path, mark: str) -> None:
    body = mark.join(json.dumps(event) for event in EVENTS)
    (run,), problems = read(write(tmp_path, b"\xef\xbb\xbf" + body.encode()))
    assert (run.iterations[0].response, problems) == ("The parser is done.", ())


def test_a_very_long_line_is_read(tmp_path: Path) -> None:
    long = answer("t-1", "x" * 1_000_000)
    (run,), problems = read(write(tmp_path, lines(INIT, assistant(WROTE), long, result())))
    assert len(run.iterations[0].tool_results or "") == 1_000_000 and not problems


def test_more_than_is_kept_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_process, "KEPT", 10)
    calls = [assistant(call(f"t-{n}", command="ls"), id=f"m-{n}") for n in (1, 2)]
    body = lines(INIT, *calls, answer("t-1", "12345678"), answer("t-2", "12345678", error=True), result())
    (run,), (problem,) = read(write(tmp_path, body))
    (one,) = run.iterations
    assert (one.tool_results, "last 1 is omitted" in problem.message) == ("12345678", True)
    assert one.tool_calls is not None and [c.is_error for c in one.tool_calls] == [False, True]


def test_session_files_and_single_results_are_no_streams(tmp_path: Path) -> None:
    session = {
        "type": "user",
        "uuid": "u",
        "parentUuid": None,
        "sessionId": "s",
        "message": {"content": "go"},
    }
    for body in (lines(session), lines(result()), lines({"type": "item.completed"}), "", "words\n"):
        assert reader(write(tmp_path, body)) != "claude-stream"


def test_cut_at_every_byte_it_tells_what_stands_before(tmp_path: Path) -> None:
    body = lines(*EVENTS).encode()
    said = ""
    for end in range(0, len(body), 41):
        (run,), _ = read(write(tmp_path, body[:end]), "claude-stream")
        (one,) = run.iterations
        now = (one.output or "").partition("\n\n")[0]
        assert "I begin.".startswith(now) and len(now) >= len(said)
        said = now


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.one_of(st.binary(max_size=60), st.sampled_from([lines(e).encode() for e in EVENTS])), max_size=12
    )
)
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]) -> None:
    path = write(tmp_path_factory.mktemp("any"), b"".join(parts))
    (run,), _ = read(path, "claude-stream")
    assert len(run.iterations) == 1 and run.iterations[0].index == 1


def test_a_result_that_stands_there_twice_is_one(tmp_path: Path) -> None:
    result = next(event for event in EVENTS if event["type"] == "result")
    (run,), _ = read(write(tmp_path, lines(result, result).encode()), "claude-stream")
    assert len(run.iterations) == 1
    (run,), _ = read(
        write(tmp_path, lines(result, {**result, "total_cost_usd": 2.5}).encode()), "claude-stream"
    )
    assert len(run.iterations) == 2


def test_a_stream_whose_lines_name_no_session_is_one(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text(
        '{"type":"assistant","message":{"content":[],"usage":{"input_tokens":7,"output_tokens":2}}}\n'
        '{"type":"result","total_cost_usd":0.25,"num_turns":2,"is_error":false}\n'
    )
    assert registry.sniff(probe_of(Location(str(path)))) == "claude-stream"
