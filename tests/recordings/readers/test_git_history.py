"""Loops seen through git: JSON lines of commits, and repositories."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hostile_files import any_bytes, cut_by_lines, odd_members
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import folder, read, reader

from exitgate.recordings.discovery import discover
from exitgate.recordings.readers.git_history.commits import PATHSPECS, commits
from exitgate.recordings.replay.dry_run import dry_run

ID = "git-history"
DAY = 1_800_000_000


def commit(nth: int, done: int | None, total: int = 3, **more: object) -> dict[str, object]:
    paths = ["scripts/ralph/prd.json", "scripts/ralph/progress.txt", f"src/part{nth}.py"]
    return {
        "commit": f"{nth:012x}", "date": f"2026-01-02T0{nth}:00:00+00:00", "subject": f"part {nth}",
        "stories_passing": None if done is None else [done, total], "files_changed": 3, "paths": paths,
        "lines_added": nth, "lines_deleted": 0, "progress_appended": f"## part {nth}\n", **more,
    }  # fmt: skip


def lines(path: Path, *commits: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in commits), encoding="utf-8")
    return path


def test_a_line_is_an_iteration(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "x.jsonl", commit(1, 1, progress_appended="[first]# Log\n"), commit(2, 2), commit(3, None)
    )
    assert reader(path) == ID
    (run,), problems = read(path)
    assert (problems, run.begin.granularity, run.end.how) == ((), "process", None)
    assert "without a commit is not seen" in run.begin.title
    one, two, three = run.iterations
    assert (one.provenance.first, two.provenance.last, three.index) == (1, 2, 3)
    assert two.ended_at is not None and one.ended_at is not None and two.ended_at - one.ended_at == 3_600
    passes = [story["passes"] for story in json.loads(two.files["scripts/ralph/prd.json"])["userStories"]]
    assert passes == [True, True, False]
    assert two.files["scripts/ralph/progress.txt"] == "# Log\n## part 2\n"
    assert [(c.path, c.origin) for c in two.files_changed or ()][1:] == [
        ("scripts/ralph/progress.txt", "loop"), ("src/part2.py", "commit"),
    ]  # fmt: skip
    assert two.git is not None
    assert (two.git["files_changed"], two.git["changed"], two.git["commits"]) == (1, True, 1)
    assert (two.response, two.cost, two.plan) == (None, None, None)
    assert "commit" in two.not_known["response"]


def test_a_commit_that_only_touches_the_loops_files_changes_nothing(tmp_path: Path) -> None:
    own = commit(1, 1, paths=[".ralph/activity.log", ".ralph/progress.md"], files_changed=2)
    said = commit(2, 1, state_only=True)
    more = commit(3, 1, files_changed=30)
    (run,), _ = read(lines(tmp_path / "x.jsonl", own, said, more))
    records = [one.git or {} for one in run.iterations]
    assert [(record["changed"], record["files_changed"]) for record in records] == [
        (False, 0),
        (False, 0),
        (True, 28),
    ]


def test_a_rebase_leaves_a_commit_there_twice_and_it_counts_once(tmp_path: Path) -> None:
    again = {**commit(1, 1), "commit": "f" * 12, "progress_appended": ""}
    (run,), _ = read(lines(tmp_path / "x.jsonl", commit(1, 1), again, commit(2, 2), commit(1, 1)))
    assert [one.provenance.first for one in run.iterations] == [1, 3]


def test_stories_that_are_replaced_begin_another_run(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "x.jsonl", commit(1, 2), commit(2, 3), commit(3, 0, 8), commit(4, 1, 8), commit(5, 0, 8)
    )
    runs, _ = read(path)
    assert [len(run.iterations) for run in runs] == [2, 3]
    assert [one.index for one in runs[1].iterations] == [1, 2, 3]
    grown, _ = read(lines(tmp_path / "y.jsonl", commit(1, 3), commit(2, 3, 9)))
    assert len(grown) == 1, "stories that were added are the same list"


def test_a_progress_file_that_was_written_anew_is_not_known(tmp_path: Path) -> None:
    again = commit(2, 2, progress_appended="[rewritten]")
    (run,), _ = read(lines(tmp_path / "x.jsonl", commit(1, 1), again))
    assert "scripts/ralph/progress.txt" not in run.iterations[1].files


def test_a_bad_line_is_told_with_its_number(tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", commit(1, 1), commit(2, 2))
    path.write_text(path.read_text().replace("\n", "\nnot json\n", 1) + '{"commit": "1"}\n')
    (run,), problems = read(path)
    assert [problem.line for problem in problems] == [2, 4] and len(run.iterations) == 2


def test_cut_anywhere(tmp_path: Path) -> None:
    cut_by_lines(lines(tmp_path / "x.jsonl", *(commit(n, n) for n in range(1, 4))), ID)


def test_odd_members(tmp_path: Path) -> None:
    odd_members(lines(tmp_path / "x.jsonl", commit(1, 1), commit(2, 2)), ID)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), "x.jsonl", body, ID)


class Repository:
    """A repository whose commits are an hour apart."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.clock = DAY
        place.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> None:
        who = {
            f"GIT_{role}_{part}": "x@y.z" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
        }
        when = {"GIT_AUTHOR_DATE": f"{self.clock} +0000", "GIT_COMMITTER_DATE": f"{self.clock} +0000"}
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(
            ["git", *words], cwd=self.place, check=True, env={**clean, **who, **when}, capture_output=True
        )

    def commit(self, subject: str, **files: str) -> None:
        self.clock += 3_600
        folder(
            self.place.parent,
            {n.replace("__", "/").replace("_o_", "."): t for n, t in files.items()},
            self.place.name,
        )
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)


def stories(*passes: bool, name: str = "US") -> str:
    return json.dumps(
        {"userStories": [{"id": f"{name}-{n}", "title": "t", "passes": p} for n, p in enumerate(passes)]}
    )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work")
    made.commit("start", prd_o_json=stories(False, False), src__a_o_py="1")
    made.commit("first", prd_o_json=stories(True, False), src__a_o_py="2", fix_plan_o_md="- [x] a\n- [ ] b\n")
    made.commit("nothing of the loop", src__a_o_py="3")
    made.commit("undone", fix_plan_o_md="- [ ] a\n- [ ] b\n", src__a_o_py="1")
    made.commit("state only", prd_o_json=stories(True, True))
    return made


def test_a_repository_tells_files_as_they_stood(repository: Repository) -> None:
    assert reader(repository.place) == ID
    (run,), problems = read(repository.place)
    assert (problems, run.begin.granularity, len(run.iterations)) == ((), "process", 4)
    start, first, undone, last = run.iterations
    assert [one.ended_at for one in run.iterations] == [DAY + 3_600 * n for n in (1, 2, 4, 5)]
    assert (start.plan, first.plan, undone.plan) == (None, "- [x] a\n- [ ] b\n", "- [ ] a\n- [ ] b\n")
    assert start.files["prd.json"] == stories(False, False) and last.files["prd.json"] == stories(True, True)
    assert start.git and first.git and undone.git and last.git
    assert (first.git["changed"], last.git["changed"], last.git["files_changed"]) == (True, False, 0)
    assert len({one.git["content"] for one in (start, first) if one.git}) == 2
    assert undone.git["content"] == last.git["content"] == start.git["content"], "the same content again"
    assert last.provenance.file.startswith(f"{repository.place}@")


def test_the_git_folder_by_itself_is_read_where_logs_lie_beside_it(repository: Repository) -> None:
    folder(repository.place.parent, {".ralph/logs/ralph.log": "x"}, "work")
    assert reader(repository.place) != ID
    assert reader(repository.place / ".git") == ID
    (run,), _ = read(repository.place / ".git")
    assert len(run.iterations) == 4
    assert ID not in {found.reader for found in discover([str(repository.place)])}


def test_another_list_of_stories_in_a_repository_is_another_run(repository: Repository) -> None:
    repository.commit("new stories", prd_o_json=stories(False, name="OTHER"))
    runs, _ = read(repository.place)
    assert [len(run.iterations) for run in runs] == [4, 1]


def test_a_commit_merged_after_a_rebase_counts_once(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side", "HEAD~1")
    repository.clock += 60
    repository.git("cherry-pick", "main")
    repository.git("merge", "-q", "--no-edit", "main")
    assert len(list(commits(str(repository.place), PATHSPECS))) == 5
    (run,), _ = read(repository.place)
    assert len(run.iterations) == 4


def test_nothing_of_the_repository_runs(repository: Repository, tmp_path: Path) -> None:
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    evil.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "filter.x.smudge",
        "diff.x.textconv",
        "core.sshCommand",
    ):
        repository.git("config", key, str(evil))
    repository.commit("more", _o_gitattributes="* filter=x diff=x\n", prd_o_json=stories(True, True))
    (tmp_path / "ran").unlink(missing_ok=True)
    read(repository.place)
    assert not (tmp_path / "ran").exists()


def test_a_repository_without_a_loop_is_none_and_one_without_commits_says_so(tmp_path: Path) -> None:
    made = Repository(tmp_path / "work")
    made.commit("x", src__a_o_py="1")
    assert reader(made.place) is None
    empty = Repository(tmp_path / "empty")
    folder(tmp_path, {"prd.json": "{}"}, "empty")
    runs, (problem,) = read(empty.place)
    assert runs == () and "no commit" in problem.message


def test_a_dry_run_stops_when_every_story_passes_and_the_plan_is_done_too(repository: Repository) -> None:
    (result,) = dry_run([str(repository.place)], ["recommended"]).results
    assert result.stop is None
    repository.commit("plan", fix_plan_o_md="- [x] a\n- [x] b\n")
    (result,) = dry_run([str(repository.place)], ["recommended"]).results
    assert result.stop is not None
    assert (result.stop.iteration, result.stop.exit_class) == (5, "complete")
