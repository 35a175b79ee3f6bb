"""State folders of ralph-orchestrator, and their files by themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import each
from hostile_files import any_bytes, cut_by_lines, odd_members
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import folder, read, reader

from exitgate.recordings.replay.dry_run import dry_run

ID = "ralph-orchestrator"
TEN = 1_767_348_000.0


def ts(minute: int, hour: int = 10) -> str:
    return f"2026-01-02T{hour}:{minute:02}:00.123456789+00:00"


def start(minute: int, prompt: str = "Build it", hour: int = 10) -> str:
    event = {
        "ts": ts(minute, hour),
        "iteration": 0,
        "hat": "loop",
        "topic": "task.start",
        "triggered": "planner",
    }
    return json.dumps({**event, "payload": prompt})


def emit(minute: int, topic: str, payload: object = "did it", **more: object) -> str:
    return json.dumps({"payload": payload, "topic": topic, "ts": ts(minute), **more})


def end(minute: int, count: int, reason: str = "completed") -> str:
    text = f"## Reason\n{reason}\n\n## Summary\n- Iterations: {count}\n"
    return json.dumps(
        {"ts": ts(minute), "iteration": count, "hat": "loop", "topic": "loop.terminate", "payload": text}
    )


def file(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def past(minute: int, kind: str, **more: object) -> str:
    return json.dumps({"ts": ts(minute), "type": {"kind": kind, **more}})


def task(nth: int, title: str, created: int, closed: int | None) -> str:
    told = {"id": f"task-{nth}-ab", "title": title, "status": "open" if closed is None else "closed"}
    return json.dumps({**told, "created": ts(created), **({} if closed is None else {"closed": ts(closed)})})


def traced(minute: int, text: str, *, colour: bool = False) -> str:
    at = f"2026-01-02T10:{minute:02}:00.500000Z"
    module = "ralph_core::event_loop"
    return (
        f"\x1b[2m{at}\x1b[0m \x1b[32m INFO\x1b[0m \x1b[2m{module}\x1b[0m\x1b[2m:\x1b[0m {text}"
        if colour
        else f"{at}  INFO {module}: {text}"
    )


BEGAN = "Memory injection check: enabled=true"


def test_each_event_is_an_iteration(tmp_path: Path) -> None:
    body = file(
        start(0), emit(1, "spec.ready"), emit(3, "build.done", {"ok": 2}), emit(5, "LOOP_COMPLETE"), end(6, 3)
    )
    path = folder(tmp_path, {"events-20260102-100000.jsonl": body}) / "events-20260102-100000.jsonl"
    assert reader(path) == ID
    (run,), problems = read(path)
    assert (problems, run.begin.id, run.begin.granularity) == ((), "events-20260102-100000", "process")
    assert (run.begin.title, run.begin.started_at) == ("Build it", TEN + 0.123456)
    assert (run.end.how, run.end.why, run.end.ended_at) == ("complete", "completed", TEN + 360.123456)
    one, two, three = run.iterations
    assert (one.index, one.provenance.first, one.ended_at, one.started_at) == (1, 2, TEN + 60.123456, None)
    assert (one.response, one.output) == (None, '<event topic="spec.ready">\ndid it\n</event>')
    assert two.output == '<event topic="build.done">\n{"ok": 2}\n</event>'
    assert three.record["fields"] == {"TOPIC": "LOOP_COMPLETE"}
    assert (one.tool_results, one.plan, one.cost) == (None, None, None)


def test_several_claims_of_completion_do_not_end_a_run(tmp_path: Path) -> None:
    body = file(
        start(0),
        emit(1, "LOOP_COMPLETE"),
        emit(2, "LOOP_COMPLETE"),
        emit(3, "more.work"),
        end(4, 3, "max_runtime"),
    )
    (run,), _ = read(folder(tmp_path, {"events-1.jsonl": body}) / "events-1.jsonl")
    assert (len(run.iterations), run.end.how) == (3, "exhausted")


@each(
    ("reason", "how"),
    [
        ("completion_promise", "complete"), ("max_iterations", "exhausted"), ("max_cost", "exhausted"),
        ("consecutive_failures", "failed"), ("validation_failure", "failed"), ("loop_stale", "stuck"),
        ("loop_thrashing", "stuck"), ("interrupted", "interrupted"), ("cancelled", "interrupted"),
        ("odd", None),
    ],
)  # fmt: skip
def test_reasons_have_classes(tmp_path: Path, reason: str, how: str | None) -> None:
    (run,), _ = read(
        folder(tmp_path, {"events-1.jsonl": file(start(0), end(1, 0, reason))}) / "events-1.jsonl"
    )
    assert (run.end.how, run.end.why) == (how, reason)


def test_a_loop_that_another_follows_was_killed(tmp_path: Path) -> None:
    files = {
        "events.jsonl": file(
            start(0), emit(1, "a"), start(5), emit(6, "b"), emit(7, "c"), end(8, 2), start(20)
        ),
        "history.jsonl": file(
            past(0, "loop_started", prompt="x"),
            past(5, "loop_started"),
            past(8, "loop_completed", reason="completion_promise"),
            past(20, "loop_started"),
        ),
    }
    state = folder(tmp_path, files, ".ralph")
    assert reader(state) == ID
    runs, problems = read(state)
    assert ([len(run.iterations) for run in runs], problems) == ([1, 2, 0], ())
    assert [run.end.how for run in runs] == ["interrupted", "complete", None]
    assert [run.begin.id for run in runs] == ["events", "events#2", "events#3"]
    alone, _ = read(state / "history.jsonl")
    assert [(run.iterations, run.end.how) for run in alone] == [
        ((), "interrupted"),
        ((), "complete"),
        ((), None),
    ]


def test_history_and_logs_tell_ends_that_events_do_not(tmp_path: Path) -> None:
    files = {
        "events-1.jsonl": file(start(0), emit(1, "a")),
        "history.jsonl": file(past(0, "loop_started"), past(3, "loop_completed", reason="max_runtime")),
        "events-2.jsonl": file(start(30), emit(31, "b")),
        "diagnostics/logs/x.log": file(
            traced(30, BEGAN),
            "2026-01-02T10:32:00.000000Z  INFO ralph_tui::app: Ctrl+C detected, signaling abort",
        ),
    }
    runs, _ = read(folder(tmp_path, files, ".ralph"))
    assert [(run.end.how, len(run.iterations)) for run in runs] == [("exhausted", 1), ("interrupted", 1)]


@pytest.mark.parametrize("name", ["diagnostics/logs/x.log", "diagnostics__logs__x.log"])
def test_a_log_tells_when_iterations_began(tmp_path: Path, name: str) -> None:
    log = file(
        *(traced(n, BEGAN, colour=n > 2) for n in (0, 2, 4, 6)),
        traced(8, "Wrapping up: completed. 4 iterations in 8m 0s"),
    )
    files = {name: log, "events-1.jsonl": file(start(0), emit(3, "a"), emit(3, "b"), emit(7, "c"), end(8, 4))}
    state = folder(tmp_path, files, ".ralph")
    (run,), _ = read(state)
    assert [bool(one.output) for one in run.iterations] == [False, True, False, True]
    assert [one.started_at for one in run.iterations] == [TEN + 60 * n + 0.5 for n in (0, 2, 4, 6)]
    assert "left no event" in run.iterations[0].not_known["response"]
    assert run.iterations[0].provenance.file.endswith("x.log")
    two = run.iterations[1]
    assert (two.provenance.first, two.provenance.last, two.record["fields"]) == (2, 3, {"TOPIC": "b"})
    assert reader(state / name) == ID
    (alone,), _ = read(state / name)
    assert (len(alone.iterations), alone.end.how, alone.end.why) == (4, "complete", "completed")


def test_iterations_that_left_no_event(tmp_path: Path) -> None:
    path = (
        folder(tmp_path, {"events-1.jsonl": file(start(0), end(5, 3, "consecutive_failures"))})
        / "events-1.jsonl"
    )
    (run,), _ = read(path)
    assert ([one.response for one in run.iterations], run.end.how) == ([None] * 3, "failed")
    path.write_text(file(start(0), emit(1, "a"), end(5, 3)))
    (run,), _ = read(path)
    assert len(run.iterations) == 1 and "counted 3 iterations, 1 is known" in run.end.why


def test_numbered_events_and_a_clock_that_goes_back(tmp_path: Path) -> None:
    body = file(
        start(9),
        emit(5, "a", iteration=1),
        emit(4, "b", iteration=1),
        emit(3, "c", iteration=3),
        emit(2, "d", iteration=2),
    )
    (run,), _ = read(folder(tmp_path, {"events-1.jsonl": body}) / "events-1.jsonl")
    assert [bool(one.output) for one in run.iterations] == [True, False, True]
    one, _, three = run.iterations
    assert [(one.provenance.first, one.provenance.last), (three.provenance.first, three.provenance.last)] == [
        (2, 3), (4, 5),
    ]  # fmt: skip
    assert one.ended_at == TEN + 300.123456


@pytest.mark.parametrize("name", ["agent/tasks.jsonl", "agent__tasks.jsonl"])
def test_tasks_stand_as_they_were_and_are_no_finished_plan(tmp_path: Path, name: str) -> None:
    tasks = file(task(1, "first", 0, 2), task(2, "second", 0, 4), task(3, "third", 5, None))
    files = {
        name: tasks,
        "events-1.jsonl": file(start(0), emit(3, "a"), emit(4, "b"), emit(5, "c"), end(9, 3)),
    }
    state = folder(tmp_path, files, ".ralph")
    (run,), _ = read(state)
    one, two, three = run.iterations
    assert one.plan == "- [x] first\n- [ ] second\n"
    assert two.plan == "- [x] first\n- [x] second\n"
    assert one.facts is None and "not a finished plan" in two.facts["tasks.complete"].reason
    assert json.loads(two.files["tasks.json"])["tasks"] == [
        {"title": "first", "closed": True},
        {"title": "second", "closed": True},
    ]
    assert three.plan == "- [x] first\n- [x] second\n- [ ] third\n"
    assert reader(state / name) == ID
    (alone,), _ = read(state / name)
    assert (alone.begin.plan, alone.iterations) == ("- [x] first\n- [x] second\n- [ ] third\n", ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "agent__summary.md",
            "# Loop Summary\n\n**Status:** Stopped: max runtime exceeded\n**Iterations:** 9\n",
        ),
        ("agent__handoff.md", "# Session Handoff\n\n- [x] a\n"),
        ("agent__scratchpad.md", "# My notes\n"),
        ("loops.json", '{\n  "loops": []\n}\n'),
        ("loop.lock", json.dumps({"pid": 1, "started": ts(0), "prompt": "Build it"})),
    ],
)
def test_notes_are_runs_without_iterations(tmp_path: Path, name: str, text: str) -> None:
    path = folder(tmp_path, {name: text}) / name
    assert reader(path) == ID
    (run,), problems = read(path)
    assert (run.iterations, problems, run.begin.files) == ((), (), {str(path): text})
    assert run.end.why == ("Stopped: max runtime exceeded; 9 iterations" if "summary" in name else "")


def test_a_bad_line_is_told_and_other_files_do_not_fit(tmp_path: Path) -> None:
    files = {
        "events-1.jsonl": file(start(0), "nothing", emit(1, "a"), "[]"),
        "x.jsonl": '{"type": "user", "ts": "x"}\n',
        "x.md": "# Notes\n",
    }
    place = folder(tmp_path, files)
    (run,), problems = read(place / "events-1.jsonl")
    assert (len(run.iterations), [problem.line for problem in problems]) == (1, [2, 4])
    assert reader(place / "x.jsonl") != ID and reader(place / "x.md") != ID


def test_cut_anywhere(tmp_path: Path) -> None:
    body = file(start(0), emit(1, "a"), emit(2, "b"), end(3, 2), start(4), emit(5, "c"))
    cut_by_lines(folder(tmp_path, {"events-1.jsonl": body}) / "events-1.jsonl", ID)
    cut_by_lines(folder(tmp_path, {"x.log": file(*(traced(n, BEGAN) for n in range(4)))}) / "x.log", ID)


def test_odd_members(tmp_path: Path) -> None:
    body = file(start(0), emit(1, "a", {"b": 1}), end(2, 1))
    odd_members(folder(tmp_path, {"events-1.jsonl": body}) / "events-1.jsonl", ID)
    odd_members(folder(tmp_path, {"tasks.jsonl": file(task(1, "a", 0, 2))}) / "tasks.jsonl", ID)
    past_one = file(past(0, "loop_started", prompt="x"), past(1, "loop_completed", reason="completed"))
    odd_members(folder(tmp_path, {"history.jsonl": past_one}) / "history.jsonl", ID)


@settings(max_examples=40, deadline=None)
@given(
    st.binary(max_size=200),
    st.sampled_from(["events-1.jsonl", "history.jsonl", "tasks.jsonl", "x.log", "loops.json"]),
)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes, name: str) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), name, body, ID)


def test_a_dry_run_opens_it(tmp_path: Path) -> None:
    state = folder(tmp_path, {"events-1.jsonl": file(start(0), emit(1, "a"), end(2, 1))}, ".ralph")
    (result,) = dry_run([str(tmp_path)], ["recommended"]).results
    assert (result.run.reader, result.run.iterations, result.run.how, str(state) in result.run.file) == (
        ID,
        1,
        "complete",
        True,
    )


def counting(minute: int, opened: int, closed: int) -> str:
    return traced(
        minute, f"Injecting ready tasks ({opened} ready, {opened} open, {closed} closed) into prompt"
    )


def test_what_the_loop_counted_wins_over_the_list_of_tasks(tmp_path: Path) -> None:
    files = {
        "agent/tasks.jsonl": file(task(1, "dig", 0, 2), task(2, "sow", 0, 4), task(3, "water", 0, None)),
        "diagnostics/logs/x.log": file(
            traced(0, BEGAN), traced(3, BEGAN), counting(3, 1, 1), traced(5, BEGAN), counting(5, 0, 4)
        ),
        "events-1.jsonl": file(
            start(0), emit(2, "a"), emit(4, "b"), emit(7, "c"), end(9, 3, "max_iterations")
        ),
    }
    (run,), _ = read(folder(tmp_path, files, ".ralph"))
    assert [one.plan for one in run.iterations] == [
        "- [x] dig\n- [ ] sow\n",
        "- [x] dig\n- [x] sow\n- [x] task 3\n- [x] task 4\n",
        "- [x] dig\n- [x] sow\n- [ ] water\n",
    ]
    assert run.end.how == "exhausted" and all(
        "promise.emitted" not in (one.facts or {}) for one in run.iterations
    )


def test_tasks_of_one_launch_are_not_those_of_another(tmp_path: Path) -> None:
    mine = json.loads(task(1, "prune", 1, 2)) | {"loop_id": "primary-20260102-100000"}
    events = {
        "events-20260102-100000.jsonl": file(start(0), emit(3, "a"), end(4, 1)),
        "events-20260102-101000.jsonl": file(start(10), emit(13, "b"), end(14, 1)),
    }
    runs, _ = read(folder(tmp_path, {"agent/tasks.jsonl": file(json.dumps(mine)), **events}, ".ralph"))
    assert [run.iterations[0].plan for run in runs] == ["- [x] prune\n", None]
    assert "no task of this loop" in runs[1].iterations[0].not_known["plan"]


@pytest.mark.parametrize(
    ("reason", "stops"),
    [("completed", True), ("completion_promise", True), ("max_runtime", False), ("", False)],
)
def test_the_promise_that_the_loop_saw_is_that_of_the_last_iteration(
    tmp_path: Path, reason: str, stops: bool
) -> None:
    files = {"events-1.jsonl": file(start(0), emit(1, "a"), emit(3, "b"), end(9, 2, reason))}
    place = folder(tmp_path, files, ".ralph")
    (run,), _ = read(place)
    told = [one.facts and one.facts.get("promise.emitted") for one in run.iterations]
    assert [bool(one) for one in told] == [False, stops]
    (result,) = dry_run([str(place)], ["recommended"]).results
    stop = None if result.stop is None else (result.stop.iteration, result.stop.exit_class)
    assert stop == ((2, "complete") if stops else None)


def test_a_promise_that_only_the_log_tells_of_counts_too(tmp_path: Path) -> None:
    files = {
        "diagnostics/logs/x.log": file(
            traced(0, BEGAN), traced(5, "All done! FINIS detected in solo output.")
        ),
        "events-1.jsonl": file(start(0), emit(3, "a")),
    }
    (run,), _ = read(folder(tmp_path, files, ".ralph"))
    assert run.end.how == "complete" and run.iterations[-1].facts is not None


def test_a_list_that_stands_still_says_nothing_of_the_work(tmp_path: Path) -> None:
    """A planner, a builder and a reviewer each have their turn before one task is closed."""
    names = ("plan.ready", "build.done", "review.asked", "review.done", "build.again", "review.good")
    events = [emit(minute, name) for minute, name in enumerate(names, 2)]
    files = {
        "agent/tasks.jsonl": file(task(1, "lay the floor", 0, 1), task(2, "paint the door", 0, 12)),
        "events-1.jsonl": file(start(0), *events, end(10, 6)),
    }
    place = folder(tmp_path, files, ".ralph")
    (run,), _ = read(place)
    assert {one.plan for one in run.iterations} == {"- [x] lay the floor\n- [ ] paint the door\n"}
    assert [bool(one.facts and "tasks.done" in one.facts) for one in run.iterations] == [False, *[True] * 5]
    (result,) = dry_run([str(place)], ["recommended"]).results
    assert result.stop is None


def test_an_iteration_without_an_event_told_nothing(tmp_path: Path) -> None:
    files = {"agent/tasks.jsonl": file(task(1, "tune", 1, 8)), "events-1.jsonl": file(start(0), end(9, 4))}
    place = folder(tmp_path, files, ".ralph")
    (run,), _ = read(place)
    assert [(one.response, one.output) for one in run.iterations] == [(None, "")] * 4
    assert [one.plan for one in run.iterations] == [None, None, None, "- [x] tune\n"], "nothing from later"
    (result,) = dry_run([str(place)], ["recommended"]).results
    assert (result.stop is not None) and (result.stop.iteration, result.stop.exit_class) == (4, "complete")
