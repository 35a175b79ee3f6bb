"""A working tree observed: what changed since an iteration began, and what git may never do."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from patience import wait_for

from exitgate.core.facts.extractors import git as extractor
from exitgate.core.model.fact import Iteration
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.observe import git, git_command
from exitgate.core.observe.git import baseline_of, observe

NAMES = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}


NOW = 2_000_000_000.0
LATE = "git and the changed files were not read within {} s"


class Tree:
    """A repository under test, and the baseline of its last observation."""

    def __init__(self, root):
        self.root = root
        self.baseline = None

    def do(self, command):
        subprocess.run(
            command,
            shell=True,
            check=True,
            cwd=self.root,
            env={**os.environ, **NAMES},
            stdout=subprocess.DEVNULL,
        )

    def facts(self, command="true", exclude=(), root=None):
        self.do(command)
        source = observe(str(root or self.root), exclude, self.baseline, limit=20, dated=True)
        found = extractor.extract("git", "git", JsonObject(), Iteration(1, "loop#1", NOW, {"git": source}))
        if source.record is not None:
            self.baseline = baseline_of(source.record)
        return {fact.name.removeprefix("git."): fact.value for fact in found}


@pytest.fixture
def tree(tmp_path):
    made = Tree(tmp_path)
    made.do(
        "git init -q -b work . && echo one > one && echo two > two && git add . && git commit -q -m first"
    )
    return made


def pick(found, *names):
    return tuple(found[name] for name in names)


SEEN = ("changed", "files_changed", "commits", "head_changed", "uncommitted", "untracked")


def test_the_first_observation_knows_only_the_present(tree):
    found = tree.facts("echo x >> one; echo y > new")
    assert pick(found, "available", "uncommitted", "untracked", "branch") == (True, 1, 1, "work")
    assert all(isinstance(found[name], Unknown) for name in SEEN[:4])


@pytest.mark.parametrize(
    ("before", "command", "want"),
    [
        ("true", "true", (False, 0, 0, False, 0, 0)),
        ("true", "echo x >> one", (True, 1, 0, False, 1, 0)),
        ("true", "echo x > new; mkdir d; echo y > d/deep", (True, 2, 0, False, 0, 2)),
        ("true", "rm one", (True, 1, 0, False, 1, 0)),
        ("true", "chmod +x one", (True, 1, 0, False, 1, 0)),
        ("true", "git mv one moved", (True, 2, 0, False, 2, 0)),
        ("true", "echo x > one; git commit -qam m", (True, 1, 1, True, 0, 0)),
        (
            "true",
            "for i in 1 2; do echo $i > n$i; git add .; git commit -qm $i; done",
            (True, 2, 2, True, 0, 0),
        ),
        ("echo x >> one", "true", (False, 0, 0, False, 1, 0)),
        ("echo x >> one", "echo y >> one", (True, 1, 0, False, 1, 0)),
        ("echo x >> one", "git checkout -q one", (True, 1, 0, False, 0, 0)),
        ("echo x > new", "echo y > new", (True, 1, 0, False, 0, 1)),
        ("echo x > new", "git add new", (False, 0, 0, False, 1, 0)),
        ("echo x > new", "git add .; git commit -qm m", (True, 0, 1, True, 0, 0)),
        ("true", "git commit -q --allow-empty -m m", (True, 0, 1, True, 0, 0)),
        ("true", "git commit -q --amend -m other", (True, 0, 1, True, 0, 0)),
        ("true", "echo i > .gitignore; echo x > i", (True, 1, 0, False, 0, 1)),
    ],
)
def test_what_changed_since_the_iteration_began(tree, before, command, want):
    tree.facts(before)
    assert pick(tree.facts(command), *SEEN) == want


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("true", ()),
        ("echo x >> one; mkdir d; echo y > d/deep; rm two", ("d/deep", "one", "two")),
        ("git mv one moved; git commit -qm m; echo x > new", ("moved", "new", "one")),
        ("echo x > one; git commit -qam m", ("one",)),
        ("mkdir .ralph; echo x > .ralph/own; echo y > build.log; echo z > new", ("new",)),
    ],
)
def test_the_paths_that_changed_are_listed(tree, command, paths):
    tree.facts()
    tree.do(command)
    found = observe(str(tree.root), (".ralph",), tree.baseline, ignore=("*.log",))
    facts = extractor.extract("git", "git", JsonObject(), Iteration(1, "loop#1", NOW, {"git": found}))
    assert {fact.name: fact.value for fact in facts}["git.paths"] == paths


def test_the_time_since_a_commit_is_that_of_the_committers_date(tree, tmp_path_factory):
    at = "GIT_COMMITTER_DATE='1999999000 +0200' GIT_AUTHOR_DATE='1000000000 +0000'"
    assert tree.facts(f"{at} git commit -q --allow-empty -m m")["since_commit"] == 1000
    ahead = "GIT_COMMITTER_DATE='2000009000 +0000'"
    found = tree.facts(f"{ahead} git commit -q --allow-empty -m m")["since_commit"]
    assert found == Unknown("HEAD is dated after this check", "git.since_commit")
    empty = Tree(tmp_path_factory.mktemp("empty"))
    found = empty.facts("git init -q .")["since_commit"]
    assert found == Unknown("there is no commit yet", "git.since_commit")


def test_when_head_was_committed_is_asked_only_on_request(tree, monkeypatch):
    asked, real = [], git.ask

    def ask(root, words, deadline):
        asked.append(words[0])
        return real(root, words, deadline)

    monkeypatch.setattr(git, "ask", ask)
    observe(str(tree.root))
    assert "rev-list" not in asked
    observe(str(tree.root), dated=True)
    assert asked.count("rev-list") == 1


def test_the_content_signature_speaks_of_content_not_of_commits(tree):
    start = tree.facts()["content"]
    edited = tree.facts("echo x >> one; echo y > new")["content"]
    assert edited != start
    assert tree.facts("git add .; git commit -qm m")["content"] == edited
    assert tree.facts("git commit -q --allow-empty -m m")["content"] == edited
    assert tree.facts("echo z >> one")["content"] not in (start, edited)
    assert tree.facts("git checkout -q one")["content"] == edited


def test_a_repository_before_its_first_commit(tmp_path):
    tree = Tree(tmp_path)
    found = tree.facts("git init -q -b work .; echo x > one")
    assert pick(found, "uncommitted", "untracked") == (0, 1)
    signed = found["content"]
    found = tree.facts("git add .; git commit -qm m")
    assert pick(found, *SEEN) == (True, 0, 1, True, 0, 0)
    assert found["content"] == signed


def test_a_detached_head_has_no_branch(tree):
    assert tree.facts("git checkout -q --detach")["branch"] == Unknown("HEAD is detached", "git.branch")


def test_odd_names_and_things_that_are_no_files(tree):
    tree.facts()
    name = b"line\nfeed \xff \"'\t".decode("utf-8", "surrogateescape")
    with open(os.path.join(tree.root, name), "w") as file:
        file.write("x")
    found = tree.facts("mkfifo pipe; ln -s /etc/hostname link; ln -s nowhere dangling")
    assert pick(found, "files_changed", "untracked") == (3, 3)
    source = observe(str(tree.root), (), JsonObject({**tree.baseline, "dirty": {}}))
    assert name in source.record["paths"]


def test_a_repository_inside_counts_by_its_head(tree):
    tree.facts("mkdir inner; cd inner; git init -q .; git commit -q --allow-empty -m m")
    assert tree.facts()["changed"] is False
    assert tree.facts("cd inner; git commit -q --allow-empty -m n")["changed"] is True


def test_excluded_files_and_folders_do_not_count(tree):
    tree.facts("mkdir sub")
    state = str(tree.root / "sub" / "state")
    exclude = (state, "log.txt", "/elsewhere/file")
    found = tree.facts("mkdir sub/state; echo x > sub/state/a; echo y > log.txt", exclude)
    assert pick(found, *SEEN) == (False, 0, 0, False, 0, 0)
    found = tree.facts("git add .; git commit -qm m; echo z > sub/statement", exclude)
    assert pick(found, "files_changed", "commits", "untracked") == (1, 1, 1)
    relative = tree.facts(
        "echo q > sub/state/b; rm sub/statement", ("state", "../log.txt"), tree.root / "sub"
    )
    assert pick(relative, "files_changed", "untracked") == (1, 0)


def test_a_file_that_is_printed_into_does_not_count(tree, monkeypatch):
    tree.facts()
    with (tree.root / "night.txt").open("w") as night:
        monkeypatch.setattr(git, "_STREAMS", (night.fileno(), 10_000))
        print("iteration 1", file=night, flush=True)
        assert tree.facts()["changed"] is False
        assert tree.facts("echo 2 > work.txt; ln -s night.txt link")["files_changed"] == 2
        tree.do("git add -A && git commit -qm work")
        print("iteration 2", file=night, flush=True)
        assert tree.facts()["uncommitted"] == 0
    monkeypatch.undo()
    assert tree.facts("echo mine > night.txt")["files_changed"] == 1, "nobody prints into it any more"


def test_outside_a_repository_everything_is_unknown(tmp_path):
    assert observe(str(tmp_path)).reason == "not inside a git repository"
    assert observe(str(tmp_path / "none")).reason == f"there is no folder `{tmp_path / 'none'}`"


def test_without_git_everything_is_unknown(tree, monkeypatch):
    monkeypatch.setenv("PATH", str(tree.root))
    assert observe(str(tree.root)).reason == "git cannot be started: no such file or directory"


def test_a_git_that_hangs_is_ended_with_its_children(tree, monkeypatch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    (folder / "git").write_text('#!/bin/sh\nsleep 600 & echo $! > "${0%/*}/pid"; echo began; wait\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    # The time is used up once it has begun to hang.
    pid = folder / "pid"  # the shell makes the file before it writes the number
    monkeypatch.setattr(time, "monotonic", lambda: 3600.0 * (pid.exists() and pid.read_text() != ""))
    assert observe(str(tree.root), limit=300).reason == LATE.format("300")
    monkeypatch.undo()
    child = Path("/proc", pid.read_text().strip(), "stat")
    wait_for(lambda: not child.exists() or ") Z " in child.read_text(), "the end of what git started")


def test_files_that_take_too_long_are_a_reason(tree, monkeypatch):
    def slow(*_):
        raise git_command.LateError

    monkeypatch.setattr(git, "digest_files", slow)
    assert observe(str(tree.root), limit=2).reason == LATE.format("2")


def test_a_lost_beginning_is_told(tree):
    tree.facts()
    tree.baseline = {"head": "1" * 40, "origin": "1" * 40, "dirty": {}}
    found = tree.facts("true")
    assert found["changed"] is True
    assert isinstance(found["files_changed"], Unknown)
    assert isinstance(found["content"], Unknown)


def test_a_baseline_of_many_files_is_bounded(tree, monkeypatch):
    monkeypatch.setattr(git, "BASELINE_LIMIT", 3)
    tree.facts("for i in 1 2 3 4; do echo $i > n$i; done")
    assert "dirty" not in tree.baseline
    same = tree.facts()
    assert same["changed"] is False
    assert isinstance(same["files_changed"], Unknown)
    assert tree.facts("echo x >> n1")["changed"] is True


HOSTILE = {
    "fsmonitor": "git config core.fsmonitor 'touch {mark}; false'",
    "hooks": "mkdir hooks; printf '#!/bin/sh\\ntouch {mark}' > hooks/post-index-change; chmod +x hooks/*;"
    " git config core.hooksPath $PWD/hooks",
    "filter": "git config filter.bad.clean 'touch {mark}; cat'; echo '* filter=bad' > .gitattributes",
    "odd filter": "git config 'filter.a=b.c.process' 'touch {mark}'; echo '* filter=a=b.c' > .gitattributes",
    "included filter": "printf '[filter \"bad\"]\\n clean = touch {mark}\\n' > .git/more;"
    " git config include.path more; echo '* filter=bad' > .gitattributes",
    "external diff": "git config diff.external 'touch {mark}'",
    "text conversion": "git config diff.bad.textconv 'touch {mark}'; echo '* diff=bad' > .gitattributes",
    "pager": "git config core.pager 'touch {mark}'; git config pager.status true",
    "alias": "git config alias.status '!touch {mark}'",
}


@pytest.mark.parametrize("trap", HOSTILE.values(), ids=HOSTILE.keys())
def test_settings_of_a_repository_start_no_program(tree, trap, tmp_path_factory):
    mark = tmp_path_factory.mktemp("mark") / "ran"
    tree.do(trap.format(mark=mark))
    baseline = {"head": None, "origin": None, "dirty": {}}
    for path in ("one", "two"):  # same size, other content: git has to look inside
        (tree.root / path).write_text((tree.root / path).read_text()[::-1])
        os.utime(tree.root / path)
    mark.unlink(missing_ok=True)
    assert observe(str(tree.root), (), baseline, limit=20).record is not None
    first = subprocess.run(
        ["git", "rev-list", "--all"], cwd=tree.root, capture_output=True, text=True, check=True
    )
    started = {"head": first.stdout.strip(), "origin": first.stdout.strip(), "dirty": {}}
    assert observe(str(tree.root), (), started, limit=20).record is not None
    assert not mark.exists()


def test_the_environment_does_not_steer_git(tree, monkeypatch, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    monkeypatch.setenv("GIT_DIR", str(other / "nowhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert observe(str(tree.root)).path == str(tree.root)


def test_nothing_is_written(tree):
    tree.do("echo x >> one; touch two")
    before = {path: path.stat().st_mtime_ns for path in (tree.root / ".git").rglob("*")}
    observe(str(tree.root), (), JsonObject({"head": None, "origin": None, "dirty": {}}))
    assert {path: path.stat().st_mtime_ns for path in (tree.root / ".git").rglob("*")} == before


def test_files_that_are_ignored_are_no_change_committed_or_not(tree):
    tree.facts()
    grown = ("echo x >> loop.log; mkdir -p logs; echo y >> logs/a; echo z >> progress.txt",)
    for command in (*grown, f"{grown[0]}; git add -A; git commit -q -m log"):
        tree.do(command)
        source = observe(str(tree.root), (), tree.baseline, limit=20, ignore=extractor.IGNORED)
        assert source.record is not None
        assert (source.record["changed"], source.record["files_changed"]) == (False, 0)


def test_the_evidence_names_ten_of_the_files_that_moved(tree):
    tree.facts()
    tree.do("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i > new$i; done")
    source = observe(str(tree.root), (), tree.baseline, limit=20)
    found = extractor.extract("git", "git", JsonObject(), Iteration(1, "loop#1", 0.0, {"git": source}))
    shown = {fact.name: [one.excerpt for one in fact.evidence] for fact in found}
    assert shown["git.files_changed"] == shown["git.content"] == shown["git.changed"]
    assert len(shown["git.content"]) == 10 and "new1" in shown["git.content"]
