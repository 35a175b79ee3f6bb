"""Session recordings of ralph-orchestrator."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest
from hostile_files import any_bytes, cut_by_lines, odd_members
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import read, reader

from exitgate.recordings.replay.dry_run import dry_run

ID = "orchestrator-recording"


def write(at: int, text: str) -> str:
    data = {"bytes": b64encode(text.encode()).decode(), "stdout": True, "offset_ms": at}
    return json.dumps({"ts": at, "event": "ux.terminal.write", "data": data})


def meta(at: int, name: str, **data: object) -> str:
    return json.dumps({"ts": at, "event": f"_meta.{name}", "data": data})


def recording(folder: Path, *lines: str) -> Path:
    path = folder / "session.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_each_piece_of_terminal_text_is_an_iteration(tmp_path: Path) -> None:
    path = recording(
        tmp_path,
        write(0, "Begin\n\x1b[1mbold\x1b[0m"),
        write(900, '<event topic="LOOP_COMPLETE">done</event>'),
    )
    assert reader(path) == ID
    (run,), problems = read(path)
    assert (problems, run.begin.granularity, run.end.how) == ((), "process", None)
    one, two = run.iterations
    assert (one.response, one.output, one.provenance.first) == ("Begin\nbold", "Begin\nbold", 1)
    assert two.response == '<event topic="LOOP_COMPLETE">done</event>'
    assert (one.ended_at, one.cost, one.tool_results, one.plan) == (None, None, None, None)


def test_marked_iterations_hold_all_pieces_and_the_end_is_told(tmp_path: Path) -> None:
    lines = (
        meta(0, "loop_start"),
        meta(1, "iteration", n=1),
        write(2, "a"),
        write(3, "b"),
        meta(4, "iteration", n=2),
        meta(5, "termination", reason="max_iterations"),
    )
    (run,), _ = read(recording(tmp_path, *lines))
    assert [one.response for one in run.iterations] == ["ab", None]
    assert [(one.provenance.first, one.provenance.last) for one in run.iterations] == [(2, 4), (5, 5)]
    assert (run.end.how, run.end.why) == ("exhausted", "max_iterations")


def test_bare_events_but_start_and_end_are_iterations(tmp_path: Path) -> None:
    topics = ("task.start", "build.task", "build.done", "loop.terminate")
    path = recording(tmp_path, *(json.dumps({"topic": topic, "payload": "x"}) for topic in topics))
    assert reader(path) == ID
    (run,), _ = read(path)
    assert [one.provenance.first for one in run.iterations] == [2, 3]
    assert run.end.how is None


def test_a_bad_line_is_told_and_text_that_is_not_base64_stands(tmp_path: Path) -> None:
    odd = json.dumps({"ts": 1, "event": "ux.terminal.write", "data": {"bytes": "not base64!"}})
    (run,), (problem,) = read(recording(tmp_path, write(0, "a"), "{", odd))
    assert ([one.response for one in run.iterations], problem.line) == (["a", "not base64!"], 2)


@pytest.mark.parametrize(
    "line",
    [
        '{"topic": "a", "payload": "b", "ts": "2026-01-02T00:00:00Z"}',
        '{"event": "click", "data": {}, "ts": 1}',
    ],
)
def test_other_lines_do_not_fit(tmp_path: Path, line: str) -> None:
    assert reader(recording(tmp_path, line, line)) != ID


def test_cut_anywhere(tmp_path: Path) -> None:
    cut_by_lines(recording(tmp_path, *(write(n, f"said {n}") for n in range(5))), ID)


def test_odd_members(tmp_path: Path) -> None:
    odd_members(
        recording(tmp_path, meta(0, "iteration"), write(1, "a"), meta(2, "termination", reason="x")), ID
    )


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), "session.jsonl", body, ID)


def test_a_dry_run_opens_it(tmp_path: Path) -> None:
    (result,) = dry_run([str(recording(tmp_path, write(0, "a")))], ["recommended"]).results
    assert (result.run.reader, result.run.iterations) == (ID, 1)
