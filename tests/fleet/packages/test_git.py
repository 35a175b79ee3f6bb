"""Policies of git repositories: which commit, which files, and nothing run from there."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from cases import each
from cli_program import Ran, run
from pinned import STRICT, own_store

from exitgate.core.policy.locked.reference import parse
from exitgate.core.system.folders import LOCK_FILE
from exitgate.fleet.packages import git
from exitgate.fleet.packages.fetched import Fetched, FetchError, RefusedError

QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@b"), ("DATE", "2026-01-01T00:00:00Z"))
}


class Repository:
    """A repository with a policy, at tags `v1.0.0` to `v2.1`, and on the branch `main`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        environment = {**os.environ, **QUIET}
        ran = subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, capture_output=True, text=True, check=True
        )
        return ran.stdout.strip()

    def commit(self, goal: int, *tags: str) -> str:
        """Commit a policy with a threshold; the first tag has a message, the others have none."""
        (self.folder / "strict.yaml").write_text(STRICT.replace("90", str(goal)), encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        for number, tag in enumerate(tags):
            self.git("tag", *(("-m", "x") if not number else ()), tag)
        return self.git("rev-parse", "HEAD")

    def named(self, revision: str, path: str = "strict") -> str:
        return f"git+file://{self.folder}@{revision}#{path}"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    found = Repository(tmp_path_factory.mktemp("team") / "policies")
    (found.folder / "LICENSE").write_text("do as you like\n", encoding="utf-8")
    (found.folder / "setup.py").write_text("raise SystemExit\n", encoding="utf-8")
    (found.folder / ".github").mkdir()
    (found.folder / ".github/ci.yaml").write_text("on: push\n", encoding="utf-8")
    found.commit(10, "v1.0.0")
    found.commit(20, "v2.0.0", "2.0.1")
    found.commit(30, "v2.1", "v2.9rc1")
    found.commit(40)
    return found


def fetched(repository: Repository, revision: str) -> Fetched:
    return git.fetch(parse(repository.named(revision)), None, os.environ)


@each(
    ("revision", "goal", "tag"),
    [
        ("v1.0.0", 10, ""),
        ("v2.1", 30, ""),
        ("main", 40, ""),
        ("^2", 30, "v2.1"),
        ("~2.0.0", 20, "2.0.1"),
        ("^1", 10, "v1.0.0"),
    ],
)
def test_revisions(team: Repository, revision: str, goal: int, tag: str) -> None:
    found = fetched(team, revision)
    assert sorted(found.files) == ["LICENSE", "strict.yaml"]
    assert f"default: {goal}" in found.files["strict.yaml"].decode()
    assert found.entry.tag == tag
    again = git.fetch(parse(team.named(found.entry.commit)), None, os.environ)
    assert again.files == found.files
    assert again.entry.commit == found.entry.commit == team.git("rev-parse", f"{tag or revision}^{{commit}}")


@each(
    ("revision", "part"),
    [("v7", "no tag and no branch `v7`"), ("^7", "no tag of .* is in `\\^7`"), ("1" * 40, "cannot be read")],
)
def test_no_such_revision(team: Repository, revision: str, part: str) -> None:
    with pytest.raises(FetchError, match=part):
        fetched(team, revision)


def said(ran: Ran) -> str:
    return " ".join(ran.err.split())


def test_locked_and_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_store(tmp_path, monkeypatch)
    repository = Repository(tmp_path / "policies")
    first = repository.commit(90)
    here = tmp_path / "p"
    (here / ".bb3").mkdir(parents=True)
    (here / ".git").mkdir()
    (here / ".bb3/config.yaml").write_text(
        f"exit_decision:\n  policy: {repository.named('main')}\n", encoding="utf-8"
    )
    (here / "plan.md").write_text("- [x] one\n- [ ] two\n", encoding="utf-8")
    (here / "r.md").write_text("One is done.\n", encoding="utf-8")
    check = ("check", "r.md", "plan.md", "--no-record")
    ran = run("policies", "lock", cwd=here)
    assert (ran.code, ran.err) == (0, "")
    assert f'commit: "{first}"' in (here / LOCK_FILE).read_text(encoding="utf-8")
    repository.commit(50)
    assert "stays as it is" in run("policies", "lock", cwd=here).out
    assert run(*check, cwd=here).code == 0
    own_store(tmp_path / "other", monkeypatch)
    assert run("policies", "lock", "--check", cwd=here).code == 0
    assert run(*check, cwd=here).code == 0
    ran = run("policies", "update", cwd=here)
    assert f"(was {first[:12]})" in ran.out
    assert run(*check, cwd=here).code == 10
    shown = run("policies", "show", repository.named("main"), cwd=here)
    head = f"from git+file://{repository.folder}@main {repository.git('rev-parse', 'HEAD')[:12]}, sha256:"
    assert head in shown.out
    repository.folder.rename(tmp_path / "gone")
    assert run(*check, cwd=here).code == 10
    assert run("policies", "lock", cwd=here).code == 0
    ran = run("policies", "update", cwd=here)
    assert (ran.code, "cannot be read" in said(ran)) == (74, True)


def test_links_large_files_and_odd_names_are_refused(tmp_path: Path) -> None:
    for number, (name, make, part) in enumerate((
        ("link.yaml", lambda path: path.symlink_to("/etc/passwd"), "`link.yaml` is a link"),
        ("lfs.yaml", lambda path: path.write_text("version https://git-lfs.github.com/spec/v1\n"), "Git LFS"),
        ("STRICT.yaml", lambda path: path.write_text("a: 1\n"), "case does not count"),
        ("aux.yaml", lambda path: path.write_text("a: 1\n"), "name of a device"),
        ("a:b.yaml", lambda path: path.write_text("a: 1\n"), "not every system"),
        ("large.yaml", lambda path: path.write_text("#" * 5_000_000), "more than"),
    )):  # fmt: skip
        repository = Repository(tmp_path / str(number))
        make(repository.folder / name)
        repository.commit(90)
        with pytest.raises(RefusedError, match=part):
            fetched(repository, "main")


def test_links_elsewhere_and_submodules_are_left_out(tmp_path: Path, team: Repository) -> None:
    repository = Repository(tmp_path / "r")
    (repository.folder / "README").symlink_to("/etc/passwd")
    (repository.folder / "folder").symlink_to("/etc")
    inner = team.git("rev-parse", "HEAD")
    (repository.folder / ".gitmodules").write_text(
        f'[submodule "s"]\n  path = s\n  url = file://{team.folder}\n'
    )
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{inner},s")
    repository.git("add", "-A", "--", ".gitmodules", "README", "folder")
    (repository.folder / "strict.yaml").write_text(STRICT, encoding="utf-8")
    repository.git("add", "strict.yaml")
    repository.git("commit", "-qm", "x")
    assert sorted(fetched(repository, "main").files) == ["strict.yaml"]


def test_nothing_of_a_repository_or_of_the_environment_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, mark = Repository(tmp_path / "r"), tmp_path / "ran"
    script = f"#!/bin/sh\ntouch {mark}\n"
    program = tmp_path / "program"
    program.write_text(script)
    program.chmod(0o755)
    (repository.folder / ".gitattributes").write_text("*.yaml filter=evil diff=evil\n")
    repository.commit(90, "v1")
    for name in ("post-checkout", "reference-transaction", "pre-auto-gc", "post-upload-pack", "update"):
        hook = repository.folder / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(script)
        hook.chmod(0o755)
    for key in ("filter.evil.smudge", "filter.evil.clean", "uploadpack.packObjectsHook", "core.fsmonitor",
                "core.sshCommand", "core.gitProxy", "core.alternateRefsCommand", "core.pager"):  # fmt: skip
        repository.git("config", key, str(program))
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        f'[core]\n sshCommand = {program}\n[url "file:///nowhere"]\n insteadOf = file://{repository.folder}\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "url.file:///nowhere.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"file://{repository.folder}")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert "strict.yaml" in fetched(repository, "v1").files
    assert not mark.exists()


def test_git_is_told_what_it_may_reach(team: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command line has the transport of its URL alone, and no environment of the caller's choosing."""
    from exitgate.core.system.child import answer_of

    lines: list[tuple[list[str], dict[str, str]]] = []

    def noted(words: list[str], environment: dict[str, str], *rest: object) -> object:
        lines.append((words, environment))
        return answer_of(words, environment, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(git, "answer_of", noted)
    monkeypatch.setenv("GIT_SSH", "id")
    fetched(team, "main")
    assert len(lines) == 6
    for words, environment in lines:
        assert words[:3] == ["/bin/sh", "-c", 'ulimit -f "$1" && shift && exec "$@"']
        settings = [words[at + 1] for at, word in enumerate(words) if word == "-c" and at > 1]
        assert settings[0] == "protocol.allow=never"
        assert [one for one in settings if one.startswith("protocol.") and "allow=always" in one] == [
            "protocol.file.allow=always"
        ]
        assert {"core.hooksPath=/dev/null", "submodule.recurse=false", "credential.helper="} <= set(settings)
        assert environment["GIT_ALLOW_PROTOCOL"] == "file"
        assert environment["GIT_CONFIG_NOSYSTEM"] == environment["GIT_NO_LAZY_FETCH"] == "1"
        assert environment["GIT_CONFIG_GLOBAL"] == "/dev/null"
        assert "GIT_SSH" not in environment
        assert all(words[words.index(url) - 1] == "--end-of-options" for url in words if "://" in url)


def test_ssh_asks_nobody_and_trusts_no_new_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin/ssh"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/words\nexit 255\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with pytest.raises(FetchError, match="cannot be read"):
        git.fetch(parse("git+ssh://git@example.invalid:2222/team/policies@v1"), None, os.environ)
    words = (tmp_path / "words").read_text().splitlines()
    assert {
        "-oBatchMode=yes",
        "-oStrictHostKeyChecking=yes",
        "-oForwardAgent=no",
        "git@example.invalid",
    } <= set(words)


def test_time_and_room_are_bounded(team: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(git, "TIME_LIMIT", 0.0)
        with pytest.raises(FetchError, match="took longer"):
            fetched(team, "main")
    own = tmp_path / "temporary"
    own.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    large = Repository(tmp_path / "large")
    (large.folder / "noise.bin").write_bytes(os.urandom(400_000))
    large.commit(90)
    assert fetched(large, "main").files.keys() == {"strict.yaml"}
    monkeypatch.setattr(git, "DISK_LIMIT", 100_000)
    with pytest.raises(FetchError, match="cannot be read"):
        fetched(large, "main")
    assert list(own.iterdir()) == []


def test_without_git(team: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FetchError, match="git is not installed"):
        fetched(team, "main")


def test_a_revision_of_ours_is_compared_with_what_it_pinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_store(tmp_path, monkeypatch)
    team, ours = Repository(tmp_path / "team"), Repository(tmp_path / "ours")
    team.commit(90)
    (ours.folder / "policies").mkdir()
    text = f"policy: ours\nformat: 1\nversion: 1.0.0\nextends: {team.named('main')}\n"
    (ours.folder / "policies/ours.yaml").write_text(text, encoding="utf-8")
    assert run("policies", "lock", "policies", cwd=ours.folder).code == 0
    ours.git("add", "-A")
    ours.git("commit", "-qm", "x")
    team.commit(50)
    assert "(was " in run("policies", "update", cwd=ours.folder).out
    ran = run("diff", "HEAD:policies/ours.yaml", "policies/ours.yaml", cwd=ours.folder)
    assert ran.err == ""
    assert "90%" in ran.out
    assert "50%" in ran.out
    assert run("diff", team.named("main"), "policies/ours.yaml", cwd=ours.folder).code == 0
