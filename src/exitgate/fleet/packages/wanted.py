"""Which packages and repositories a project names: in its settings, and in policies that they lead to."""

from __future__ import annotations

import os

from exitgate.core.model.diagnostic import Location
from exitgate.core.model.value import Value
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import document_of, is_path
from exitgate.core.policy.locked.files import shown
from exitgate.core.policy.locked.reference import Remote, Unfit, file_of, is_remote, parse
from exitgate.core.policy.reading import ENDINGS, Unreadable, policies_in, read_bytes
from exitgate.core.settings.files import PROJECT_FILE, is_there
from exitgate.core.settings.sections import SECTION
from exitgate.core.system import portable, safe_files
from exitgate.core.system.folders import LOCK_FILE, folders_up, is_within
from exitgate.fleet.packages.fetched import FetchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from exitgate.core.policy.yaml.document import Document
    from exitgate.core.policy.yaml.node import YamlNode


#: Files that are looked at, and entries of folders that are passed.
FILES, ENTRIES = 10_000, 200_000
#: Keys of settings under which a policy or a file of settings is named.
_KEYS = ("policy", "preset", "shadow")
#: How what was fetched may name more: nothing of this machine, no keys of this user.
_FROM_ELSEWHERE = ("pypi:", "git+https:")


class Named(Value):
    """A package or repository, and where it is named."""

    __slots__ = ("place", "remote")

    def __init__(self, remote: Remote, place: Location) -> None:
        self.remote = remote
        self.place = place


def project_of(folder: str, environment: Mapping[str, str]) -> str:
    """Return the folder, from one upward, with settings or a lock file; else the repository's."""
    up = folders_up(folder, environment)
    marks = (PROJECT_FILE, LOCK_FILE)
    return next((one for one in up if any(is_there(os.path.join(one, mark)) for mark in marks)), up[-1])


class Looker:
    """
    Looks for names in the files of a project.

    Args:
        project: Its folder.
        findings: Takes EP842 for names that are not well formed, and what is wrong with the files.
    """

    def __init__(self, project: str, findings: Findings) -> None:
        self._project = os.path.realpath(project)
        self._findings = findings
        self._seen: set[str] = set()
        self._found: list[Named] = []

    def named(self, also: Iterable[str]) -> list[Named]:
        """Return what settings name, and policies at paths from the folder of the project."""
        settings = os.path.join(self._project, PROJECT_FILE)
        if is_there(settings):
            self._file(settings, None)
        for path in also:
            for one in _files(os.path.join(self._project, path)):
                self._file(one, None)
        return self._found

    def _file(self, path: str, named_in: Location | None) -> None:
        """Look through a file, and through those that it names by their paths."""
        real = os.path.realpath(path)
        if real in self._seen:
            return
        self._seen.add(real)
        if len(self._seen) > FILES:
            raise FetchError(f"more than {FILES} files would be looked at", "name the policies that count")
        if not is_within(real, (self._project,)):
            return  # it is not the project's: who uses it says so
        file = portable.relative(path)
        try:
            content = read_bytes(path)
        except (OSError, Unreadable) as error:
            self._findings.error("EP811", f"`{file}` cannot be read: {error}", named_in, "check the path")
            return
        document = document_of(content, file, self._findings)
        if document is None:
            return
        for node in names_in(document):
            if is_remote(node.text):
                self._remote(node)
            elif is_path(node.text):
                for one in _policies_at(os.path.join(os.path.dirname(path), node.text.partition("@")[0])):
                    self._file(one, node.place)

    def _remote(self, node: YamlNode) -> None:
        remote = parsed(node, self._findings)
        if remote is not None:
            self._found.append(Named(remote, node.place))


def named_by(named: Named, file: str, files: Mapping[str, bytes], findings: Findings) -> list[Named]:
    """
    Return what a policy or preset that was fetched names, directly or through files beside it.

    Args:
        named: What it was fetched for.
        file: How messages call its files: a name is put behind it.
        files: Name -> content of all files that were fetched with it.
        findings: Takes EP842 and EP846, and what is wrong with the files.
    """
    try:
        waiting = [file_of(named.remote.path, files)]
    except Unfit as unfit:
        findings.error("EP842", f"`{named.remote.source}`: {unfit}", named.place, unfit.help)
        return []
    found: list[Named] = []
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        document = document_of(files[name], file + name, findings) if name not in seen else None
        seen.add(name)
        for node in names_in(document) if document is not None else ():
            if is_remote(node.text):
                remote = parsed(node, findings)
                if remote is not None and not node.text.startswith(_FROM_ELSEWHERE):
                    message = f"what was fetched cannot name `{shown(node.text)}`"
                    help = "it may name packages, and repositories by https; name others in the project"
                    findings.error("EP846", message, node.place, help)
                elif remote is not None:
                    found.append(Named(remote, node.place))
            elif is_path(node.text):
                waiting += [one for one in _beside(name, node.text.partition("@")[0]) if one in files]
    return found


def names_in(document: Document) -> Iterator[YamlNode]:
    """Yield the texts of a policy or a file of settings that name policies and files of settings."""
    extends = document.root.get("extends")
    section = document.root.get(SECTION)
    parts = [extends, *(section.get(key) for key in _KEYS if section is not None)]
    for part in parts:
        if part is not None:
            yield from (one for one in part.walk() if one.is_text)


def parsed(node: YamlNode, findings: Findings) -> Remote | None:
    """Return what a reference means, None after an error."""
    try:
        return parse(node.text)
    except Unfit as unfit:
        findings.error("EP842", f"`{shown(node.text)}` names no file: {unfit}", node.place, unfit.help)
        return None


def _policies_at(path: str) -> list[str]:
    """Return the files that a path in a policy or in settings means; none where it is missing."""
    if os.path.isdir(path):
        return [os.path.join(path, name) for name in policies_in(path)[:1]]
    return [path] if os.path.isfile(path) else []


def _beside(name: str, path: str) -> list[str]:
    import posixpath

    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), path))]


def _files(path: str) -> Iterator[str]:
    """Yield a file, or the YAML files below a folder, hidden ones and links left out."""
    if not os.path.isdir(path):
        yield path
        return
    waiting, passed = [path], 0
    while waiting:
        folder = waiting.pop()
        for name in sorted(safe_files.names(folder)):
            passed += 1
            inner = os.path.join(folder, name)
            if passed > ENTRIES:
                why = f"`{portable.relative(path)}` has more than {ENTRIES} entries"
                raise FetchError(why, "name the policies that count")
            if name.startswith(".") or safe_files.is_link(inner):
                continue
            if os.path.isdir(inner):
                waiting.append(inner)
            elif name.endswith(ENDINGS) and os.path.isfile(inner):
                yield inner
