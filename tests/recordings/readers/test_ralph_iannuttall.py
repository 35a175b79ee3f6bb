"""Folders of iannuttall/ralph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hostile_files import any_bytes, cut_by_lines
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import folder, read, reader

from exitgate.recordings.readers.ralph_iannuttall.runs import parts_of
from exitgate.recordings.replay.dry_run import dry_run

ID = "ralph-iannuttall"
RUN = "20260102-100000-77"
PROMISE = "<promise>COMPLETE</promise>"


def summary(number: int, clock: str, story: str, status: str = "success", run: str = RUN) -> str:
    begin = f"- 2026-01-02 {clock} | run={run} | iter={number} | mode=build"
    return f"{begin} | story={story} | duration=60s | status={status}"


def event(number: int, clock: str, what: str, inside: str) -> str:
    return f"[2026-01-02 {clock}] ITERATION {number} {what} ({inside})"


ACTIVITY = "\n".join(
    (
        "# Activity Log", "", "## Run Summary",
        summary(3, "10:06:00", "ST-2"),
        summary(2, "10:04:00", "ST-2", "error"), summary(1, "10:01:00", "ST-1"),
        "", "## Events", "",
        event(1, "10:00:00", "start", "mode=build story=ST-1"),
        "[2026-01-02 10:00:30] ST-1: installed things", event(1, "10:01:00", "end", "duration=60s"),
        event(2, "10:03:00", "start", "mode=build story=ST-2"), event(2, "10:04:00", "end", "duration=60s"),
        event(3, "10:05:00", "start", "mode=build story=ST-2"), event(3, "10:06:00", "end", "duration=60s"),
        event(4, "10:07:00", "start", "mode=build story=ST-3"), "",
    )
)  # fmt: skip


def tool(name: str, about: str) -> str:
    return f"\x1b[91m\x1b[1m| \x1b[0m\x1b[90m {name:<8} \x1b[0m{about}"


TUI = (
    f"I will build it.\n{tool('Read', 'src/a.py')}\n{tool('Bash', 'Run the tests')}\n\n3 passed\n\n"
    f"Done.\n\n{PROMISE}\n"
)
RAN = f"""# Ralph Run Summary

- Run ID: {RUN}
- Iteration: 1
- Story: ST-1: Build the thing
- Started: 2026-01-02 10:00:00
- Ended: 2026-01-02 10:01:00
- Status: success

## Git
- Head (before): aaa
- Head (after): bbb

### Commits
- bbb feat: thing

### Changed Files (commits)
- .ralph/activity.log
- src/a.py

### Uncommitted Changes
- .ralph/runs/run-{RUN}-iter-1.log
- src/b.py
"""


@pytest.fixture(params=["runs/run-{}-iter-{}.{}", "runs__run-{}-iter-{}.{}"])
def loop(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A state folder, in its own shape and flattened."""
    name = str(request.param)
    prompt = ".tmp/prompt-{}-1.md" if "/" in name else "tmp__prompt-{}-1.md"
    files = {
        "activity.log": ACTIVITY,
        name.format(RUN, 1, "log"): TUI,
        name.format(RUN, 1, "md"): RAN,
        name.format(RUN, 2, "log"): json.dumps(
            {"type": "result", "result": "No.", "is_error": True, "session_id": "s"}
        ),
        name.format(RUN, 3, "log"): f"Built.\n{PROMISE}\n",
        prompt.format(RUN): f"# Build\nSay {PROMISE} when the story is done.\n",
        "errors.log": f"# Error Log\n\n{event(2, '10:04:00', 'command', 'status=1')}\n",
    }
    return folder(tmp_path, files, ".ralph")


def test_an_iteration_is_a_process(loop: Path) -> None:
    assert reader(loop) == ID
    (run,), problems = read(loop)
    assert (problems, run.begin.id, run.begin.granularity) == ((), RUN, "process")
    assert run.begin.started_at == 1_767_348_000.0
    one, two, three = run.iterations
    assert (one.started_at, one.ended_at, one.exit_status) == (1_767_348_000.0, 1_767_348_060.0, 0)
    assert (two.exit_status, two.record["is_error"], two.response) == (None, True, "No.")
    assert one.prompt is not None and one.prompt.startswith("# Build")
    assert [(change.path, change.origin) for change in one.files_changed or ()] == [
        (".ralph/activity.log", "loop"), ("src/a.py", "commit"), ("src/b.py", "agent"),
    ]  # fmt: skip
    assert one.git is not None
    assert (one.git["changed"], one.git["files_changed"], one.git["commits"], one.git["uncommitted"]) == (
        True,
        2,
        1,
        1,
    )
    assert (two.git, three.files_changed, one.cost) == (None, None, None)
    assert one.provenance.file.endswith("iter-1.log")


def test_a_start_without_an_end_is_told_at_the_end(loop: Path) -> None:
    (run,), _ = read(loop)
    assert (run.end.how, run.end.why) == ("interrupted", "iteration 4 began and did not end")
    assert run.end.ended_at == 1_767_348_360.0
    log = next(loop.rglob("*iter-3.log"))
    log.with_name(log.name.replace("iter-3", "iter-4")).write_text("I was\n")
    (run,), _ = read(loop)
    assert (len(run.iterations), run.iterations[3].response, run.end.how) == (4, "I was\n", None)


def test_a_promise_in_every_iteration_is_that_of_a_story(loop: Path) -> None:
    """What the loop chose next is open; a story that it chose again was not done."""
    (run,), _ = read(loop)
    assert [one.plan for one in run.iterations] == [
        "- [x] ST-1: Build the thing\n- [ ] ST-2\n",
        "- [x] ST-1: Build the thing\n- [ ] ST-2\n",
        "- [x] ST-1: Build the thing\n- [x] ST-2\n- [ ] ST-3\n",
    ]
    assert run.end.how != "complete"
    (result,) = dry_run([str(loop)], ["recommended"]).results
    assert (result.run.reader, result.run.iterations) == (ID, 3)
    assert result.stop is None or result.stop.exit_class != "complete"


def test_the_text_of_a_terminal_is_taken_apart() -> None:
    found = parts_of(TUI)
    assert (found["response"], found["output"]) == (
        f"Done.\n\n{PROMISE}",
        f"I will build it.\n\nDone.\n\n{PROMISE}",
    )
    assert found["tool_results"] == "3 passed"
    calls = found["tool_calls"]
    assert isinstance(calls, tuple)
    assert [(call.name, call.input, call.result) for call in calls] == [
        ("Read", "src/a.py", None), ("Bash", "Run the tests", None),
    ]  # fmt: skip


def test_two_launches_in_one_log_are_two_runs(tmp_path: Path) -> None:
    log = "\n".join(
        (
            summary(1, "12:01:00", "ST-9", run="b-1"), summary(1, "10:01:00", "ST-1", run="a-1"),
            event(1, "10:00:00", "start", "story=ST-1"), event(1, "10:01:00", "end", "duration=60s"),
            event(2, "10:02:00", "start", "story=ST-2"), event(1, "12:00:00", "start", "story=ST-9"),
            event(1, "12:01:00", "end", "duration=60s"), "",
        )
    )  # fmt: skip
    path = folder(tmp_path, {"activity.log": log}) / "activity.log"
    assert reader(path) == ID
    (a, b), _ = read(path)
    assert ([a.begin.id, b.begin.id], [a.end.how, b.end.how]) == (["a-1", "b-1"], ["interrupted", None])
    assert (len(a.iterations), len(b.iterations), b.iterations[0].index) == (1, 1, 1)
    assert "log does not exist" in a.iterations[0].not_known["response"]


def test_summaries_alone_and_a_clock_that_goes_back(tmp_path: Path) -> None:
    log = "\n".join((summary(2, "09:00:00", "ST-2"), summary(1, "10:01:00", "ST-1"), ""))
    (run,), _ = read(folder(tmp_path, {"activity.log": log}) / "activity.log")
    assert [(one.index, one.ended_at) for one in run.iterations] == [
        (1, 1_767_348_060.0),
        (2, 1_767_344_400.0),
    ]
    assert run.iterations[0].started_at == 1_767_348_000.0


def test_files_by_themselves(loop: Path, tmp_path: Path) -> None:
    for path in sorted(path for path in loop.rglob("*") if path.is_file()):
        assert reader(path) == ID, path
        runs, problems = read(path)
        assert runs and problems == (), path
    (run,), _ = read(next(loop.rglob("*iter-1.md")))
    assert (run.iterations[0].exit_status, run.begin.title) == (0, f"iteration 1 of {RUN}")
    (run,), _ = read(loop / "errors.log")
    assert [one.provenance.first for one in run.iterations] == [3]
    newest = f"## [Fri 2 Jan 2026] - ST-2\nRun: {RUN} (iteration 2)\n\n"
    progress = f"# Progress Log\nStarted: x\n\n{newest}## [x] - ST-1\nRun: {RUN} (iteration 1)\n"
    signs = "# Guardrails (Signs)\n\n> Lessons.\n"
    other = folder(tmp_path, {"progress.md": progress, "guardrails.md": signs}, "other")
    assert reader(other / "progress.md") == reader(other / "guardrails.md") == ID
    (run,), _ = read(other / "progress.md")
    assert [(one.index, one.provenance.first) for one in run.iterations] == [(1, 7), (2, 4)]


def test_cut_anywhere(tmp_path: Path) -> None:
    cut_by_lines(
        folder(
            tmp_path,
            {"errors.log": "".join(f"[2026-01-02 10:0{n}:00] ITERATION {n} failed\n" for n in range(5))},
        )
        / "errors.log",
        ID,
    )
    log = folder(tmp_path, {"activity.log": ACTIVITY}) / "activity.log"
    for end in range(0, len(ACTIVITY), 9):
        log.write_text(ACTIVITY[:end])
        runs, _ = read(log, ID)
        assert sum(len(run.iterations) for run in runs) <= 4


@settings(max_examples=40, deadline=None)
@given(
    st.binary(max_size=200),
    st.sampled_from(["activity.log", f"run-{RUN}-iter-1.log", f"run-{RUN}-iter-1.md", "errors.log"]),
)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes, name: str) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), name, body, ID)
