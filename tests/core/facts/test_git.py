"""A working tree's record as facts."""

from __future__ import annotations

import pytest

from exitgate.core.facts.extractors import git
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

NOW = 1000.0
FULL = {
    "changed": True, "files_changed": 2, "commits": 1, "head_changed": True, "uncommitted": 1, "untracked": 0,
    "content": "ab12", "branch": "work", "paths": ["src/a.py", "b"], "listed": ["src/a.py", "b"],
    "committed_at": 940, "since_change": 5.5,
}  # fmt: skip


def facts(record, reason=""):
    source = Source("git", record=record, reason=reason)
    found = git.extract("git", "git", JsonObject(), Iteration(1, "loop#1", NOW, {"git": source}))
    assert [fact.name for fact in found] == [f"git.{spec.name}" for spec in git.specs(JsonObject())]
    return {fact.name.removeprefix("git."): fact for fact in found}


def test_everything_known():
    found = facts(FULL)
    assert {name: fact.value for name, fact in found.items()} == {
        "available": True,
        **{name: value for name, value in FULL.items() if name not in ("paths", "listed", "committed_at")},
        "paths": ("b", "src/a.py"),
        "since_commit": 60,
    }
    assert [piece.excerpt for piece in found["files_changed"].evidence] == ["src/a.py", "b"]


def test_no_working_tree_is_unknown_but_known_to_be_unavailable():
    found = facts(None, "not inside a git repository")
    assert found.pop("available").value is False
    assert {fact.value for fact in found.values()} == {
        Unknown("not inside a git repository", f"git.{name}") for name in found
    }


def test_without_a_beginning_only_the_present_is_known():
    record = {"uncommitted": 3, "untracked": 1, "content": "x", "reasons": {"changed": "not seen"}}
    found = facts(record)
    assert (found["uncommitted"].value, found["untracked"].value, found["content"].value) == (3, 1, "x")
    assert found["changed"].value == Unknown("not seen", "git.changed")
    assert found["commits"].value == Unknown("git gave no answer", "git.commits")


@pytest.mark.parametrize("odd", [None, "x", -1, 1.5, [], {}])
def test_odd_fields_are_unknown(odd):
    found = facts(dict.fromkeys(("changed", "files_changed", "commits", "head_changed", "paths"), odd))
    assert all(isinstance(found[name].value, Unknown) for name in ("changed", "files_changed", "commits"))
    assert found["files_changed"].evidence == ()


@pytest.mark.parametrize(
    ("at", "since"),
    [
        (999, 1),
        (1000.5, 0),  # a date of whole seconds, and a check within the second
        (1001, "HEAD is dated after this check"),
        (10**17, "git gave no answer"),
        ("x", "git gave no answer"),
    ],
)
def test_a_commit_is_never_made_in_the_future(at, since):
    value = facts({"committed_at": at})["since_commit"].value
    assert value == (Unknown(since, "git.since_commit") if isinstance(since, str) else since)


@pytest.mark.parametrize("paths", [["f"] * 501, ["x" * 100] * 321])
def test_a_list_that_would_be_a_part_is_unknown(paths):
    value = facts({"listed": paths})["paths"].value
    assert value == Unknown(f"{len(paths)} files changed: too many to list", "git.paths")


def test_no_file_changed_is_an_empty_list_and_no_start_is_unknown():
    assert facts({"listed": []})["paths"].value == ()
    assert facts({"reasons": {"paths": "no start"}})["paths"].value == Unknown("no start", "git.paths")
