"""Folders of snarktank/ralph: stories and a log of progress."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hostile_files import any_bytes, cut_by_lines
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import folder, read, reader
from test_git_history import Repository, stories

from exitgate.recordings.replay.dry_run import dry_run

ID = "ralph-snarktank"
LOG = """# Ralph Progress Log
Started: some day

## Codebase Patterns
- keep it small

## 2026-01-02 10:00 - US-0
- built it; <promise>COMPLETE</promise> is what I would say
---

## [2026-01-02] - US-1
- tests pass
---
"""


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    return folder(tmp_path, {"prd.json": stories(True, False), "progress.txt": LOG}, "ralph")


def test_without_git_each_section_is_an_iteration(loop: Path) -> None:
    assert reader(loop) == ID
    (run,), problems = read(loop)
    assert (problems, run.begin.granularity, run.end.how) == ((), "process", None)
    one, two = run.iterations
    assert (one.provenance.first, one.provenance.last, two.provenance.first) == (7, 10, 11)
    assert (one.ended_at, two.ended_at) == (1_767_348_000.0, 1_767_312_000.0)
    assert one.files[f"{loop}/progress.txt"].startswith("# Ralph Progress Log")
    assert f"{loop}/prd.json" not in one.files
    assert two.files[f"{loop}/prd.json"] == stories(True, False)
    assert (one.response, one.output, one.plan) == (None, None, None)


def test_in_a_working_tree_commits_are_the_iterations(tmp_path: Path) -> None:
    made = Repository(tmp_path / "work")
    made.commit("start", scripts__ralph__prd_o_json=stories(False), scripts__ralph__progress_o_txt=LOG)
    made.commit("other work", src__a_o_py="1")
    made.commit("story", scripts__ralph__prd_o_json=stories(True), src__a_o_py="2")
    (run,), _ = read(tmp_path / "work" / "scripts" / "ralph")
    assert run.reader == ID
    assert [one.files["scripts/ralph/prd.json"] for one in run.iterations] == [stories(False), stories(True)]
    assert [change.path for change in run.iterations[1].files_changed or ()][-1] == "src/a.py"


def test_one_of_the_files_by_itself(loop: Path) -> None:
    assert reader(loop / "prd.json") == reader(loop / "progress.txt") == ID
    (run,), problems = read(loop / "progress.txt")
    assert (len(run.iterations), problems) == (2, ())
    (run,), problems = read(loop / "prd.json")
    assert (run.iterations, run.begin.files) == ((), {f"{loop}/prd.json": stories(True, False)})


@pytest.mark.parametrize("text", ['{"userStories": 3}', '{"items": []}', "[]", "## notes without a name"])
def test_other_files_do_not_fit(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert reader(path) is None


def test_cut_anywhere(loop: Path) -> None:
    cut_by_lines(loop / "progress.txt", ID)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["prd.json", "progress.txt"]))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes, name: str) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), name, body, ID)


@settings(max_examples=50)
@given(
    told=st.lists(st.integers(0, 12), max_size=6), passing=st.lists(st.booleans(), min_size=1, max_size=13)
)
def test_stories_that_no_section_tells_of_are_of_a_later_time(
    tmp_path_factory: pytest.TempPathFactory, told: list[int], passing: list[bool]
) -> None:
    sections = [f"## [2026-01-02] - US-{number}\n- done\n---\n" for number in (*told, 99)]
    files = {
        "prd.json": stories(*passing),
        "progress.txt": "\n".join(("# Ralph Progress Log", "", *sections)),
    }
    place = folder(tmp_path_factory.mktemp("late"), files, "ralph")
    (run,), _ = read(place)
    last = run.iterations[-1]
    newer = any(passes and number not in told for number, passes in enumerate(passing))
    assert (f"{place}/prd.json" in last.files) is not newer
    assert newer is ("may be newer" in last.not_known.get("plan", ""))


def test_a_dry_run_sees_the_stories(loop: Path) -> None:
    (loop / "prd.json").write_text(json.dumps(json.loads(stories(True, True))))
    (result,) = dry_run([str(loop)], ["recommended"]).results
    assert result.run.reader == ID
    assert result.stop is not None
    assert (result.stop.iteration, result.stop.exit_class) == (2, "complete")
