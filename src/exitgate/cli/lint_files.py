"""The files that `exitgate lint` looks at: which they are, how they were before, what is in them."""

from __future__ import annotations

import os

from exitgate.cli.usage import usage_error
from exitgate.cli.validate import files_of, files_of_all
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.lint.reading import Opened
    from exitgate.gate.revisions import Repository

#: Codes of this room, one line each; `docs` reads them.
CODES = {
    "EP520": "there is no lint of that name",
    "EP521": "a shipped file is not fixed in place",
    "EP522": "a finding is not fixed because the fix would change the file's meaning",
}
#: The revision that a policy is compared with by default.
HEAD = "HEAD"


class Wanted(Value):
    """
    A file to lint.

    Args:
        path: As it is named in the report.
        named: The user named it, or its policy, and did not find it in a folder.
        shipped: It comes with exitgate and was named by its name.
    """

    __slots__ = ("named", "path", "shipped")

    def __init__(self, path: str, named: bool, shipped: bool = False) -> None:
        self.path = path
        self.named = named
        self.shipped = shipped


def wanted(arguments: Sequence[str]) -> tuple[Wanted, ...]:
    """
    Return the files that arguments mean, each once: a file, the YAML files below a folder, a shipped name.

    Raises `ExitgateError` (66) with every path that does not exist and every folder without any.
    """
    from exitgate.policy import shipped

    found: dict[str, Wanted] = {}
    names = shipped.policies()
    files_of_all(one for one in arguments if os.path.exists(one) or one not in names)
    for argument in arguments:
        if not os.path.exists(argument) and argument in names:
            found.setdefault(argument, Wanted(shipped.path(argument), True, True))
            continue
        for path in files_of(argument):
            found.setdefault(os.path.realpath(path), Wanted(path, not os.path.isdir(argument)))
    return tuple(found.values())


class Before:
    """Files as they were in git; nothing outside of a work tree or if there is no commit."""

    def __init__(self, revision: str | None) -> None:
        """Take a revision that must be there, or None for the last commit, which may be missing."""
        self._revision = revision
        self._repositories: dict[str, Repository] = {}

    def text(self, path: str) -> str | None:
        """
        Return a file's text at the revision, or None where it was missing or was not text.

        Raises `ExitgateError`: 66 where the named revision does not exist, 74 where git cannot answer.
        """
        from exitgate.gate.revisions import not_there, repository_of

        found = repository_of(path)
        if found is None:
            if self._revision is not None:
                message = f"`{path}` is not in a git work tree"
                raise not_there(message, "omit `--against`, or lint it where it is tracked")
            return None
        repository = self._repositories.setdefault(found[0].top, found[0])
        commit = repository.commit(self._revision or HEAD)
        if commit is None:
            if self._revision is not None:
                message = f"there is no revision `{self._revision}` in {repository.top}"
                raise not_there(message, "see `git log`, `git tag`, `git branch`")
            return None
        content = repository.content(commit, found[1])
        try:
            return content.decode("utf-8") if content is not None else None
        except UnicodeDecodeError:
            return None  # it cannot have been a policy


def opened(files: Sequence[Wanted], before: Before | None, today: str) -> Iterator[tuple[Wanted, Opened]]:
    """
    Yield each file with what lints look at; files of other kinds in folders are passed over.

    Args:
        files: What to open.
        before: How policies were; None where that is not asked.
        today: The day, ``2027-03-01``.
    """
    for file in files:
        one = reopen(file, before, today)
        if one.subject is not None or one.problems:
            yield file, one


def reopen(file: Wanted, before: Before | None, today: str, text: str | None = None) -> Opened:
    """Return one file opened, with `text` in place of what it holds where that is given."""
    from exitgate.analysis.lint.finding import POLICY
    from exitgate.analysis.lint.reading import kind_of, open_subject
    from exitgate.gate.discover import DEFAULT_POLICY
    from exitgate.model.diagnostic import ExitgateError
    from exitgate.policy.library import load_file

    earlier = None
    if before is not None:
        try:
            earlier = before.text(file.path) if kind_of(load_file(file.path)) == POLICY else None
        except ExitgateError as error:
            if error.exit_code != ExitgateError.exit_code:
                raise
    return open_subject(file.path, DEFAULT_POLICY, today, earlier, text, file.named)


def check_ids(option: str, ids: Sequence[str]) -> None:
    """Raise `ExitgateError` (64) for an id that no lint has."""
    from exitgate.analysis.lint.registry import IDS
    from exitgate.policy.suggestion import suggestion

    for id in ids:
        if id not in IDS:
            raise usage_error(
                f"`{option} {id}`: there is no such lint", suggestion(id, IDS, "lints"), "EP520"
            )
