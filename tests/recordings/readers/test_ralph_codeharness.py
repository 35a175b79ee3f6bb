"""Folders, logs and other files of codeharness's loop; and folders whose launches are one run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loop_folders import folder, launch, log, loop, output, read, reader, result
from streams import INIT, assistant, lines, text

from exitgate.recordings.model import CRASH, TIMEOUT, USAGE_LIMIT
from exitgate.recordings.replay.dry_run import dry_run

GOOD = "SUCCESS Claude Code iteration completed successfully"
DONE_1_OF_3 = "# 1 of 3, as the loop counted\n- [x] 1\n- [ ] 2\n- [ ] 3\n"


def turn(number: int, begins: str, ends: str, went: str, done: int | None = 1, total: int = 3) -> list[str]:
    lines = [
        f"{begins} LOOP === Iteration #{number} ===",
        f"{begins} LOOP Iteration {number} \u2014 Task: '(reading from prompt)'",
        f"{begins} INFO Starting Claude Code (timeout: 30m)...",
        f"{ends} {went}",
    ]
    if done is not None:
        left = total - done
        lines.append(
            f"{ends} INFO Progress: {done}/{total} done, {left} remaining (iterations: {number}, elapsed: 1m)"
        )
    return [*lines, f"{ends} LOOP === End Iteration #{number} ==="]


START = [
    "12:00:00 SUCCESS Ralph loop starting",
    "12:00:00 INFO Sprint: 0/3 done, 3 remaining \u2014 next: 1-1-a (backlog)",
]


def test_the_loops_own_counter_is_the_plan(tmp_path: Path) -> None:
    body = [*START, *turn(1, "12:00:01", "12:10:00", GOOD), *turn(2, "12:10:05", "12:12:00", GOOD)]
    body.append("12:12:01 ERROR Circuit breaker opened \u2014 halting loop")
    files = {
        "ralph.log": log(*body),
        output("12:00:02"): lines(INIT, assistant(text("One is done."))) + result("Yes."),
    }
    place = folder(tmp_path, files)
    (run,), problems = read(place)
    assert (run.reader, run.begin.id, problems) == ("ralph-codeharness", "demo", ())
    assert run.begin.plan == "# 0 of 3, as the loop counted\n- [ ] 1\n- [ ] 2\n- [ ] 3\n"
    assert [i.plan for i in run.iterations] == [DONE_1_OF_3] * 2
    assert [i.response for i in run.iterations] == ["Yes.", None]
    assert (run.end.how, run.iterations[0].circuit, run.iterations[1].circuit) == (
        "halted",
        None,
        {"state": "OPEN"},
    )
    (played,) = dry_run([str(place)], ["recommended"], keep=True, to_the_end=True).results
    assert played.decided[0].facts["tasks.open"].value == 2


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("SUCCESS All stories complete. 3 stories verified in 2 iterations.", "complete"),
        ("INFO Max iterations (50) reached. 1/3 stories complete.", "exhausted"),
        ("WARN Loop timeout reached (14400s)", "exhausted"),
        ("ERROR 3 consecutive failures \u2014 halting", "failed"),
        ("INFO Ralph loop interrupted. Cleaning up...", "interrupted"),
        ("INFO Story: All stories complete.", None),
        ("SUCCESS Ralph loop finished", None),
    ],
)
def test_ends(tmp_path: Path, line: str, how: str | None) -> None:
    (run,), _ = read(
        folder(
            tmp_path, {"ralph.log": log(*START, *turn(1, "12:00:01", "12:10:00", GOOD), f"12:11:00 {line}")}
        )
    )
    assert (run.end.how, len(run.iterations)) == (how, 1)


@pytest.mark.parametrize(
    ("went", "status", "timed_out", "kind"),
    [
        (GOOD, 0, False, None),
        ("WARN Iteration timed out after 30m", 124, True, TIMEOUT),
        ("ERROR Claude Code execution failed (exit code: 1)", 1, False, CRASH),
        ("ERROR Claude produced no output and exited with code 124", 124, True, TIMEOUT),
        ("ERROR Claude API usage limit reached", None, None, USAGE_LIMIT),
    ],
)
def test_how_a_process_went(
    tmp_path: Path, went: str, status: int | None, timed_out: bool | None, kind: str | None
) -> None:
    body = log(*START, *turn(1, "12:00:01", "12:30:01", went, None), *turn(2, "12:31:00", "12:32:00", GOOD))
    path = folder(tmp_path, {"all-2026.log": body}) / "all-2026.log"
    (run,), _ = read(path)
    one, two = run.iterations
    assert (one.exit_status, one.timed_out, one.error_kind) == (status, timed_out, kind)
    assert (two.exit_status, two.error_kind, one.plan) == (0, None, None)
    assert (one.provenance.first, run.reader) == (3, "ralph-codeharness")


def test_a_log_that_begins_in_the_middle_is_read(tmp_path: Path) -> None:
    body = log("12:00:00 LOOP === End Iteration #17 ===", *turn(18, "12:00:01", "12:00:02", GOOD))
    (run,), _ = read(folder(tmp_path, {"ralph.log": body}))
    assert len(run.iterations) == 1 and run.iterations[0].exit_status == 0


REPORT = """# Timeout Report: Iteration 4

- **Story:** unknown
- **Duration:** 30 minutes (timeout)
- **Timestamp:** 2026-01-31T12:30:00.000Z

## Partial Output (last 100 lines)

```
{}
```
"""


def test_a_report_of_a_timeout_is_an_iteration_whose_end_is_missing(tmp_path: Path) -> None:
    path = (
        folder(tmp_path, {"timeout-report-4-x.md": REPORT.format(json.dumps(assistant(text("Half"))))})
        / "timeout-report-4-x.md"
    )
    (run,), _ = read(path)
    (one,) = run.iterations
    assert (run.reader, one.timed_out, one.exit_status, one.error_kind) == (
        "ralph-codeharness",
        True,
        124,
        TIMEOUT,
    )
    assert (one.response, one.record["truncated"]) == ("Half", True)
    assert (one.started_at, one.ended_at) == (1769860800.0, 1769862600.0)
    path.write_text(REPORT.format(""), encoding="utf-8")
    (run,), _ = read(path)
    assert run.iterations[0].response is None and "response" in run.iterations[0].not_known


def test_histories_of_its_state_say_how_it_stood_last(tmp_path: Path) -> None:
    row = {"loop_count": 3, "last_action": "final_summary", "status": "completed", "stories_total": 3}
    rows = [{**row, "stories_completed": n, "exit_reason": f"completed:{n}/3"} for n in (2, 3)]
    states = [{"state": s, "consecutive_no_progress": 1} for s in ("CLOSED", "OPEN")]
    place = folder(tmp_path, {"status.jsonl": lines(*rows), "breaker.jsonl": lines(*states)})
    for name, how in (("status.jsonl", "complete"), ("breaker.jsonl", "halted")):
        (run,), _ = read(place / name)
        assert (run.reader, run.end.how, run.iterations) == ("ralph-codeharness", how, ())


def test_all_launches_of_a_folder_can_be_one_run(tmp_path: Path) -> None:
    body = [
        *launch("12:00:00"),
        *loop(1, "12:00:01", "12:01:00"),
        *launch("13:00:00"),
        *loop(1, "13:00:01", "13:01:00"),
    ]
    body += [*loop(2, "13:02:00", "13:03:00"), "13:03:01 ERROR Permission denied - halting loop"]
    clocks = ("12:00:01", "13:02:00")
    place = folder(tmp_path, {"ralph.log": log(*body)} | {output(clock): result(clock) for clock in clocks})
    (run,), _ = read(place, "ralph-folder")
    assert (run.begin.id, [i.response for i in run.iterations]) == ("demo", list(clocks))
    assert ([i.index for i in run.iterations], run.end.how) == ([1, 2], "blocked")
    assert reader(place) == "ralph-frankbria" and len(read(place)[0]) == 2
    (played,) = dry_run([str(tmp_path)], ["recommended"], reader="ralph-folder").results
    assert (played.run.id, played.run.iterations, played.run.reader) == ("demo", 2, "ralph-folder")
    other = folder(tmp_path, {"ralph.log": log(*START, *turn(1, "12:00:01", "12:10:00", GOOD))}, "fork")
    (run,), _ = read(other, "ralph-folder")
    assert (run.begin.id, run.iterations[0].plan) == ("fork", DONE_1_OF_3)
    (place / "notes.txt").write_text("words")
    runs, problems = read(place / "notes.txt", "ralph-folder")
    assert runs == () and len(problems) == 1
