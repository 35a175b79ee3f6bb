"""One file for each iteration, JSON lines of iterations, logs of BB3 and Doyaken, what lies beside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import each
from console_logs import FORMS, log_of
from loop_folders import folder, read, reader, result
from sessions_on_disk import session

from exitgate.core.model.capabilities import ALL
from exitgate.recordings import registry
from exitgate.recordings.discovery import discover
from exitgate.recordings.model import Run, collect

TEXTS = [f"Stone {n} is laid." for n in range(1, 13)]


def found_in(place: Path) -> list[Run]:
    """Return all runs below a folder, whoever reads them."""
    runs: list[Run] = []
    for found in discover([str(place)]):
        if found.reader is not None:
            runs += collect(registry.load(found.reader).read(found.place, ALL), found.reader)[0]
    return runs


def said(run: Run) -> list[str | None]:
    return [one.response for one in run.iterations]


NAMES = (
    "iteration-{n}.log", "iteration_{n}.txt", "iteration-{n}.md", "iter{n:03}.log",
    ".ralph/iteration-{n}.log", "logs/iteration-{n}.log", "logs/ralph-iteration-{n}.txt",
    "loop-{n}.log", "cycle_{n}.out", "round-{n}.md",
    "scripts/ralph/iteration-{n}.log", "outputs/iteration-{n}-output.txt", "Iteration {n}.md",
    ".ralph/iteration-{n}/output.log", "iteration_{n}/response.md",
)  # fmt: skip


@each("name", NAMES)
def test_texts_of_a_series_are_one_run_in_the_order_of_numbers(tmp_path: Path, name: str) -> None:
    place = folder(tmp_path, {name.format(n=n): text + "\n" for n, text in enumerate(TEXTS, 1)})
    (run,) = found_in(place)
    assert said(run) == TEXTS


@each(
    "name",
    [
        "claude_output_{n}.json", "logs/output-{n}.json", "iteration-{n}.json", "codex-iteration-{n}.jsonl",
        ".ralph/worktrees/output-2.{n}.txt",
        "logs/output-US-{n}.json", "story-B{n:02}.json", "response-{n}.json",
        "logs/agent-{n}.log", "run-{n}.json",
    ],
)  # fmt: skip
def test_results_of_a_series_are_one_run(tmp_path: Path, name: str) -> None:
    files = {name.format(n=n): result(text, session=f"s-{n}") + "\n" for n, text in enumerate(TEXTS, 1)}
    (run,) = found_in(folder(tmp_path, files))
    assert said(run) == TEXTS and {one.cost for one in run.iterations} == {0.5}


@pytest.mark.parametrize("name", ["run-{n}", "session-{n}", "iteration-{n}"])
@pytest.mark.parametrize("longest", [0, 4])
def test_sessions_that_were_asked_more_than_once_are_runs_of_their_own(
    tmp_path: Path, name: str, longest: int
) -> None:
    for n in range(5):
        session(tmp_path, name.format(n=n), TEXTS[: 3 if n == longest else 1])
    runs = found_in(tmp_path)
    assert sorted(map(len, map(said, runs))) == [1, 1, 1, 1, 3]


def test_objects_of_a_series_are_one_run(tmp_path: Path) -> None:
    files = {
        f"iteration_{n}.json": json.dumps({"response": text, "exit_code": 0}) for n, text in enumerate(TEXTS)
    }
    (run,) = found_in(folder(tmp_path, files))
    assert said(run) == TEXTS and {one.exit_status for one in run.iterations} == {0}


def test_side_files_belong_to_their_iteration(tmp_path: Path) -> None:
    files = {}
    for n, text in enumerate(TEXTS, 1):
        files |= {f"logs/iteration-{n}.log": text, f"logs/iteration-{n}-stderr.log": "warning: old stone"}
        files |= {
            f"logs/iteration-{n}-summary.txt": f"Iteration: {n}/{12 if n < 7 else 30}\nExit code: {n % 2}\n"
        }
    first, second = found_in(folder(tmp_path, files))
    assert said(first) + said(second) == TEXTS
    assert (first.begin.limit, second.begin.limit) == (12, 30)
    assert [one.exit_status for one in first.iterations] == [1, 0, 1, 0, 1, 0]
    assert second.iterations[0].number == 7


def test_a_time_that_goes_back_begins_another_launch(tmp_path: Path) -> None:
    files = {
        f"logs/iteration-{n}.log": f"[2026-02-0{3 - n // 3} 10:0{n}:00] Starting iteration {n}\n{text}\n"
        for n, text in enumerate(TEXTS[:4], 1)
    }
    assert sorted(map(said, found_in(folder(tmp_path, files)))) == [TEXTS[:2], TEXTS[2:4]]


@pytest.mark.parametrize(
    "names",
    [
        ("chapter-{n}.md",), ("test-output-{n}.txt",), ("app-{n}.log",), ("screenshot-{n}.txt",),
        ("page{n}.md",), ("server.{n}.log",), ("build-log-{n}.txt",),
    ],
)  # fmt: skip
def test_other_numbered_files_are_no_iterations(tmp_path: Path, names: tuple[str, ...]) -> None:
    files = {name.format(n=n): text for name in names for n, text in enumerate(TEXTS, 1)}
    assert found_in(folder(tmp_path, files)) == []


def test_results_with_other_words_in_their_names_are_runs_of_their_own(tmp_path: Path) -> None:
    files = {f"bridge-sample-output-{n}.json": result(text) for n, text in enumerate(TEXTS[:3], 1)}
    assert [said(run) for run in found_in(folder(tmp_path, files))] == [[text] for text in TEXTS[:3]]


STORIES = json.dumps({"userStories": [{"id": "B-1", "passes": True}, {"id": "B-2", "passes": False}]})
PROGRESS = "# Ralph Progress Log\n\n## 2026-01-02 - B-1\n- laid\n\n## 2026-01-09 - B-2\n- laid\n"
BESIDE = {
    "prd.json": STORIES, "progress.txt": PROGRESS, "tasks/progress.txt": PROGRESS,
    "PROMPT.md": "# Lay stones\n", "fix_plan.md": "- [x] lay\n- [ ] more\n",
    "guardrails.md": "# Guardrails (Signs)\n",
    "plans/prd.json": STORIES,
}  # fmt: skip


@each("form", FORMS[::4], ids=lambda form: form.name)
@each("log", ["ralph.log", "logs/console.txt", "scripts/ralph/out.log", ".ralph/loop.log"])
def test_what_lies_beside_a_log_is_no_run(tmp_path: Path, form: object, log: str) -> None:
    place = folder(tmp_path, {**BESIDE, log: log_of(form, TEXTS[:4])})  # type: ignore[arg-type]
    (run,) = found_in(place)
    assert said(run) == TEXTS[:4] and run.begin.file == str(place / log)
    assert all(one.plan is None and not one.files for one in run.iterations)


def test_a_list_of_stories_counts_at_the_end_where_the_loop_says_that_all_is_done(tmp_path: Path) -> None:
    console = log_of(FORMS[0], TEXTS[:3]) + "\nRalph completed all tasks!\nCompleted at iteration 3 of 20\n"
    done = STORIES.replace("false", "true")
    for stories, counts in ((done, [0, 0, 1]), (STORIES, [0, 0, 0])):
        place = folder(tmp_path, {"ralph.log": console, "prd.json": stories}, name=f"p{counts[2]}")
        (run,) = found_in(place)
        assert [len(one.files) for one in run.iterations] == counts


def test_the_same_texts_in_a_log_and_in_files_are_one_run(tmp_path: Path) -> None:
    files = {f".ralph/iteration-{n}.log": text for n, text in enumerate(TEXTS[:4], 1)}
    (run,) = found_in(folder(tmp_path, {**files, "ralph.log": log_of(FORMS[3], TEXTS[:4])}))
    assert said(run) == TEXTS[:4]


def test_projects_side_by_side_do_not_hide_each_other(tmp_path: Path) -> None:
    folder(tmp_path, {"ralph.log": log_of(FORMS[0], TEXTS[:3])}, name="a")
    folder(tmp_path, {"progress.txt": PROGRESS, "prd.json": STORIES}, name="b")
    assert len(found_in(tmp_path)) == 2


@pytest.mark.parametrize(
    "keys",
    [
        ("iteration", "response"),
        ("iter", "output"),
        ("loop", "text"),
        ("n", "response"),
        ("loopNumber", "agent_output"),
    ],
)
def test_a_json_object_for_each_iteration(tmp_path: Path, keys: tuple[str, str]) -> None:
    rows = [{keys[0]: n, keys[1]: text, "cost_usd": 0.5, "exit_code": 0} for n, text in enumerate(TEXTS, 1)]
    lines = (
        folder(tmp_path, {"a.jsonl": "".join(json.dumps(row) + "\n" for row in (*rows, *rows[:3]))})
        / "a.jsonl"
    )
    assert reader(lines) == "iteration-lines"
    runs, problems = read(lines)
    assert problems == () and [said(run) for run in runs] == [TEXTS, TEXTS[:3]]
    assert {(one.cost, one.exit_status) for one in runs[0].iterations} == {(0.5, 0)}
    for name, value in (("b.json", rows), ("c.json", {"iterations": rows})):
        path = folder(tmp_path, {name: json.dumps(value, indent=1)}) / name
        assert reader(path) == "iteration-lines" and said(read(path)[0][0]) == TEXTS


@pytest.mark.parametrize(
    "row", [{"step": 1}, {"iteration": "a", "response": "b"}, {"id": 1, "message": "hello"}]
)
def test_other_json_lines_are_none(tmp_path: Path, row: object) -> None:
    assert reader(folder(tmp_path, {"a.jsonl": f"{json.dumps(row)}\n" * 3}) / "a.jsonl") is None


def decision(minute: int, verdict: str, reason: str) -> str:
    metrics = json.dumps({"completion_score": 40, "confidence": 80, "error_count": 1})
    head = f"[2026-02-03T10:{minute:02}:00+00:00] Decision: {verdict}\n"
    return f"{head}   Reason: {reason}\n   Metrics: {metrics}\n   Circuit status: CLOSED\n\n"


DECISIONS = (
    decision(0, "CONTINUE", "Checking progress...")
    + decision(5, "EXIT", "AI confidence 60% < threshold 70%")
    + decision(9, "CONTINUE", "Progress detected: 2/5 tasks done")
)


def test_decisions_of_bb3(tmp_path: Path) -> None:
    path = folder(tmp_path, {"exit-decisions_20260203.log": DECISIONS}) / "exit-decisions_20260203.log"
    assert reader(path) == "bb3-decisions"
    first, second = read(path)[0]
    assert [len(run.iterations) for run in (first, second)] == [2, 1]
    assert (first.end.how, second.end.how) == ("review", None)
    assert first.iterations[0].facts == {"confidence": 80, "errors.count": 1}


def test_a_folder_of_doyakens(tmp_path: Path) -> None:
    files = {
        "phase-verify-002-a-attempt1.log": "DOYAKEN_STATUS:\n  PHASE_COMPLETE: true\n",
        "phase-plan-002-a-attempt2.log": "The plan is written.\n",
        "phase-plan-002-a-attempt1.log": "",
        "phase-implement-001-b-attempt1.log": result("Stone by stone."),
        "confidence.log": "2026-02-03T10:00:00Z task=002-a score=60 reasons=x\n",
    }
    first, second = found_in(folder(tmp_path, files, name="20260203-100000-worker-1"))
    assert (first.begin.id, second.begin.id) == ("002-a", "001-b")
    assert said(first) == [None, "The plan is written.", "DOYAKEN_STATUS:\n  PHASE_COMPLETE: true"]
    assert said(second) == ["Stone by stone."]


def told(clock: str, *lines: str) -> str:
    return "".join(f"[2026-02-03 {clock}] {line}\n" for line in lines)


def test_a_log_of_pieces_of_work_and_their_outputs_are_one_run(tmp_path: Path) -> None:
    log = (
        told("10:00:00", "[INFO] Stories: 3 remaining of 3 total")
        + told(
            "10:00:01", "[INFO] Spawned Claude for story P-2 (PID 7)", "Spawned Claude for story P-10 (PID 8)"
        )
        + told("10:09:00", "Story P-2: completed", "Story P-10: completed", "Story P-2 marked as DONE")
        + told("10:10:00", "Starting story P-11: the rail", "Claude returned: exit_code=3 output_length=90")
    )
    files = {f".ralph/output-P-{n}.txt": result(f"Stone {n}.") for n in (2, 10)}
    place = folder(
        tmp_path, {"ralph.log": log, **files, ".ralph/last-claude-output.txt": result("The rail.")}
    )
    (run,) = found_in(place)
    assert said(run) == ["Stone 2.", "Stone 10.", "The rail."]
    assert [one.exit_status for one in run.iterations] == [None, None, 3]
    assert [str(one.plan).count("- [ ]") for one in run.iterations] == [2, 2, 2]


def test_launches_that_overlap_in_a_log_are_told_apart(tmp_path: Path) -> None:
    def ends(clock: str, number: int, status: int) -> str:
        return told(
            clock,
            f"claude finished (exit code: {status})",
            f"Output log: logs/iteration-{number}.log (1 lines)",
        )

    log = (
        told("10:00:00", "Agent loop started", "Max iterations: 2", "Starting iteration 1")
        + ends("10:01:00", 1, 0)
        + told("10:02:00", "Starting iteration 2")
        + told("10:03:00", "Agent loop started", "Max iterations: 5", "Starting iteration 1")
        + ends("10:04:00", 2, 7)
        + told("10:04:01", "Max iterations reached.")
        + ends("10:05:00", 1, 0)
        + told("10:06:00", "Starting iteration 2")
    )
    place = folder(
        tmp_path, {"loop.log": log, "logs/iteration-1.log": "Later.\n", "logs/iteration-2.log": ""}
    )
    first, second = found_in(place)
    assert [one.exit_status for one in first.iterations] == [0, 7] and first.end.how == "exhausted"
    assert [one.exit_status for one in second.iterations] == [0, None] and second.end.how is None
    assert said(first) == [None, None] and said(second) == ["Later.", None]
