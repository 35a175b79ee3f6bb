"""Answers of git parsed, fuzzed."""

from __future__ import annotations

import fnmatch

from hypothesis import given
from hypothesis import strategies as st

from exitgate.gate.observe import git_status
from exitgate.gate.observe.git_status import LeftOut, Status, matches, parse_names, parse_status

ANSWER = (
    b"# branch.oid abc123\0# branch.head work/x\0# branch.ab +1 -0\0"
    b"1 .M N... 100644 100644 100644 h1 h2 with space\0"
    b"2 R. N... 100644 100644 100644 h1 h2 R100 new name\0old name\0"
    b"u UU N... 100644 100644 100644 100644 h1 h2 h3 both\0"
    b"1 .D S.C. 160000 160000 160000 h1 h2 module\0"
    b"? un\ntracked\0? \xff\0! ignored\0"
)


def test_every_kind_of_entry():
    assert parse_status(ANSWER) == Status(
        "abc123",
        "work/x",
        ("with space", "new name", "old name", "both", "module"),
        ("un\ntracked", "\udcff"),
        False,
    )


def test_no_commit_and_no_branch():
    found = parse_status(b"# branch.oid (initial)\0# branch.head (detached)\0")
    assert (found.head, found.branch) == (None, None)


def test_too_many_files_are_cut(monkeypatch):
    monkeypatch.setattr(git_status, "FILE_LIMIT", 3)
    assert parse_status(b"? a\0? b\0? c\0").cut is False
    assert parse_status(b"? a\0? b\0? c\0? d\0").cut is True


@given(
    answer=st.binary() | st.lists(st.sampled_from([*ANSWER.split(b"\0"), b"2 x", b"1", b"?"])).map(b"\0".join)
)
def test_any_bytes_give_an_answer(answer):
    found = parse_status(answer)
    for path in (*found.tracked, *found.untracked, *parse_names(answer)):
        assert path.encode("utf-8", "surrogateescape") in answer


def test_exclusion_is_by_whole_names():
    out = (".ralph/exitgate", "log")
    inside = (".ralph/exitgate", ".ralph/exitgate/a/b", "log")
    assert all(LeftOut(out)(path) for path in inside)
    assert not any(LeftOut(out)(path) for path in (".ralph/exitgate2", ".ralph", "logs", "x/log"))


def test_patterns_leave_out_names_folders_and_paths():
    out = LeftOut((), ("*.log", "cache/", ".ralph/.*", "docs/*.html"))
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


@given(pattern=st.text("ab*", max_size=8), text=st.text("ab", max_size=10))
def test_patterns_match_as_the_standard_library_has_it(pattern, text):
    assert matches(pattern, text) == fnmatch.fnmatchcase(text, pattern)
