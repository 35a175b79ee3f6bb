"""OpenHands before its SDK: event lists, rows of output.jsonl, rows of the resolver, the oldest pairs."""

from __future__ import annotations

import json
from pathlib import Path

import openhands_samples as samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings.replay.dry_run import dry_run

READER = "openhands"


@pytest.mark.parametrize(
    "value",
    [samples.history(), samples.row(), samples.resolver_row(), samples.pairs_row()],
    ids=["events", "row", "resolver", "pairs"],
)
def test_each_shape_is_told_by_its_content(tmp_path: Path, value: object) -> None:
    assert sniffed(written(tmp_path, "x.json", value)) == READER
    assert sniffed(written(tmp_path, "y.json", json.dumps(value, indent=2))) == READER


def test_rows_are_told_where_the_history_begins_behind_the_first_look(tmp_path: Path) -> None:
    long = {**samples.row(), "instruction": "x" * 400_000}
    assert sniffed(written(tmp_path, "one.json", {**long, "instance": {}})) is None
    early = {"instance_id": "a", "metadata": {"agent_class": "C"}, "test_result": {}, **long}
    assert sniffed(written(tmp_path, "two.json", early)) == READER


def test_every_part_of_a_row(tmp_path: Path) -> None:
    run = one_run(READER, written(tmp_path, "output.jsonl", lines([samples.row()])))
    assert (run.begin.id, run.begin.granularity) == ("acme__port-1", "step")
    assert run.begin.started_at == pytest.approx(1746086400.5)
    first, plan, failed, end = run.iterations
    assert [one.index for one in run.iterations] == [1, 2, 3, 4]
    assert first.response == first.output == "I run the tests."
    assert first.prompt == samples.TASK
    assert first.tool_results == "2 failed"
    assert first.tool_calls is not None
    call = first.tool_calls[0]
    assert (call.name, call.input, call.id) == ("bash", {"command": "pytest -q"}, "c1")
    assert (call.result, call.is_error, call.exit_status) == ("2 failed", True, 1)
    assert (first.started_at, first.ended_at) == (1746086404.5, 1746086405.5)
    assert first.record == {
        "format": "JSON", "cost": 0.01, "tokens": 100, "model": "maker/model-1", "tool_calls": 1,
    }  # fmt: skip
    assert first.files_changed is None  # a command may have written anything
    assert (first.provenance.first, first.provenance.last) == (1, 1)
    assert first.plan is None
    assert [change.path for change in plan.files_changed or ()] == ["/w/TODO.md"]
    assert plan.record["cost"] == pytest.approx(0.02)
    assert plan.plan == "- [x] rename\n- [ ] list\n"
    assert failed.files_changed == ()
    assert failed.record["tokens"] == 0
    assert failed.plan == plan.plan
    assert end.response == "Renamed; the list is open."
    assert end.output == "So.\n\nRenamed; the list is open."
    assert end.record["tool_calls"] == 0
    assert (run.end.how, run.end.why, run.end.cost) == (None, "finish", None)


@pytest.mark.parametrize(
    ("error", "how"),
    [
        (
            "RuntimeError: Agent reached maximum iteration in headless mode. Current iteration: 30",
            "exhausted",
        ),
        ("AgentStuckInLoopError: Agent got stuck in a loop", "stuck"),
        ("litellm.APIError: no answer", "failed"),
    ],
)
def test_the_error_of_a_row_says_how_it_ended(tmp_path: Path, error: str, how: str) -> None:
    run = one_run(READER, written(tmp_path, "o.json", samples.row(error=error)))
    assert (run.end.how, run.end.why) == (how, error[:120])


@pytest.mark.parametrize(
    ("state", "how"),
    [("finished", "complete"), ("stopped", "interrupted"), ("awaiting_user_input", "blocked"),
     ("error", "failed"), ("rejected", None)],
)  # fmt: skip
def test_the_last_state_says_how_it_ended(tmp_path: Path, state: str, how: str | None) -> None:
    said = samples.observed(11, "agent_state_changed", "", 10, agent_state=state)
    run = one_run(READER, written(tmp_path, "t.json", [*samples.history()[:-1], said]))
    assert (run.end.how, run.end.why) == (how, state)
    assert len(run.iterations) == 3


def test_a_claim_in_words_is_no_end(tmp_path: Path) -> None:
    said = samples.action(11, "message", content="All done, everything is complete!", wait_for_response=True)
    run = one_run(READER, written(tmp_path, "t.json", [*samples.history()[:-1], said]))
    assert run.iterations[-1].response == "All done, everything is complete!"
    assert run.end.how is None


def test_rows_of_the_resolver_have_no_ids(tmp_path: Path) -> None:
    run = one_run(READER, written(tmp_path, "r.json", samples.resolver_row()))
    assert (run.begin.id, run.begin.title) == ("acme/port#7", "Add a port")
    look, ask, end = run.iterations
    assert (look.response, look.tool_results) == ("First a look.", "app.py\r\n")
    assert look.tool_calls is not None
    assert look.tool_calls[0].input == {"command": "ls"}
    assert look.tool_calls[0].exit_status == 0
    assert (ask.response, ask.prompt) == ("Shall I go on?", samples.TASK)
    assert (end.response, end.prompt) == ("The port is there.", "Go on.")
    assert [one.record["cost"] for one in run.iterations] == [0.1, 0.2, 0.3]
    assert look.started_at is None
    assert (run.end.how, run.end.why) == ("complete", "success")


def test_costs_that_fit_no_steps_are_told_for_the_run_only(tmp_path: Path) -> None:
    row = samples.resolver_row()
    row["metrics"]["costs"] = [0.1, 0.2]
    run = one_run(READER, written(tmp_path, "r.json", row))
    assert all("cost" not in one.record for one in run.iterations)
    assert run.end.cost == 0.6


def test_pairs_of_action_and_observation(tmp_path: Path) -> None:
    run = one_run(READER, written(tmp_path, "p.json", samples.pairs_row()))
    asked, said, end = run.iterations
    assert (asked.response, asked.tool_results, asked.prompt) == ("I ask Python.", "1", "Is it so?")
    assert said.response == "It is so."
    assert (end.response, end.prompt) == ("", "Please go on.")
    assert "cost" not in asked.record
    assert (run.end.how, run.end.why) == (None, "finish")


def test_rows_of_one_file_are_runs_and_a_bad_line_is_told_by_its_number(tmp_path: Path) -> None:
    rows = [samples.row("a"), samples.row("a"), samples.row("b", error="TimeoutError: late")]
    text = lines(rows[:2]) + '{"instance_id": broken\n' + "\n" + '{"instance_id": "c"}\n' + lines(rows[2:])
    path = written(tmp_path, "output.jsonl", text)
    assert sniffed(path) == READER
    runs, problems = runs_of(READER, path)
    assert [run.begin.id for run in runs] == ["a", "a#2", "b"]
    assert [len(run.iterations) for run in runs] == [4, 4, 4]
    assert [(one.line, one.message) for one in problems] == [
        (3, "not JSON; skipped"),
        (5, "no `history` of events; skipped"),
    ]
    assert {one.provenance.first for one in runs[2].iterations} == {6}


def test_what_a_delegate_does_and_says_is_not_the_agents(tmp_path: Path) -> None:
    events = [
        *samples.history()[:6],
        samples.action(20, "delegate", agent="Browser", inputs={"task": "look"}, thought="You look."),
        samples.action(21, "run", command="rm -rf build", thought="All tasks are complete."),
        samples.observed(22, "run", "gone", 21, metadata={"exit_code": 0}),
        samples.action(23, "finish", final_thought="Everything is done.", thought=""),
        samples.observed(24, "delegate", "it looked", 20, outputs={}),
        samples.action(25, "run", command="ls", thought="Back."),
    ]
    run = one_run(READER, written(tmp_path, "d.json", events))
    assert [one.response for one in run.iterations] == ["I run the tests.", "You look.", "Back."]
    delegated = run.iterations[1]
    assert delegated.tool_results == "it looked"
    assert [(c.name, c.own) for c in delegated.tool_calls or ()] == [
        ("delegate", True), ("run", False), ("finish", False),
    ]  # fmt: skip
    assert delegated.record["tool_calls"] == 1
    assert run.end.how is None


def test_an_observation_goes_to_its_cause_wherever_it_stands(tmp_path: Path) -> None:
    first = samples.action(1, "run", command="a", thought="A.")
    second = samples.action(2, "run", command="b", thought="B.")
    events = [first, second, samples.observed(3, "run", "of b", 2), samples.observed(4, "run", "of a", 1)]
    run = one_run(READER, written(tmp_path, "c.json", events))
    assert [one.tool_results for one in run.iterations] == ["of a", "of b"]


def test_events_written_twice_count_once_and_the_clock_may_go_back(tmp_path: Path) -> None:
    events = samples.history()
    late = samples.action(12, "run", second=1, command="ls", thought="Earlier?")
    path = written(
        tmp_path, "t.json", [*events[:6], *events[4:6], late, samples.observed(13, "run", "x", 12)]
    )
    run = one_run(READER, path)
    assert [one.response for one in run.iterations] == ["I run the tests.", "Earlier?"]
    assert run.iterations[1].started_at == pytest.approx(1746086401.5)


def test_errors_and_refusals(tmp_path: Path) -> None:
    events = [
        samples.action(1, "run", command="curl x", thought="", confirmation_state="rejected"),
        samples.observed(2, "user_rejected", "no", 1),
        samples.action(3, "call_tool_mcp", name="t", arguments={"q": 1}, thought=""),
        samples.observed(4, "error", "tool is not there", 3),
        samples.action(5, "task_tracking", command="plan", thought="",
                       task_list=[{"title": "rename", "status": "done"},
                                  {"title": "list", "status": "todo"}]),
        samples.action(6, "unheard_of", thought="New."),
        samples.action(7, "condensation", forgotten_event_ids=[1], summary="all tests pass"),
    ]  # fmt: skip
    run = one_run(READER, written(tmp_path, "e.json", events))
    denied, failed, todo, new = run.iterations
    assert denied.record["denials"] == [{"tool": "run", "input": "curl x"}] * 2
    assert failed.error_kind == "tool"
    assert todo.plan is not None
    assert todo.plan.splitlines() == ["- [x] rename", "- [ ] list"]
    assert (new.response, new.record["tool_calls"]) == ("New.", 1)


def test_two_policies_stop_such_a_run_where_it_ends(tmp_path: Path) -> None:
    path = written(tmp_path, "output.jsonl", lines([samples.row("a"), samples.row("b")]))
    found = dry_run([str(path)], ["recommended"])
    assert [one.run.id for one in found.results] == ["a", "b"]
    assert [one.run.iterations for one in found.results] == [4, 4]
    assert found.results[0].run.cost == pytest.approx(0.06)


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes(content: bytes) -> None:
    any_bytes(READER, "x.json", content)
    any_bytes(READER, "x.json", b'{"history": [{"action": "run", "args": {}}, ' + content)


def test_cut_off_anywhere() -> None:
    cut_anywhere(READER, "x.json", json.dumps(samples.row(), indent=1).encode(), 37)
    cut_anywhere(READER, "x.jsonl", lines([samples.row("a"), samples.resolver_row()]).encode(), 61)
