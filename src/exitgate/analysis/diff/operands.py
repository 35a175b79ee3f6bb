"""What the words of a comparison mean: a name, a path, a version, a revision; loaded as one side of it."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping

from exitgate.analysis.diff.revisions import Repository, not_there, repository_of, take_lock, take_out
from exitgate.analysis.results.comparison import Side
from exitgate.core.model.decision import NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.policy import shipped
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.extending.semver import Version, version
from exitgate.core.policy.locked.reference import is_remote
from exitgate.core.policy.reading import FILE_NAME, policies_in

#: What of a merged policy is compared though no decision rests on it by itself.
DECLARED = ("doc", "profiles", "lists")
FORMS = "write a shipped name, a path, `NAME@VERSION`, `REVISION:PATH`, or a path with `--against REVISION`"
_NOTHING: Mapping[str, str] = {}


def read_side(text: str, settings: Mapping[str, str] = _NOTHING, label: str | None = None) -> Side:
    """
    Return the policy that `text` means.

    Args:
        text: A shipped name; one of a package or repository that is pinned; a path of a policy file or of a
            folder with one; ``NAME@1.2.0`` or ``PATH@1.2.0``, the installed one or one in the history of its
            file; ``REVISION:PATH`` as git writes it, from the top of the repository, or from here if it
            begins with ``./``.
        settings: Parameter -> text, as `--set` takes them.
        label: What to call it; as it is written by default.

    Raises:
        ExitgateError: 66 for a revision, version or file that does not exist, 65 with everything that is
            wrong with the policy, 74 where git cannot be asked.
    """
    if os.path.exists(text) or text in shipped.policies() or is_remote(text):
        return _here(text, settings, label)
    revision, colon, path = text.partition(":")
    if colon and revision and path and not os.path.splitdrive(text)[0]:
        found = repository_of(os.curdir)
        if found is None:
            raise not_there(f"`{text}` names a revision, but this folder is not in a git repository", FORMS)
        repository, here = found
        if path.startswith(("./", "../")):
            path = posixpath.join(here, path)
        return side_at(repository, revision, posixpath.normpath(path), settings, label or text)
    name, at, version = text.rpartition("@")
    if at and name and version:
        return _of_version(name, version, settings, label or text)
    return _here(text, settings, label)


def read_against(path: str, revision: str, settings: Mapping[str, str] = _NOTHING) -> Side:
    """
    Return a policy file as it was in a revision of the repository it is in.

    Raises `ExitgateError` as `read_side` does.
    """
    found = repository_of(file_of(path))
    if found is None:
        raise not_there(f"`{path}` is not in a git repository", "name the other policy: `exitgate diff A B`")
    repository, from_top = found
    return side_at(repository, revision, from_top, settings, f"{revision}:{from_top}")


def file_of(text: str) -> str:
    """Return the file that a path or a shipped name means; a folder means the only policy in it."""
    if os.path.isdir(text) and text not in shipped.policies():
        found = policies_in(text)
        return os.path.join(text, found[0] if len(found) == 1 else FILE_NAME)
    return shipped.path(text) if not os.path.exists(text) and text in shipped.policies() else text


def side_at(
    repository: Repository, revision: str, path: str, settings: Mapping[str, str], label: str
) -> Side:
    """
    Return the policy at `path`, given from the top, as a revision has it, with the files it names.

    Raises `ExitgateError`: 66 where revision or file does not exist, 65 for what is wrong with the policy.
    """
    import tempfile

    commit = repository.commit(revision)
    if commit is None:
        raise not_there(f"there is no revision `{revision}`", "see `git log --oneline` and `git tag`")
    files = repository.files(commit)
    within = posixpath.normpath(posixpath.join(path, FILE_NAME))
    if path not in files and within in files:
        path = within
    if repository.content(commit, path) is None:
        help = "a path after `REVISION:` starts at the top of the repository; write `./` for this folder"
        raise not_there(f"there is no file `{path}` in `{revision}`", help)
    with tempfile.TemporaryDirectory(prefix="exitgate-") as folder:
        take_out(repository, commit, path, folder)
        take_lock(repository, commit, path, folder)
        try:
            return _side(os.path.join(os.curdir, *path.split("/")), settings, label, folder)
        except ExitgateError as error:
            raise ExitgateError([_renamed(d, revision) for d in error.diagnostics], error.exit_code) from None


def _of_version(name: str, version: str, settings: Mapping[str, str], label: str) -> Side:
    """Return a policy in another version: the one that is there, or the newest of that version in git."""
    file = file_of(name)
    if not os.path.exists(file):
        return _here(name, settings, label)
    now = version_in(_content(file), file)
    if now == version:
        return _here(name, settings, label)
    found = repository_of(file)
    commits = found[0].history(found[1]) if found is not None else ()
    for commit in commits:
        assert found is not None
        if version_in(found[0].content(commit, found[1]) or b"", file) == version:
            return side_at(found[0], commit, found[1], settings, label)
    where = "no revision of its file has that version" if commits else "its file is not in any git history"
    help = f"write `{name}@{now}`, a path, or `REVISION:PATH`" if now else FORMS
    raise not_there(
        f"there is no version {version} of `{name}`: here it is {now or 'none'}, and {where}", help
    )


def version_in(content: bytes, file: str) -> str | None:
    """Return what a policy file gives as its version; None for what is not a policy with one."""
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.library import document_of

    document = document_of(content, file, Findings())
    version = document.root.get("version") if document is not None else None
    return version.text if version is not None else None


def _content(file: str) -> bytes:
    from exitgate.core.policy.library import load_file

    return load_file(file).lines.text.encode()


def _here(text: str, settings: Mapping[str, str], label: str | None) -> Side:
    return _side(text, settings, label or text, None)


def _side(reference: str, settings: Mapping[str, str], label: str, base: str | None) -> Side:
    from exitgate.core.policy.compile import load_policy

    policy = load_policy(reference, base=base)
    fitting = fitting_of(policy, settings)
    if fitting:
        policy = load_policy(reference, settings=fitting, base=base)
    return Side(label, policy, _declared(reference, base))


def fitting_of(policy: CompiledPolicy, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of parameters that a policy has."""
    return {name: text for name, text in settings.items() if name in policy.parameters}


def _declared(reference: str, base: str | None) -> dict[str, object]:
    """Return what the merged policy declares beside what is compiled, as plain data."""
    from exitgate.core.policy.extending.merged import read_merged
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.library import Library

    findings = Findings()
    merged = read_merged(reference, Library(findings, base), findings)
    assert merged is not None  # it was compiled just now
    return {key: part.plain() for key in DECLARED if (part := merged.root.get(key)) is not None}


def _renamed(diagnostic: Diagnostic, revision: str) -> Diagnostic:
    """Return a diagnostic that says of which revision its files are."""

    def at(place: Location | None) -> Location | None:
        if place is None or place.file.startswith(shipped.ELSEWHERE):
            return place
        name = f"{revision}:{posixpath.normpath(place.file)}"
        return Location(name, place.line, place.column, place.end_line, place.end_column)

    d = diagnostic
    related = tuple((word, at(place) or place) for word, place in d.related)
    return Diagnostic(d.code, d.message, at(d.place), d.help, d.severity, d.source, related)


# The last released version of a policy file: by a tag, by its history, or as HEAD has it.

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
            are there do not tell; as `exitgate.analysis.diff.operands.side_at`.
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
