"""Starts of iannuttall/ralph that run at the same time: each line of the log belongs to one run."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import folder, read

from exitgate.recordings.discovery import discover
from exitgate.recordings.replay.dry_run import dry_run

NOON = 1_767_355_200  # 2026-01-02 12:00:00


def stamp(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def run_id(at: int, pid: int) -> str:
    return f"{datetime.fromtimestamp(at, UTC).strftime('%Y%m%d-%H%M%S')}-{pid}"


def event(at: int, number: int, what: str, inside: str) -> tuple[int, str]:
    return at, f"[{stamp(at)}] ITERATION {number} {what} ({inside})"


def parallel(plans: list[tuple[int, list[int], bool]]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """
    Return the files of several starts, and run -> what its iterations said.

    Each start has the second in which it began, how long each iteration took, and whether the last one was
    killed: no line ends it, and no summary is written.
    """
    events: list[tuple[int, str]] = []
    summaries: list[tuple[int, str]] = []
    files: dict[str, str] = {}
    said: dict[str, list[str]] = {}
    for pid, (begin, durations, killed) in enumerate(plans, 1001):
        run, at = run_id(NOON + begin, pid), NOON + begin
        said[run] = []
        for number, took in enumerate(durations, 1):
            events.append(event(at, number, "start", f"mode=build story=ST-{number}"))
            name = f"runs/run-{run}-iter-{number}"
            if killed and number == len(durations):
                files[f"{name}.log"] = ""
                said[run].append("")
                break
            events.append(event(at + took, number, "end", f"duration={took}s"))
            one = f"run={run} | iter={number} | mode=build | story=ST-{number} | duration={took}s"
            summaries.append((at + took, f"- {stamp(at + took)} | {one} | status=success"))
            files[f"{name}.log"] = f"{run} painted wall {number}\n"
            files[f"{name}.md"] = (
                f"# Ralph Run Summary\n\n- Run ID: {run}\n- Iteration: {number}\n- Started: {stamp(at)}\n"
                f"- Ended: {stamp(at + took)}\n- Status: success\n"
            )
            said[run].append(f"{run} painted wall {number}")
            at += took + 3
    order = [text for _, text in sorted(summaries, reverse=True)]
    lines = [text for _, text in sorted(events, key=lambda pair: pair[0])]
    files["activity.log"] = "\n".join(
        ("# Activity Log", "", "## Run Summary", *order, "", "## Events", "", *lines, "")
    )
    return files, said


STARTS = st.lists(
    st.tuples(st.integers(0, 60), st.lists(st.integers(20, 200), min_size=1, max_size=4), st.booleans()),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60)
@given(plans=STARTS, log=st.booleans(), summaries=st.booleans())
def test_no_start_is_listed_twice_and_no_iteration_changes_its_run(
    plans: list[tuple[int, list[int], bool]], log: bool, summaries: bool
) -> None:
    files, said = parallel(plans)
    if not log:
        del files["activity.log"]
    if not summaries:
        files = {name: text for name, text in files.items() if not name.endswith(".md")}
    with tempfile.TemporaryDirectory() as root:
        place = folder(Path(root), files, ".ralph")
        runs, problems = read(place)
        assert [one.reader for one in discover([str(place)])] == ["ralph-iannuttall"]
    found = {run.begin.id: [(one.response or "").strip() for one in run.iterations] for run in runs}
    assert (found, len(runs), problems) == (said, len(said), ())


def test_starts_in_one_second_keep_their_times(tmp_path: Path) -> None:
    files, _ = parallel([(0, [100, 40], False), (0, [30], False), (0, [50, 50], True)])
    runs, _ = read(folder(tmp_path, files, ".ralph"))
    spans = [
        [(one.started_at, one.ended_at) for one in run.iterations]
        for run in sorted(runs, key=lambda run: run.begin.id)
    ]
    assert spans == [
        [(NOON, NOON + 100), (NOON + 103, NOON + 143)],
        [(NOON, NOON + 30)],
        [(NOON, NOON + 50), (NOON + 53, None)],
    ]


def test_a_summary_that_the_agent_wrote_says_nothing(tmp_path: Path) -> None:
    files, _ = parallel([(0, [30], True)])
    run = run_id(NOON, 1001)
    files[f"runs/run-{run}-iter-1.md"] = (
        "# Run Summary: the wall\n- Status: success\n- Ended: 2026-01-02 12:09:00\n"
    )
    (found,), _ = read(folder(tmp_path, files, ".ralph"))
    (one,) = found.iterations
    assert (one.exit_status, one.ended_at, one.git, one.response) == (None, None, None, None)
    assert one.not_known["response"] == "its log is empty" and "chose none" in one.not_known["plan"]


def test_what_the_loop_went_on_to_was_open(tmp_path: Path) -> None:
    files, _ = parallel([(0, [30, 40, 50], False)])
    files = {
        name: f"{text}<promise>COMPLETE</promise>\n" for name, text in files.items() if name.endswith(".log")
    }
    del files["activity.log"]
    place = folder(tmp_path, files, ".ralph")
    (run,), _ = read(place)
    assert [one.plan for one in run.iterations] == ["- [ ] iteration 2\n", "- [ ] iteration 3\n", None]
    (found,) = dry_run([str(place)], ["recommended"]).results
    assert found.stop is not None and (found.stop.iteration, found.stop.exit_class) == (3, "complete")
