"""`benchmarks/loops.py`: how rows of a table become labels, and a whole run over loops of our own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from compiled import COMPILED
from judged_loops import loop
from patience import PATIENCE

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from benchmarks.loops import begun_in_vain, label_of  # noqa: E402


@pytest.fixture(autouse=True)
def compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)


def row(
    stop: str, reason: str = "", wasted: str = "3", iterations: str = "9", fact: str = ""
) -> dict[str, str]:
    return {
        "run_id": "r", "iterations": iterations, "right_stop_iteration": stop, "right_reason": reason,
        "wasted_iterations": wasted, "key_fact": fact,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "stop", "classes"),
    [
        (row("7", "the plan is complete"), "7", ("complete",)),
        (row("4-5", "no work is left, or blocked"), "4-5", ("idle", "blocked")),
        (row("6 (then more was asked for)", wasted="0"), "6-9", ()),
        (row("none (2 tasks are open)"), "never", ()),
        (row("see there", fact="negative control: never to be stopped"), "never", ()),
    ],
)
def test_rows_that_are_labels(given: dict[str, str], stop: str, classes: tuple[str, ...]) -> None:
    label, _ = label_of(given)
    assert label is not None
    assert (label.run, label.stop, label.classes) == ("r", stop, classes)


@pytest.mark.parametrize("stop", ["per task", "see there", "about 4-5", "where it is flat", ""])
def test_rows_that_are_none_say_why(stop: str) -> None:
    label, why = label_of(row(stop))
    assert label is None
    assert stop in why


def test_a_negative_control_begins_behind_what_was_wasted() -> None:
    control = "negative control: never to be stopped"
    assert begun_in_vain(row("see there", wasted="4-5", fact=control)) == 5
    assert begun_in_vain(row("see there", wasted="2", fact=control)) == 2
    assert begun_in_vain(row("see there", wasted="", fact=control)) == 0
    assert begun_in_vain(row("7", wasted="16")) == 0


def test_a_control_is_scored_behind_its_beginning(tmp_path: Path) -> None:
    loop(
        tmp_path,
        "a/one",
        ["There is nothing left to do."] * 2
        + [
            "Wrote the reader and its tests.",
            "Wrote the page that lists them.",
            "The index of all pages is next.",
        ],
    )
    (tmp_path / "INDEX.csv").write_text("file,run_id\na/one/ralph.log,first\n", encoding="utf-8")
    head = "run_id,iterations,right_stop_iteration,right_reason,wasted_iterations,key_fact\n"
    for wasted, stop in (("", "2"), ("2", "\\-")):
        rows = f"{head}first,5,see there,,{wasted},negative control\n"
        (tmp_path / "RUNS.csv").write_text(rows, encoding="utf-8")
        asked = ["--corpus", str(tmp_path), "--policy", "recommended", "--no-tune"]
        ran = subprocess.run(
            [sys.executable, "benchmarks/loops.py", *asked],
            cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE,
        )  # fmt: skip
        assert f"| first | recommended | never | {stop} |" in ran.stdout


def test_a_whole_run(tmp_path: Path) -> None:
    loop(tmp_path, "a/one", ["I did it.", "There is nothing left to do."])
    (tmp_path / "INDEX.csv").write_text("file,run_id\na/one/ralph.log,first\n", encoding="utf-8")
    (tmp_path / "RUNS.csv").write_text(
        "run_id,iterations,right_stop_iteration,right_reason,wasted_iterations,key_fact\n"
        "first,2,2,complete,0,\nsecond,9,3,complete,6,\nthird,9,per task,,,\n",
        encoding="utf-8",
    )
    ran = subprocess.run(
        [sys.executable, "benchmarks/loops.py", "--corpus", str(tmp_path), "--policy", "bb3", "--no-tune"],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    assert ran.stdout.startswith("1 policy on 1 labelled run.")
    assert "| first | bb3 | 2 |" in ran.stdout
    assert "- second: its text is missing\n- third: its right stop is not a number: per task\n" in ran.stdout
