"""Folders of ralph-claude-code: launches, joins, ends."""

from __future__ import annotations

from pathlib import Path

from cases import each
from loop_folders import folder, launch, log, loop, output, read, reader, result
from streams import INIT, answer, assistant, call, lines, text

from exitgate.recordings.location import Location
from exitgate.recordings.model import CRASH, TIMEOUT, USAGE_LIMIT
from exitgate.recordings.probe import probe_of
from exitgate.recordings.readers import ralph_frankbria
from exitgate.recordings.replay.dry_run import dry_run

NOON = 1769860800.0
FAILED = "\u274c Claude Code execution failed, check: logs/"


def begins(clock: str) -> float:
    hours, minutes, seconds = (int(part) for part in clock.split(":"))
    return NOON - 12 * 3600 + hours * 3600 + minutes * 60 + seconds


TWO = [
    *launch("12:00:00"),
    *loop(1, "12:00:01", "12:02:00", "12:00:01 INFO Starting new Claude session"),
    *loop(2, "12:02:10", "12:03:00", "12:02:10 INFO Resuming Claude session: s-1 (0h old)"),
    "12:03:05 LOOP === Starting Loop #3 ===",
    "12:03:05 WARN Exit condition: All fix_plan.md items completed (2/2)",
    "12:03:05 SUCCESS \U0001f3c1 Graceful exit triggered: plan_complete",
    "12:03:05 SUCCESS \U0001f389 Ralph has completed the project! Final stats:",
    "12:03:05 INFO   - Exit reason: plan_complete",
]


def test_a_launch_with_its_outputs_is_a_run(tmp_path: Path) -> None:
    files = {
        "ralph.log": log(*TWO),
        output("12:00:01"): result("First.", 0.25),
        output("12:02:10"): result("Second.", 0.75),
        "fix_plan.md": "- [x] a\n- [x] b\n",
        "PROMPT.md": "Build it.",
    }
    place = folder(tmp_path, files)
    (run,), problems = read(place)
    assert (run.reader, run.begin.id, problems) == ("ralph-frankbria", "demo", ())
    assert (run.begin.granularity, run.begin.resumed, run.begin.started_at) == ("process", False, NOON)
    assert (run.end.how, run.end.why, run.end.ended_at) == ("complete", "plan_complete", begins("12:03:05"))
    one, two = run.iterations
    assert [(i.index, i.response, i.cost) for i in run.iterations] == [
        (1, "First.", 0.25),
        (2, "Second.", 0.75),
    ]
    assert (one.started_at, one.ended_at, two.ended_at) == (NOON + 1, NOON + 120, NOON + 180)
    assert (one.exit_status, one.timed_out, one.error_kind, one.prompt) == (0, False, None, "Build it.")
    assert one.plan is None and "may be newer" in one.not_known["plan"]
    assert two.plan == "- [x] a\n- [x] b\n"
    assert one.provenance.file.endswith(output("12:00:01"))
    (played,) = dry_run([str(place)], ["recommended"]).results
    assert (played.run.cost, played.run.iterations) == (
        0.75,
        2,
    )  # of one session, the second more than the first


def test_what_a_folder_claims_is_read_once(tmp_path: Path) -> None:
    files = {
        "ralph.log": log(*TWO),
        output("12:00:01"): result("a"),
        output("12:00:01", stream=True): lines(INIT),
    }
    files |= {
        "status.json": "{}",
        ".exit_signals": "{}",
        "fix_plan.md": "",
        "README.md": "",
        ".call_count": "1",
    }
    place = folder(tmp_path, files)
    claimed = ralph_frankbria.claims(probe_of(Location(str(place), is_folder=True)))
    assert claimed == files.keys() - {"README.md"}
    outer = folder(tmp_path, {f"logs/{name}": text for name, text in files.items()}, ".ralph")
    (first,), _ = read(outer)
    assert (first.begin.id, len(first.iterations)) == (tmp_path.name, 2)
    assert "logs/ralph.log" in ralph_frankbria.claims(probe_of(Location(str(outer), is_folder=True)))
    assert len(dry_run([str(outer)]).runs) == 1


def test_an_output_and_its_stream_are_one_iteration(tmp_path: Path) -> None:
    wrote = call("t-1", "Write", file_path="/w/.ralph/fix_plan.md", content="- [x] a\n- [ ] b\n")
    todo = call("t-2", "TodoWrite", todos=[{"content": "a", "status": "completed"}])
    stream = lines(INIT, assistant(text("Go."), wrote, todo), answer("t-1", "ok"), answer("t-2", "ok"))
    edited = call("t-1", "Edit", file_path="/w/.ralph/fix_plan.md", old_string="[ ] b", new_string="[x] b")
    second = lines(INIT, assistant(edited), answer("t-1", "ok"))
    files = {
        "ralph.log": log(*TWO),
        output("12:00:01"): result("First.", 0.25),
        output("12:00:01", stream=True): stream,
        output("12:02:10"): second,
    }
    (run,), problems = read(folder(tmp_path, files))
    one, two = run.iterations
    assert (one.response, one.cost, one.tool_results, problems) == ("First.", 0.25, "ok\nok", ())
    assert (one.plan, two.plan) == ("- [x] a\n- [ ] b\n", "- [x] a\n- [x] b\n")
    assert one.tool_calls is not None and [c.name for c in one.tool_calls] == ["Write", "TodoWrite"]
    assert (two.response, two.cost, two.record["truncated"]) == ("", None, True)


@each(
    ("line", "how"),
    [
        ("SUCCESS \U0001f3c1 Graceful exit triggered: safety_circuit_breaker", "halted"),
        ("SUCCESS \U0001f3c1 Graceful exit triggered: project_complete", "idle"),
        ("SUCCESS \U0001f3c1 Graceful exit triggered: test_saturation", "stuck"),
        (
            "SUCCESS Graceful exit triggered: \x1b[1;33m[2026-01-31 12:03:05] [WARN] x\x1b[0m\nplan_complete",
            "complete",
        ),
        ("SUCCESS Graceful exit triggered: a_new_reason", None),
        ("ERROR \U0001f6ab Permission denied - halting loop", "blocked"),
        ("ERROR \U0001f6d1 Circuit breaker has opened - halting loop", "halted"),
        ("INFO Ralph loop interrupted. Cleaning up...", "interrupted"),
        ("ERROR Ralph loop crashed (exit code: 2)", "failed"),
        ("INFO Loop context: Loop #2. Previous: Permission denied - halting loop", None),
        ("DEBUG nothing", None),
    ],
)
def test_ends_are_told_by_the_log_and_not_by_the_word_completed(
    tmp_path: Path, line: str, how: str | None
) -> None:
    body = [*launch("12:00:00"), *loop(1, "12:00:01", "12:02:00"), f"12:03:05 {line}"]
    body.append("12:03:06 SUCCESS \U0001f389 Ralph has completed the project! Final stats:")
    body.append(
        "12:03:07 ERROR Ralph loop crashed (exit code: 2)" if how == "complete" else "12:03:07 INFO x"
    )
    (run,), _ = read(folder(tmp_path, {"ralph.log": log(*body)}))
    assert run.end.how == how and len(run.iterations) == 1
    assert (run.iterations[0].circuit == {"state": "OPEN"}) == ("Circuit" in line)


def test_launches_are_runs_and_an_open_breaker_outlives_one(tmp_path: Path) -> None:
    died = "ERROR \U0001f6d1 Circuit breaker has opened - execution halted"
    body = [*launch("12:00:00"), *loop(1, "12:00:01", "12:02:00"), *launch("13:00:00")]
    body += [
        "13:00:01 LOOP === Starting Loop #1 ===",
        f"13:00:01 {died}",
        *launch("14:00:00"),
        *loop(1, "14:00:01", None),
    ]
    history = '[{"loop": 1, "from_state": "CLOSED", "to_state": "OPEN", "reason": "denied twice"}]'
    runs, _ = read(folder(tmp_path, {"ralph.log": log(*body), "circuit_breaker_history": history}))
    assert [(r.begin.id, len(r.iterations), r.end.how) for r in runs] == [
        ("demo#1", 1, "halted"), ("demo#2", 0, "halted"), ("demo#3", 1, None),
    ]  # fmt: skip
    assert runs[0].iterations[0].circuit == {"state": "OPEN", "reason": "denied twice"}
    (cut,) = runs[2].iterations
    assert (cut.response, cut.exit_status, cut.ended_at) == (None, None, None)
    assert (cut.not_known["response"], cut.circuit) == ("its output is not kept", None)
    assert (cut.provenance.file.endswith("ralph.log"), cut.provenance.first) == (True, 14)


def test_times_up_failures_and_limits(tmp_path: Path) -> None:
    body = [
        *launch("12:00:00"),
        *loop(1, "12:00:01", None, "12:15:01 WARN Claude Code execution timed out after 15 minutes"),
        "12:15:01 WARN \u23f1 Claude Code execution timed out (not an API limit)",
        *loop(
            2,
            "12:20:00",
            None,
            f"12:20:05 ERROR {FAILED}{output('12:19:58')}",
        ),
        *loop(3, "12:30:00", None, "12:30:05 ERROR \U0001f6ab Claude API 5-hour usage limit reached"),
    ]
    files = {
        "ralph.log": log(*body),
        output("12:19:58"): "Error: it cannot start here.\n",
        output("12:30:00"): "",
    }
    (run,), _ = read(folder(tmp_path, files))
    up, failed, limited = run.iterations
    assert (up.exit_status, up.timed_out, up.error_kind, up.ended_at) == (
        124,
        True,
        TIMEOUT,
        begins("12:15:01"),
    )
    assert (failed.exit_status, failed.timed_out, failed.error_kind) == (None, False, CRASH)
    assert (failed.record["is_error"], failed.response) == (True, "Error: it cannot start here.\n")
    assert (
        failed.record["tail"] == "Error: it cannot start here."
        and "which status" in failed.not_known["exit_status"]
    )
    assert (limited.error_kind, limited.response) == (USAGE_LIMIT, None)
    assert limited.not_known["response"] == "its output file is empty"


def test_a_launch_that_cannot_begin_failed(tmp_path: Path) -> None:
    body = [launch("12:00:00")[0], "12:00:00 ERROR Prompt file 'PROMPT.md' not found!"]
    (run,), _ = read(folder(tmp_path, {"ralph.log": log(*body)}))
    assert (run.end.how, run.end.why, run.iterations) == ("failed", "Prompt file 'PROMPT.md' not found!", ())


def test_other_folders_and_files_do_not_fit(tmp_path: Path) -> None:
    shown = "# How it works\n\n[2026-01-31 12:00:00] [LOOP] === Starting Loop #1 ===\n"
    place = folder(
        tmp_path, {"README.md": shown, "notes.log": "[2026-01-31 12:00:00] [INFO] up\n", "status.json": "{}"}
    )
    assert [reader(place), *(reader(place / name) for name in ("README.md", "notes.log", "status.json"))] == [
        None
    ] * 4
