"""What git lists, parsed and held against the files: as `git status` says it, without a file read by git."""

from __future__ import annotations

import fnmatch
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.file_patterns import FilePatterns, matches
from exitgate.core.observe import git
from exitgate.core.observe.git_command import GitError, read_once
from exitgate.core.observe.git_index import entry_of, parse_list, parse_names
from exitgate.core.system import portable

KNOWN = b"  ctime: 5:6\n  mtime: 3:4\n  dev: 1\tino: 7\n  uid: 0\tgid: 0\n  size: 2\tflags: 0\n"
ANSWER = (
    b"? un\ntracked\0? \xff\0H 100644 " + b"a" * 40 + b" 0\twith  ctime: space\0" + KNOWN
    + b"s 120000 " + b"b" * 40 + b" 0\tlink\0" + KNOWN
    + b"M 100755 " + b"c" * 40 + b" 2\tboth\0" + KNOWN
)  # fmt: skip


def test_every_kind_of_entry():
    lines, others = parse_list(ANSWER)
    entries = [entry_of(*line) for line in lines]
    assert others == ("un\ntracked", "\udcff")
    assert [(e.path, oct(e.mode), e.blob[0], e.followed, e.merged) for e in entries] == [
        ("with  ctime: space", "0o100644", "a", True, True),
        ("link", "0o120000", "b", False, True),
        ("both", "0o100755", "c", True, False),
    ]
    assert {(e.changed_at, e.size, e.inode) for e in entries} == {((3_000_000_004, 5_000_000_006), 2, 7)}
    assert parse_list(b"") == ((), ())


@given(
    answer=st.binary()
    | st.lists(st.sampled_from([*ANSWER.split(b"\0"), b"H 100644", b"H", b"?", b"? x", KNOWN])).map(
        b"\0".join
    )
)
def test_any_bytes_give_an_answer_or_say_that_it_is_none(answer):
    try:
        lines, others = parse_list(answer)
        entries = [entry_of(*line) for line in lines]
    except GitError:
        return
    for path in (*(entry.path for entry in entries), *others, *parse_names(answer)):
        assert path.encode("utf-8", "surrogateescape") in answer


#: An instant of `time.monotonic` that never comes.
LATE = float("inf")
#: One step of a life of a working tree; `{n}` is one of a few names.
STEPS = (
    "echo more >>{n}",
    "echo one >{n}",
    "printf 'a\\r\\nb\\n' >{n}",
    "printf 'a\\nb\\n' >{n}",
    "touch {n}",
    ": >{n}",
    "rm -rf {n}",
    "chmod +x {n}",
    "chmod -x {n}",
    "rm -rf {n}; ln -s one {n}",
    "rm -rf {n}; mkdir {n}; echo x >{n}/in",
    "mv {n} moved",
    "cp -p {n} copied",
    "git add -A",
    "git add {n}",
    "git add -N {n}",
    "git rm -q --cached {n}",
    "git commit -qam next",
    "git commit -q --allow-empty -m none",
    "git checkout -q -b side",
    "git checkout -q work",
    "git merge -q side",
    "git reset -q",
    "git reset -q --hard",
    "git stash -q",
    "git stash pop -q",
    "git update-index --assume-unchanged {n}",
    "git update-index --skip-worktree {n}",
    "git config core.fileMode false",
    "git update-index -q --refresh",
    "echo {n} >>.gitignore",
    "echo {n} >>.git/info/exclude",
    "git init -q inner; echo z >inner/z; git -C inner add z; git -C inner commit -qm z",
    "git -C inner commit -q --allow-empty -m y",
    "git update-index --index-version 4",
    "git update-index --split-index",
    "git checkout -q --detach",
)
FILES = ("one", "two words", "sub/three", "ü")


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(FILES)), max_size=12))
def test_what_differs_is_what_git_status_says(steps):
    with tempfile.TemporaryDirectory() as folder:
        do = Quiet(folder)
        do("git init -q -b work . && mkdir sub && echo one >one && echo a >'two words' && echo b >sub/three")
        do("git add . && git commit -qm first")
        for step, name in steps:
            do(step.replace("{n}", f"'{name}'"))
            top, index, head, branch = git._place(folder, LATE)
            tracked, others = git._changed(top, index, head, LATE)[:2]
            raw = do(
                "git --no-optional-locks status --porcelain -z --no-renames -uall --ignore-submodules=dirty"
            )
            said = [(line[:2], os.fsdecode(line[3:])) for line in raw.split(b"\0") if line]
            assert sorted(tracked) == sorted(path for what, path in said if what != b"??"), (steps, step)
            assert sorted(others) == sorted(path for what, path in said if what == b"??"), (steps, step)
            assert head == do("git rev-parse HEAD").decode().strip()
            assert branch == (do("git branch --show-current").decode().strip() or None)


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


def test_a_change_of_the_same_size_right_after_the_index_is_seen(tmp_path: Path) -> None:
    do = Quiet(str(tmp_path))
    do("git init -q . && echo one >one && git add one && git commit -qm one")
    index = tmp_path / ".git" / "index"
    for text in ("two\n", "six\n"):
        (tmp_path / "one").write_text(text)
        status = (tmp_path / "one").stat()
        os.utime(index, ns=(status.st_mtime_ns, status.st_mtime_ns))
        top, place, head, _ = git._place(str(tmp_path), LATE)
        assert git._changed(top, place, head, LATE)[:2] == (("one",), ())


def test_a_filter_is_not_run_and_the_file_counts_as_changed_once_touched(tmp_path: Path) -> None:
    do = Quiet(str(tmp_path))
    do("git init -q . && git config filter.up.clean 'tr a-z A-Z' && echo '*.up filter=up' >.gitattributes")
    do("echo small >a.up && git add . && git commit -qm one")
    assert do("git show :a.up") == b"SMALL\n"
    top, index, head, _ = git._place(str(tmp_path), LATE)
    os.utime(index, ns=(1 << 61, 1 << 61))
    assert git._changed(top, index, head, LATE)[:2] == ((), ())
    (tmp_path / "a.up").touch()
    assert git._changed(top, index, head, LATE)[:2] == (("a.up",), ())


def test_too_many_files_are_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Quiet(str(tmp_path))("git init -q . && touch a b c d")
    monkeypatch.setattr(git, "FILE_LIMIT", 3)
    assert git.observe(str(tmp_path)).reason == "more than 3 files differ from the last commit"


def test_exclusion_is_by_whole_names():
    out = (".ralph/exitgate", "log")
    inside = (".ralph/exitgate", ".ralph/exitgate/a/b", "log")
    assert all(FilePatterns(out)(path) for path in inside)
    assert not any(FilePatterns(out)(path) for path in (".ralph/exitgate2", ".ralph", "logs", "x/log"))


def test_patterns_leave_out_names_folders_and_paths():
    out = FilePatterns((), ("*.log", "cache/", ".ralph/.*", "docs/*.html"))
    inside = ("run.log", "a/b/run.log", "a.log/x", "cache/x", "a/cache/b/c", ".ralph/.state", "docs/a.html")
    assert [path for path in inside if not out(path)] == []
    outside = (
        "log",
        "catalog.py",
        "cache",
        "a/cache",
        "x/.ralph/.state",
        ".ralph/plan.md",
        "docs/a/b.html",
        "logger.py",
    )
    assert [path for path in outside if out(path)] == []


def one_after_the_other(places, patterns, path):
    """Return whether a path is meant: every pattern by itself, as its documentation says."""
    if any(path == place or path.startswith(f"{place}/") for place in places):
        return True
    *folders, _ = names = path.split("/")
    for pattern in patterns:
        bare = pattern.rstrip("/")
        if "/" in bare:
            whole = path if bare == pattern else "/".join(folders)
            if fnmatch.fnmatchcase("/".join(whole.split("/")[: bare.count("/") + 1]), bare):
                return True
        elif any(fnmatch.fnmatchcase(name, bare) for name in (names if bare == pattern else folders)):
            return True
    return False


@given(
    places=st.lists(st.text("ab/", min_size=1, max_size=4), max_size=2),
    patterns=st.lists(st.text("ab*/", min_size=1, max_size=6), max_size=4),
    paths=st.lists(st.text("ab/", max_size=8), min_size=1, max_size=6),
)
def test_many_patterns_are_as_each_by_itself(places, patterns, paths):
    meant = FilePatterns(tuple(places), tuple(patterns))
    assert [meant(path) for path in paths] == [one_after_the_other(places, patterns, path) for path in paths]


@given(pattern=st.text("ab*", max_size=8), text=st.text("ab", max_size=10))
def test_patterns_match_as_the_standard_library_has_it(pattern, text):
    assert matches(pattern, text) == fnmatch.fnmatchcase(text, pattern)


@pytest.mark.skipif(portable.WINDOWS, reason="nothing tells there whether a file changed")
def test_a_file_is_read_once_as_long_as_it_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    file = tmp_path / "a"

    def look() -> str:
        def read() -> str:
            reads.append(file.read_text())
            return reads[-1]

        return read_once(str(file), os.lstat(file), "text", read)

    file.write_text("one")
    assert [look(), look()] == ["one", "one"]
    assert len(reads) == 2  # it was written just now, and may be again within one tick of the clock
    monkeypatch.setattr(portable, "_SETTLED", 0)
    other = tmp_path / "b"
    while not other.exists() or os.lstat(other).st_ctime_ns <= os.lstat(file).st_ctime_ns:
        other.write_text("the clock of the file system goes on")
    assert [look(), look(), look()] == ["one"] * 3
    assert len(reads) == 3
    times = os.stat(file).st_atime_ns, os.stat(file).st_mtime_ns
    file.write_text("two")  # as long as before
    os.utime(file, ns=times)  # and said to be as old
    assert look() == "two"
