"""The last released version of a policy file: by a tag, by its history, or as HEAD has it."""

from __future__ import annotations

from exitgate.gate.operands import side_at, version_in
from exitgate.gate.revisions import repository_of
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import NOTHING_TO_DECIDE
from exitgate.policy.semver import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.revisions import Repository
    from exitgate.policy.compared.change import Side
    from exitgate.policy.semver import Version

#: Letters of a commit's hash that are shown.
SHOWN = 9


def last_release(file: str, name: str, now: str) -> Side | None:
    """
    Return a policy as it was last released.

    That is the highest of the tags ``NAME-v1.2.3``, else of ``v1.2.3``, that lead to HEAD and have the file;
    else the newest commit of the file with another version; else HEAD.

    Args:
        file: The policy's file.
        name, now: What it is called, and the version it gives itself.

    Returns:
        None for a file that no commit has: a first version.

    Raises:
        ExitgateError: 66 (EP542) outside of a git repository, and in a shallow clone where the commits that
            are there do not tell; as `exitgate.gate.operands.side_at`.
    """
    found = repository_of(file)
    if found is None:
        help = "give the policy to compare it with: `--against FILE`, or a shipped name"
        raise ExitgateError(
            [Diagnostic("EP542", f"`{file}` is not in a git repository", help=help)], NOTHING_TO_DECIDE
        )
    repository, path = found
    tag = _tag(repository, path, name)
    if tag is not None:
        return side_at(repository, f"refs/tags/{tag}", path, {}, tag)
    commits = repository.history(path)
    for commit in commits:
        before = version_in(repository.content(commit, path) or b"", file)
        if before is not None and before != now:
            return side_at(repository, commit, path, {}, commit[:SHOWN])
    head = repository.commit("HEAD")
    if head is None or repository.content(head, path) is None:
        return None
    if repository.cut_off():
        message = f"the last release of `{file}` is missing: this is a shallow clone"
        help = "fetch the history: `git fetch --tags --unshallow`; or use `--against`"
        raise ExitgateError([Diagnostic("EP542", message, help=help)], NOTHING_TO_DECIDE)
    return side_at(repository, head, path, {}, "HEAD")


def _tag(repository: Repository, path: str, name: str) -> str | None:
    tags = repository.tags()
    for start in (f"{name}-v", "v"):
        numbered = [(number, tag) for tag in tags if (number := _number(tag, start)) is not None]
        for _, tag in sorted(numbered, reverse=True):
            commit = repository.commit(f"refs/tags/{tag}")
            if commit is not None and repository.content(commit, path) is not None:
                return tag
    return None


def _number(tag: str, start: str) -> Version | None:
    if not tag.startswith(start):
        return None
    try:
        return version(tag[len(start) :])
    except ValueError:
        return None
