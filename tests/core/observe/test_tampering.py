"""What was done to files since a run began: real repositories against a model that compares then and now."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe import git, tampering
from exitgate.core.observe.git import baseline_of
from exitgate.core.observe.git_command import GitError
from exitgate.core.observe.tampering import Look

NAMES = ("one.py", "two words.py", "sub/three.js", "ü.txt")
LINES = ("a", "b", "  a", "@pytest.mark.skip", "it.skip('x', f)", "")
STEPS = (
    "printf '{l}\\n' >>{n}",
    "printf '{l}\\n{m}\\n' >{n}",
    "printf '{l}\\n' >{n}.new",
    "rm -f {n}",
    "mv {n} {n}.moved",
    "mv {n}.moved {n}",
    "cat {n} one.py >two 2>/dev/null && mv two {n}",
    "chmod +x {n}",
    "git add -A .",
    "git commit -qam c",
    "git add -A . && git commit -qm c",
    "git commit -q --amend --allow-empty -m d",
    "git reset -q --soft HEAD~1",
    "git checkout -q HEAD -- {n}",
    "git checkout -q start -- {n}",
    "git rm -q --cached {n}",
    "git stash -q",
    "git stash pop -q",
    "git update-index --assume-unchanged {n}",
    "git update-index --skip-worktree {n}",
    "git checkout -q --detach",
    "git checkout -q -b b{k}",
    "git checkout -q start",
    "ln -sf one.py {n}",
    "echo y >>sub/three.js",
)


class Quiet:
    """Runs lines of a shell in a folder, with nobody's settings."""

    def __init__(self, folder: str) -> None:
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": folder}
        for who in ("AUTHOR", "COMMITTER"):
            own |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@example.com"}
        self.folder, self.environment = folder, {**os.environ, **own}

    def __call__(self, line: str) -> bytes:
        return subprocess.run(
            ["sh", "-c", line], cwd=self.folder, env=self.environment, capture_output=True, check=False
        ).stdout  # fmt: skip


class Run:
    """A run in a repository: its beginning, and looks at what was done since."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.began: JsonObject | None = None
        self.baseline: JsonObject | None = None

    def look(self) -> JsonObject:
        look = Look(self.began, (), 0, "p")
        found = git.observe(self.folder, (), self.baseline, limit=30, origin=look.head, look=look.at)
        self.baseline = None if found.record is None else baseline_of(found.record)
        record = look.source(found).record
        assert record is not None
        if self.began is None:
            self.began = record.object("began")
        return record


def contents(folder: str) -> dict[str, tuple[str, bytes, bool]]:
    """Return what is at each path: its kind, its content, and whether it may be executed."""
    found = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in files:
            path = os.path.join(place, name)
            if os.path.islink(path):
                found[os.path.relpath(path, folder)] = ("link", os.fsencode(os.readlink(path)), False)
            else:
                raw = Path(path).read_bytes()
                found[os.path.relpath(path, folder)] = ("file", raw, os.access(path, os.X_OK))
    return found


def lines_of(side: dict[str, tuple[str, bytes, bool]], paths: list[str]) -> Counter[str]:
    texts = (side[path][1].decode() for path in paths if path in side and side[path][0] == "file")
    return Counter(line.strip() for text in texts for line in text.split("\n") if line.strip())


def checked(record: JsonObject, then: dict, now: dict, why: object) -> None:
    """Compare a look with what a comparison of all contents finds."""
    names = {name for name in {*then, *now} if then.get(name) != now.get(name)}
    expected = {
        (name, "added" if name not in then else "deleted" if name not in now else "changed") for name in names
    }
    assert {tuple(pair) for pair in record["changed"]} == expected, why
    read = [name for name in names if name not in record.object("unread")]
    found = Counter(line.strip() for _, _, line in record["added"])
    if len(read) == len(names):
        assert found == lines_of(now, read) - lines_of(then, read), why
    else:  # links: nothing is said of their lines
        assert all(now[name][0] == "link" or then[name][0] == "link" for name in names - {*read}), why
    for path, number, line in record["added"]:
        assert now[path][1].decode().split("\n")[number - 1] == line, why


@settings(max_examples=12)
@given(
    st.lists(st.sampled_from(STEPS), max_size=3),
    st.lists(
        st.tuples(
            st.sampled_from(STEPS), st.sampled_from(NAMES), st.sampled_from(LINES), st.sampled_from(LINES)
        ),
        max_size=8,
    ),
)
def test_what_was_done_is_what_a_comparison_of_then_and_now_finds(early, steps):
    with tempfile.TemporaryDirectory() as folder:
        do = Quiet(folder)
        do("git init -q -b work . && mkdir sub && printf 'a\\n@pytest.mark.skip\\n' >one.py")
        do("printf 'b\\n' >'two words.py' && printf 'b\\nc\\n' >sub/three.js")
        do("git add . && git commit -qm first && git tag start")
        for step in early:
            do(step.format(n=NAMES[0], l="a", m="b", k="e"))
        run = Run(folder)
        run.look()
        then = contents(folder)
        for number, (step, name, line, more) in enumerate(steps):
            quoted = line.replace("'", "'\\''")
            do(step.format(n=f"'{name}'", l=quoted, m=more.replace("'", "'\\''"), k=number))
            record = run.look()
            assert "reason" not in record, (step, record)
            checked(record, then, contents(folder), (early, steps, number))


@pytest.fixture
def do(tmp_path: Path) -> Quiet:
    made = Quiet(str(tmp_path))
    made("git init -q -b work . && printf 'a\\n' >one.py && git add . && git commit -qm first")
    return made


def test_a_change_counts_though_it_was_committed_and_one_that_was_undone_does_not(do):
    run = Run(do.folder)
    run.look()
    do("echo b >>one.py && git commit -qam b && echo c >c.py && git add c.py && git commit -qm c")
    assert run.look()["changed"] == [["c.py", "added"], ["one.py", "changed"]]
    do("git rm -q c.py && git commit -qm d && printf 'a\\n' >one.py")
    assert run.look()["changed"] == []
    do("git rm -qf one.py && git commit -qm e")
    assert run.look()["changed"] == [["one.py", "deleted"]]


def test_a_run_that_lost_sight_of_git_compares_with_its_own_beginning(do):
    run = Run(do.folder)
    run.look()
    do("echo b >>one.py && git commit -qam b && mv .git away")
    assert "changed" not in run.look()
    do("mv away .git")
    assert run.baseline is None
    assert run.look()["changed"] == [["one.py", "changed"]]


def test_before_the_first_commit_all_that_was_there_is_known(tmp_path):
    do = Quiet(str(tmp_path))
    do("git init -q . && echo a >one.py && echo a >two.py")
    run = Run(do.folder)
    run.look()
    do("echo b >>one.py && git add . && git commit -qm first")
    record = run.look()
    assert record["changed"] == [["one.py", "changed"]]
    assert record["added"] == [["one.py", 2, "b"]]


def test_without_git_the_reason_is_told_and_stays(tmp_path):
    run = Run(str(tmp_path))
    assert "head" not in run.look()["began"]
    Quiet(str(tmp_path))("git init -q .")
    assert "not inside a git repository" in run.look()["reason"]


def test_what_git_no_longer_has_is_not_guessed(do):
    run = Run(do.folder)
    run.look()
    shutil.rmtree(Path(do.folder) / ".git")
    do("git init -q . && git add . && git commit -qm other")
    assert "changed" not in run.look()


def test_a_beginning_that_is_lost_is_not_made_anew(do):
    look = Look(None, (), 3, "p", lost=True)
    found = look.source(git.observe(do.folder, look=look.at))
    assert found.record is None
    assert found.reason == "what was kept of the start of the run is lost or was changed"


@pytest.mark.parametrize(
    ("limit", "value", "step", "reason"),
    [
        ("FILE_LIMIT", 2, "touch x y z", "more than 2000 files differ from the start of the run"),
        ("LINES_LIMIT", 3, "echo abcdef >x", "it has more than 1000000 bytes"),
        ("TOTAL_LIMIT", 8, "echo abcdef >x; echo abcdefg >y", "the files have more than 8 bytes"),
    ],
)
def test_beyond_a_limit_nothing_is_said(do, monkeypatch, limit, value, step, reason):
    monkeypatch.setattr(tampering, limit, value)
    run = Run(do.folder)
    run.look()
    do(step)
    record = run.look()
    assert reason in (record.get("reason"), *record.object("unread").values())


def test_more_lines_than_are_kept_are_said_to_be_more(do, monkeypatch):
    monkeypatch.setattr(tampering, "ADDED_LIMIT", 2)
    run = Run(do.folder)
    run.look()
    do("printf 'a\\nb\\nc\\n' >x")
    record = run.look()
    assert (len(record["added"]), record["more"]) == (2, True)


def test_lines_of_a_file_that_was_too_long_when_the_run_began_are_not_known(do, monkeypatch):
    monkeypatch.setattr(tampering, "KEPT_LINES", 3)
    do("printf 'a\\nb\\nc\\nd\\n' >long.py")
    run = Run(do.folder)
    run.look()
    do("echo e >>long.py")
    record = run.look()
    assert record["changed"] == [["long.py", "changed"]]
    assert record["unread"] == {"long.py": "its lines were not kept when the run began"}


def test_more_files_than_are_kept_leave_the_run_without_a_beginning(do, monkeypatch):
    monkeypatch.setattr(tampering, "BASELINE_LIMIT", 1)
    do("touch x y")
    run = Run(do.folder)
    run.look()
    assert run.look()["reason"].startswith("more than")


def test_own_files_are_compared_with_what_they_were(tmp_path):
    one, two = str(tmp_path / "config.yaml"), str(tmp_path / "policy.yaml")
    Path(two).write_text("a")
    nowhere = Source("git", reason="no git")
    began = Look(None, (one, two), 0, "p").source(nowhere).record
    assert began is not None

    def own(policy="p"):
        record = Look(began.object("began"), (one, two), 1, policy).source(nowhere).record
        return record["own"], record["policy_changed"]

    assert own() == ([], False)
    Path(one).write_text("b")
    assert own() == ([one], False)
    Path(two).unlink()
    assert own("q") == ([one, two], True)


def test_a_link_within_the_tree_has_no_lines_and_one_that_leads_out_is_not_known(do):
    run = Run(do.folder)
    run.look()
    do("ln -s one.py inside.py; ln -s /etc/hostname outside.py; ln -s gone dangling.py")
    assert run.look()["unread"] == {"outside.py": "it is a link out of the working tree"}


def test_no_program_of_the_repository_runs(do, tmp_path):
    ran = tmp_path.parent / f"{tmp_path.name}-ran"
    for name in ("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "diff.evil.command"):
        do(f"git config {name} 'touch {ran}; cat'")
    do(f"git config core.fsmonitor 'touch {ran}' && git config core.pager 'touch {ran}'")
    do("echo '* filter=evil diff=evil' >.gitattributes && printf 'a\\nb\\n' >two.py")
    do("git -c core.fsmonitor= -c filter.evil.clean=cat add . && git -c core.fsmonitor= commit -qm second")
    ran.unlink(missing_ok=True)
    run = Run(do.folder)
    run.look()
    do("printf 'a\\nb\\nc\\n' >two.py && echo x >three.py")
    record = run.look()
    assert record["added"] == [["three.py", 1, "x"], ["two.py", 3, "c"]]
    assert not ran.exists()
    do("git status")
    assert ran.exists()  # what was planted does run where git itself looks


def test_a_failing_git_is_a_reason(do, monkeypatch):
    run = Run(do.folder)
    run.look()
    do("echo b >>one.py && git commit -qam b")

    def failing(*_):
        raise GitError("git is on strike")

    monkeypatch.setattr(tampering, "ask", failing)
    record = run.look()
    assert record["reason"] == "git is on strike"
    assert "changed" not in record
