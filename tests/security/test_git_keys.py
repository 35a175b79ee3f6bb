"""Whatever a repository's settings name, wherever git finds them: no command of exitgate starts it."""

from __future__ import annotations

import fnmatch
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each
from loops import Loop
from patience import PATIENCE

LIST = Path(__file__).with_name("git_keys.txt")
KEYS = [line.split() for line in LIST.read_text().splitlines() if not line.startswith("#")]
#: Commands of git that are asked for, and some that are not: an alias or a pager could stand in for one.
COMMANDS = [
    "rev-parse",
    "ls-files",
    "diff-index",
    "diff-tree",
    "ls-tree",
    "rev-list",
    "cat-file",
    "log",
    "config",
    "symbolic-ref",
    "for-each-ref",
    "status",
    "diff",
    "show",
    "fetch",
]
#: Parts of keys that stand for a name, and the names to plant there.
NAMES = {"<driver>": ("bad",), "<tool>": ("bad",), "<format>": ("openpgp", "x509", "ssh"), "<url>": ("x",)}
NAMES |= {"<name>": ("origin", "inner"), "<cmd>": tuple(COMMANDS)}
#: Last parts of keys whose whole family names programs.
FAMILIES = {
    "alias.*": COMMANDS,
    "pager.*": COMMANDS,
    "browser.*": ["bad.cmd", "bad.path"],
    "filter.*": ["bad.clean", "bad.smudge", "bad.process"],
    "hook.*": ["bad.command"],
    "instaweb.*": ["httpd", "browser"],
    "man.*": ["viewer", "bad.cmd"],
    "sendemail.*": ["tocmd", "ccCmd", "sendmailCmd"],
    "tar.*": ["bad.command"],
    "trailer.*": ["bad.command", "bad.cmd"],
    "credential.<url>.*": ["helper"],
    "difftool.<tool>.*": ["cmd", "path"],
    "mergetool.<tool>.*": ["cmd", "path"],
}
HOOKS = [
    "post-index-change",
    "fsmonitor-watchman",
    "query-watchman",
    "reference-transaction",
    "post-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "pre-commit",
    "pre-push",
    "pre-receive",
    "update",
    "sendemail-validate",
]


def test_every_key_of_git_has_a_class() -> None:
    listed = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True).stdout
    keys = [line for line in listed.split("\n") if line and " " not in line]
    assert len(keys) > 500
    without = [key for key in keys if class_of(key) is None]
    assert without == [], "give them a line in tests/security/git_keys.txt"


def class_of(key: str) -> str | None:
    fitting = (kind for kind, pattern in KEYS if fnmatch.fnmatchcase(key.lower(), pattern.lower()))
    return next(fitting, None)


def planted() -> list[str]:
    """Return a key of each that names a program, names put in."""
    found: list[str] = []
    for pattern in (pattern for kind, pattern in KEYS if kind == "program"):
        ends = FAMILIES.get(pattern)
        keys = [pattern] if ends is None else [f"{pattern[:-1]}{end}" for end in ends]
        for sign, names in NAMES.items():
            keys = [key.replace(sign, name) for key in keys for name in (names if sign in key else ("",))]
        found += keys
    assert not [key for key in found if "*" in key or "<" in key]
    return found


#: Behind the keys that name programs: what makes git use them.
MORE = """
[log]
    showSignature = true
[core]
    untrackedCache = true
[filter "bad"]
    required = true
[diff]
    autoRefreshIndex = true
    submodule = diff
[submodule]
    recurse = true
[remote "origin"]
    url = ext::TRAP
    promisor = true
[protocol]
    allow = always
[extensions]
    partialClone = origin
    worktreeConfig = true
"""


class Trap:
    """A program that leaves a mark, and settings that name it."""

    def __init__(self, folder: Path) -> None:
        self.mark, self.program = folder / "mark", folder / "trap.sh"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >>{self.mark}\ncat\n')
        self.program.chmod(0o755)

    def settings(self) -> str:
        """Return a settings file in which everything that can name a program names this one."""
        lines = []
        for key in planted():
            section, _, rest = key.partition(".")
            name, _, last = rest.rpartition(".")
            value = (
                f"!{self.program}" if section in ("alias", "credential", "submodule") else str(self.program)
            )
            if key == "core.hooksPath":
                value = str(self.program.parent / "hooks")
            lines.append(f'[{section} "{name}"]' if name else f"[{section}]")
            lines.append(f"    {last} = {value}")
        return "\n".join(lines) + MORE.replace("TRAP", str(self.program))


def plain(git: Path, settings: str) -> None:
    with (git / "config").open("a") as file:
        file.write(settings)


def included(git: Path, settings: str) -> None:
    (git / "more").write_text(settings)
    plain(git, '[include]\npath = more\n[includeIf "gitdir:/**"]\npath = more\n')


def of_the_worktree(git: Path, settings: str) -> None:
    plain(git, "[extensions]\nworktreeConfig = true\n")
    (git / "config.worktree").write_text(settings)


def elsewhere(git: Path, settings: str) -> None:
    """The settings are those of another folder; the ones in `.git` are a decoy."""
    real = git.parent / "real.git"
    real.mkdir()
    for name in ("objects", "refs", "config", "hooks", "info"):
        if (git / name).exists():
            (git / name).rename(real / name)
    (git / "commondir").write_text("../real.git\n")
    (git / "config").write_text("[core]\nrepositoryformatversion = 0\n")
    plain(real, settings)


def of_another_folder(git: Path, settings: str) -> None:
    """The working tree is moved to a folder with a decoy."""
    plain(git, "[core]\nworktree = ../sub\n" + settings)
    (git.parent / "sub" / ".git").mkdir(parents=True, exist_ok=True)
    (git.parent / "sub" / ".git" / "config").write_text("")


def inside(git: Path, settings: str) -> None:
    """The settings are those of a repository inside."""
    plain(git.parent / "inner" / ".git", settings)


PLACES = [plain, included, of_the_worktree, elsewhere, of_another_folder, inside]

POLICY = """
title: t
facts: {git: {extract: git}, tasks: {extract: checklist, from: plan}}
rules:
  - {id: moved, when: git.changed or git.files_changed > 0, continue: true}
  - {id: late, when: git.since_commit > 1000000h or length(git.paths) > 1, warn: true, because: late}
otherwise: continue
"""


#: Makes a commit with a signature that nobody can check.
SIGNED = r"""
tree=$(git write-tree)
{
    printf 'tree %s\nparent %s\n' "$tree" "$(git rev-parse HEAD)"
    printf 'author a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n'
    printf 'gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\ntwo\n'
} | git hash-object -t commit -w --stdin >new
git update-ref HEAD "$(cat new)" && git tag v1 && rm new
"""


def repository(loop: Loop, trap: Trap) -> None:
    """Make a repository with a signed commit, a repository inside, stories, and everything under a filter."""
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(loop.root)}
    for who in ("AUTHOR", "COMMITTER"):
        quiet |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@example.com"}

    def sh(line: str) -> None:
        own = {**os.environ, **quiet}
        subprocess.run(["sh", "-c", line], cwd=loop.root, env=own, check=True, capture_output=True)

    loop.policy(POLICY)
    loop.write("one", "1\n")
    loop.write("gone.yaml", "policy: gone\n")
    loop.write("prd.json", '{"userStories": [{"id": "a", "title": "a", "passes": false}]}\n')
    loop.write(".ralph/last-response.md", "x\n")
    loop.write("sub/two", "2\n")
    sh("git init -q -b main . && git init -q -b main inner && echo z >inner/z && git -C inner add z")
    sh("git -C inner commit -qm z && git add -A && git commit -qm one")
    loop.write("prd.json", '{"userStories": [{"id": "a", "title": "a", "passes": true}]}\n')
    loop.policy(POLICY + "# as signed\n")
    sh("git add prd.json policy.yaml")
    sh(SIGNED)
    for attributes in (
        ".gitattributes",
        "inner/.gitattributes",
        ".git/info/attributes",
        "inner/.git/info/attributes",
        "sub/.gitattributes",
    ):
        loop.write(attributes, "* filter=bad diff=bad merge=bad\n")
    for folder in (".git/hooks", "inner/.git/hooks"):
        for name in HOOKS:
            loop.write(f"{folder}/{name}", trap.program.read_text()).chmod(0o755)
    (trap.program.parent / "hooks").mkdir()
    for name in HOOKS:
        (trap.program.parent / "hooks" / name).write_text(trap.program.read_text())
        (trap.program.parent / "hooks" / name).chmod(0o755)
    # an object that is not there: a partial clone would fetch it
    blob = subprocess.run(
        ["git", "rev-parse", "HEAD:gone.yaml"], cwd=loop.root, capture_output=True, text=True, check=True
    ).stdout.strip()
    (loop.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_no_program_that_git_is_told_of_runs(
    place: Callable[[Path, str], None], loop: Loop, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trap = Trap(tmp_path_factory.mktemp("trap"))
    repository(loop, trap)
    place(loop.root / ".git", trap.settings())
    for text in ("3\n", "4\n"):  # of the same size: git has to look inside
        loop.write("one", text)
        loop.write("inner/z", text)
        loop.write("sub/one", text)
        for folder in (loop.root, loop.root / "sub"):
            ran = Loop(folder, loop._capsys).run("check", "--policy", str(loop.root / "policy.yaml"))
            assert ran.code == 0, ran
            assert not trap.mark.exists(), (folder, trap.mark.read_text())
    for words in (
        ["diff", "policy.yaml@v1", "policy.yaml"],
        ["diff", "gone.yaml@v1", "policy.yaml"],
        ["diff", "policy.yaml@0.9.0", "policy.yaml"],
        ["release-check", "policy.yaml"],
        ["ci"],
        ["doctor"],
        ["transcripts", "."],
        ["dry-run", ".", "--policy", "./policy.yaml", "--no-cache"],
        ["explain"],
        ["history"],
        ["hook", "claude-code", "stop"],
        ["config"],
        ["facts", ".ralph/last-response.md", "--policy", "./policy.yaml"],
    ):
        loop.run(*words)
        assert not trap.mark.exists(), (words, trap.mark.read_text())


def test_the_trap_works(loop: Loop, tmp_path_factory: pytest.TempPathFactory) -> None:
    trap = Trap(tmp_path_factory.mktemp("trap"))
    repository(loop, trap)
    plain(loop.root / ".git", trap.settings())
    loop.write("one", "longer than it was\n")
    for words, sign in (("log -1", "--verify"), ("diff", "trap.sh"), ("-C . status", "trap.sh")):
        trap.mark.unlink(missing_ok=True)
        subprocess.run(
            ["git", *words.split()], cwd=loop.root, capture_output=True, check=False, timeout=PATIENCE
        )
        assert sign in trap.mark.read_text()


@each(
    ("key", "kind"),
    [
        ("filter.x.clean", "program"),
        ("core.worktree", "moves"),
        ("advice.ignoredHook", "harmless"),
        ("core.somethingNew", None),
        ("unheard.of", None),
    ],
)
def test_classes(key: str, kind: str | None) -> None:
    assert class_of(key) == kind
