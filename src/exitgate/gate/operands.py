"""What the words of a comparison mean: a name, a path, a version, a revision; loaded as one side of it."""

from __future__ import annotations

import os
import posixpath

from exitgate.gate.revisions import Repository, not_there, repository_of, take_out
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.place import Place
from exitgate.policy import shipped
from exitgate.policy.compared.change import Side
from exitgate.policy.folder import FILE_NAME, policies_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy

#: What of a merged policy is compared though no decision rests on it by itself.
DECLARED = ("doc", "profiles", "lists")
FORMS = "write a shipped name, a path, `NAME@VERSION`, `REVISION:PATH`, or a path with `--against REVISION`"
_NOTHING: Mapping[str, str] = {}


def read_side(text: str, settings: Mapping[str, str] = _NOTHING, label: str | None = None) -> Side:
    """
    Return the policy that `text` means.

    Args:
        text: A shipped name; a path of a policy file or of a folder with one; ``NAME@1.2.0`` or
            ``PATH@1.2.0``, the installed one or one in the history of its file; ``REVISION:PATH`` as git
            writes it, from the top of the repository, or from here if it begins with ``./``.
        settings: Parameter -> text, as `--set` takes them.
        label: What to call it; as it is written by default.

    Raises:
        ExitgateError: 66 for a revision, version or file that does not exist, 65 with everything that is
            wrong with the policy, 74 where git cannot be asked.
    """
    if os.path.exists(text) or text in shipped.policies():
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
    from exitgate.policy.findings import Findings
    from exitgate.policy.library import document_of

    document = document_of(content, file, Findings())
    version = document.root.get("version") if document is not None else None
    return version.text if version is not None else None


def _content(file: str) -> bytes:
    from exitgate.policy.library import load_file

    return load_file(file).lines.text.encode()


def _here(text: str, settings: Mapping[str, str], label: str | None) -> Side:
    return _side(text, settings, label or text, None)


def _side(reference: str, settings: Mapping[str, str], label: str, base: str | None) -> Side:
    from exitgate.policy.compile import load_policy

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
    from exitgate.policy.findings import Findings
    from exitgate.policy.library import Library
    from exitgate.policy.merged import read_merged

    findings = Findings()
    merged = read_merged(reference, Library(findings, base), findings)
    assert merged is not None  # it was compiled just now
    return {key: part.plain() for key in DECLARED if (part := merged.root.get(key)) is not None}


def _renamed(diagnostic: Diagnostic, revision: str) -> Diagnostic:
    """Return a diagnostic that says of which revision its files are."""

    def at(place: Place | None) -> Place | None:
        if place is None or place.file.startswith("shipped:"):
            return place
        name = f"{revision}:{posixpath.normpath(place.file)}"
        return Place(name, place.line, place.column, place.end_line, place.end_column)

    d = diagnostic
    related = tuple((word, at(place) or place) for word, place in d.related)
    return Diagnostic(d.code, d.message, at(d.place), d.help, d.severity, d.source, related)
