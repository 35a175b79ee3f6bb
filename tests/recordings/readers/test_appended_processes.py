"""Files to which several processes of an agent were appended: an iteration each, with what each used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import read
from streams import INIT, answer, assistant, call, lines, result, text

from exitgate.recordings.model import Run

SAID = "Shelf {} is planed and oiled."


def of(session: str, *events: dict) -> list[dict]:
    return [{**event, "session_id": session} for event in events]


def stream(nth: int, *, ends: bool = True, session: str = "") -> list[dict]:
    ended = (result(SAID.format(nth), total_cost_usd=0.5 * nth),) if ends else ()
    called = assistant(call(f"t-{nth}"), id=f"c-{nth}")
    said = assistant(text(SAID.format(nth)), id=f"m-{nth}")
    return of(session or f"s-{nth}", INIT, called, answer(f"t-{nth}", "ok"), said, *ended)


def codex(nth: int, *, ends: bool = True) -> list[dict]:
    said = {"type": "item.completed", "item": {"id": "i0", "type": "agent_message", "text": SAID.format(nth)}}
    done = {"type": "turn.completed", "usage": {"input_tokens": 10 * nth, "output_tokens": nth}}
    opened = [{"type": "thread.started", "thread_id": f"th-{nth}"}, {"type": "turn.started"}, said]
    return [*opened, *([done] if ends else [])]


def run_of(folder: Path, body: str, name: str = "night.jsonl") -> Run:
    path = folder / name
    path.write_text(body, "utf-8")
    runs, _ = read(path)
    (run,) = runs
    return run


def told(run: Run) -> list[tuple[int, str | None, float | None]]:
    return [(one.index, one.response, one.cost) for one in run.iterations]


BETWEEN = ("", "\n", "--- shift begins, Tue Mar 3 ---\n", "\n* * *\n\n")


@pytest.mark.parametrize("between", BETWEEN)
def test_each_session_of_a_stream_is_an_iteration(tmp_path: Path, between: str) -> None:
    run = run_of(tmp_path, "".join(between + lines(*stream(nth)) for nth in (1, 2, 3)))
    assert told(run) == [(nth, SAID.format(nth), 0.5 * nth) for nth in (1, 2, 3)]
    assert [len(one.tool_calls or ()) for one in run.iterations] == [1, 1, 1]
    assert [one.record["tokens"] for one in run.iterations] == [30, 30, 30]


@pytest.mark.parametrize("between", BETWEEN)
def test_each_thread_is_an_iteration(tmp_path: Path, between: str) -> None:
    run = run_of(tmp_path, "".join(between + lines(*codex(nth)) for nth in (1, 2, 3)))
    assert [(one.index, one.response, one.record["tokens"]) for one in run.iterations] == [
        (nth, SAID.format(nth), 11 * nth) for nth in (1, 2, 3)
    ]


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("same", [True, False])
def test_each_result_of_a_file_of_results_is_an_iteration(tmp_path: Path, between: str, same: bool) -> None:
    several = [
        result(SAID.format(nth), session_id="s" if same else f"s-{nth}", total_cost_usd=0.5 * nth)
        for nth in (1, 2, 3)
    ]
    run = run_of(tmp_path, "".join(between + lines(one) for one in several))
    assert told(run) == [(nth, SAID.format(nth), 0.5 * nth) for nth in (1, 2, 3)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("verbose", [True, False])
def test_results_over_many_lines_and_arrays_are_iterations(
    tmp_path: Path, indent: int | None, verbose: bool
) -> None:
    whole = [stream(nth) if verbose else stream(nth)[-1] for nth in (1, 2, 3)]
    run = run_of(tmp_path, "".join(json.dumps(one, indent=indent) + "\n" for one in whole))
    assert told(run) == [(nth, SAID.format(nth), 0.5 * nth) for nth in (1, 2, 3)]


@settings(max_examples=40, deadline=None)
@given(ends=st.lists(st.booleans(), min_size=1, max_size=6), kind=st.sampled_from([stream, codex]))
def test_killed_processes_count_too(tmp_path_factory, ends: list[bool], kind) -> None:
    folder = tmp_path_factory.mktemp("night")
    run = run_of(folder, "".join(lines(*kind(nth, ends=e)) for nth, e in enumerate(ends, 1)))
    assert [one.index for one in run.iterations] == list(range(1, len(ends) + 1))
    assert [one.output for one in run.iterations] == [SAID.format(nth) for nth in range(1, len(ends) + 1)]


def test_a_session_that_reports_several_times_is_one_iteration(tmp_path: Path) -> None:
    run = run_of(tmp_path, lines(*stream(1, session="s"), *stream(2, session="s"), *stream(3)))
    assert told(run) == [(1, SAID.format(2), 1.0), (2, SAID.format(3), 1.5)]


@pytest.mark.parametrize("parent", ["t-1", None])
def test_a_session_within_another_begins_no_iteration(tmp_path: Path, parent: str | None) -> None:
    outer = stream(1)
    inner = [{**event, "parent_tool_use_id": parent} for event in stream(7)]
    run = run_of(tmp_path, lines(*outer[:2], *inner, *outer[2:], *stream(2)))
    assert [(one.index, one.response) for one in run.iterations] == [
        (1, SAID.format(1)),
        (2, SAID.format(2)),
    ]


def test_files_of_one_iteration_keep_one_where_an_agent_was_started_twice(tmp_path: Path) -> None:
    for nth in range(1, 5):
        again = stream(9, ends=False) if nth == 2 else []
        (tmp_path / f"iteration-{nth}.jsonl").write_text(lines(*again, *stream(nth)), "utf-8")
    runs, _ = read(tmp_path)
    (run,) = runs
    assert told(run) == [(nth, SAID.format(nth), 0.5 * nth) for nth in range(1, 5)]
