"""Policies as they were in git: revisions, tags, the history of a file, and files taken out of a commit."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator

from exitgate.core.model.decision import CANNOT_READ, NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.observe.git_command import GitError, LateError, ask
from exitgate.core.system import portable
from exitgate.core.system.folders import LOCK_FILE

#: Codes of comparisons, one line each; `docs` reads them.
CODES = {
    "EP540": "a revision or a version of a policy does not exist",
    "EP541": "the version does not reflect its changes",
    "EP542": "there is nothing to compare a policy with",
    "EP543": "git cannot provide a revision",
}
#: Seconds that all questions about one repository may take together.
SECONDS = 30.0
#: Commits of a file's history that are looked at, newest first.
COMMITS = 500
#: What git says where there is no repository.
OUTSIDE = ("not inside a git repository", "not inside a git working tree")
LINK, FILE = "120000", "100"


class Repository:
    """
    A repository, asked for what it holds; nothing of it is ever written.

    Raises `ExitgateError` (74, EP543) from every method where git cannot answer.
    """

    def __init__(self, top: str) -> None:
        import time

        self.top = top
        self._deadline = time.monotonic() + SECONDS
        self._trees: dict[str, dict[str, tuple[str, str]]] = {}

    def commit(self, revision: str) -> str | None:
        """Return the full hash of the commit that a revision names, or None where there is none."""
        try:
            words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
            return self._ask(*words).decode().strip() or None
        except GitError:
            return None

    def tags(self) -> tuple[str, ...]:
        """Return the tags that lead to HEAD or to a commit before it."""
        if self.commit("HEAD") is None:
            return ()
        answer = self.told("for-each-ref", "--format=%(refname:strip=2)", "--merged=HEAD", "refs/tags")
        return tuple(answer.decode("utf-8", "replace").split("\n")[:-1])

    def cut_off(self) -> bool:
        """Return whether this is a shallow clone: commits before some are not here."""
        return self.told("rev-parse", "--is-shallow-repository").strip() == b"true"

    def history(self, path: str) -> tuple[str, ...]:
        """Return the commits that changed a file, given from the top, the newest first; at most `COMMITS`."""
        if self.commit("HEAD") is None:
            return ()
        words = ("rev-list", f"--max-count={COMMITS}", "HEAD", "--", path)
        return tuple(self.told(*words).decode().split())

    def files(self, commit: str) -> dict[str, tuple[str, str]]:
        """Return path from the top -> mode and blob of every file and link of a commit."""
        if commit not in self._trees:
            found: dict[str, tuple[str, str]] = {}
            for line in self.told("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]:
                head, _, path = line.partition(b"\t")
                mode, kind, blob = head.decode().split()
                if kind == "blob":
                    found[os.fsdecode(path)] = (mode, blob)
            self._trees[commit] = found
        return self._trees[commit]

    def content(self, commit: str, path: str) -> bytes | None:
        """
        Return what a file of a commit holds, links followed within it; None where there is none.

        A link that leads out of the repository leads nowhere: what it would give today was never there.
        """
        files = self.files(commit)
        for _ in range(10):
            mode, blob = files.get(path, ("", ""))
            if mode.startswith(FILE):
                return self.told("cat-file", "blob", blob)
            if mode != LINK:
                return None
            target = os.fsdecode(self.told("cat-file", "blob", blob))
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return None

    def told(self, *words: str) -> bytes:
        """Return git's answer."""
        try:
            return self._ask(*words)
        except GitError as error:
            problem = Diagnostic("EP543", f"{self.top}: {error}", help="check the repository: `git status`")
            raise ExitgateError([problem], CANNOT_READ) from error

    def _ask(self, *words: str) -> bytes:
        try:
            return ask(self.top, words, self._deadline)
        except LateError as error:
            problem = Diagnostic("EP543", f"git did not answer within {SECONDS:g} seconds")
            raise ExitgateError([problem], CANNOT_READ) from error


def repository_of(path: str) -> tuple[Repository, str] | None:
    """
    Return the repository that a file or folder is in, and its path from the top; None outside of one.

    Raises `ExitgateError` (74, EP543) where git cannot say: it does not exist, or trusts the folder not.
    """
    import time

    real = os.path.realpath(path)
    folder = real if os.path.isdir(real) else os.path.dirname(real)
    if not os.path.isdir(folder):
        return None
    deadline = time.monotonic() + SECONDS
    try:
        top = _line(ask(folder, ("rev-parse", "--show-toplevel"), deadline))
    except (GitError, LateError) as error:
        if str(error) in OUTSIDE:
            return _bare(folder, real, deadline)
        why = str(error) or f"git did not answer within {SECONDS:g} seconds"
        look = f"check the output of `git -C {folder} status`"
        help = f"{look}; without git, name two files: `exitgate diff A B`"
        raise ExitgateError([Diagnostic("EP543", f"{folder}: {why}", help=help)], CANNOT_READ) from error
    return Repository(top), portable.with_slashes(portable.relative(real, os.path.realpath(top)))


def _bare(folder: str, real: str, deadline: float) -> tuple[Repository, str] | None:
    """Return the bare repository that a folder is, whose top is where it lies; None for any other place."""
    try:
        if _line(ask(folder, ("rev-parse", "--is-bare-repository"), deadline)) != "true":
            return None
        top = _line(ask(folder, ("rev-parse", "--absolute-git-dir"), deadline))
    except (GitError, LateError):
        return None
    return (Repository(top), os.curdir) if os.path.realpath(top) == real else None


def _line(answer: bytes) -> str:
    return os.fsdecode(answer).rstrip("\n")


def take_out(repository: Repository, commit: str, path: str, folder: str) -> None:
    """
    Write a policy of a commit below `folder`, at its path from the top, with the files that it names.

    What names a file is not asked of the format: every text of the document that is the path of a file of
    that commit counts, so what a policy extends and its lexicons come from the same commit, too.
    """
    waiting, seen = [path], {path}
    while waiting:
        here = waiting.pop()
        content = repository.content(commit, here)
        if content is None:
            continue
        _write(content, here, folder)
        new = set(_named_in(content, here)) & repository.files(commit).keys() - seen
        seen |= new
        waiting += sorted(new)


def take_lock(repository: Repository, commit: str, path: str, folder: str) -> None:
    """Write the lock file of a policy of a commit below `folder`, too: it pins what is from elsewhere."""
    above = posixpath.dirname(path)
    while True:
        name = posixpath.join(above, LOCK_FILE)
        content = repository.content(commit, name) if name in repository.files(commit) else None
        if content is not None:
            _write(content, name, folder)
            os.mkdir(os.path.join(folder, ".git"))  # so that it is looked for up to there
            return
        if not above:
            return
        above = posixpath.dirname(above)


def _write(content: bytes, path: str, folder: str) -> None:
    target = os.path.join(folder, *path.split("/"))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "xb") as file:
        file.write(content)


def _named_in(content: bytes, path: str) -> Iterator[str]:
    """Yield the texts of a document as paths from the top, no matter what they mean."""
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.library import document_of

    document = document_of(content, path, Findings())
    for part in document.root.walk() if document is not None else ():
        if part.is_text and not posixpath.isabs(part.text):
            for text in (part.text, part.text.partition("@")[0]):
                yield posixpath.normpath(posixpath.join(posixpath.dirname(path), text))


def not_there(message: str, help: str) -> ExitgateError:
    """Return the error (66) for a revision or a version that does not exist."""
    return ExitgateError([Diagnostic("EP540", message, help=help)], NOTHING_TO_DECIDE)


def absent(path: str, revision: str) -> bool:
    """Return whether a revision that is there lacks a file of the working tree."""
    found = repository_of(path)
    if found is None:
        return False
    commit = found[0].commit(revision)
    return commit is not None and found[0].content(commit, found[1]) is None
