"""The lock file of a project: read with the place of everything, and written."""

from __future__ import annotations

import os

from exitgate.core.model.diagnostic import Location
from exitgate.core.model.value import Value
from exitgate.core.policy import shipped
from exitgate.core.policy.locked.files import fault_of_name, shown
from exitgate.core.policy.locked.reference import GIT, PYPI, Remote, Unfit, parse
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.system.folders import LOCK_FILE, folders_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode


FORMAT = 1
#: The command that writes it.
COMMAND = "exitgate policies lock"
_HEAD = f"""\
# Written by `{COMMAND}`. Do not edit: a changed digest is an error.
lock: {FORMAT}
"""
#: Keys of an entry in the order in which they are written; those of a package, and those of a repository.
_OF_PACKAGE, _OF_REPOSITORY = ("version", "wheel", "sha256"), ("tag", "commit")


class Signer(Value):
    """Who signed a wheel: the issuer of the identity, and the identity without the revision it ran at."""

    __slots__ = ("identity", "issuer")

    def __init__(self, issuer: str, identity: str) -> None:
        self.issuer = issuer
        self.identity = identity


class Locked(Value):
    """
    A package or repository as it is pinned.

    Args:
        source: As `exitgate.core.policy.locked.reference.Remote` has it.
        digest: Of all files, 64 hex digits.
        version, wheel, sha256: Of a package: version, name of the wheel, its SHA-256.
        commit, tag: Of a repository: full name of the commit; the tag where the revision is a range.
        signer: Who signed it, None where nothing was verified.
        place: Where the entry is; None for a new one.
    """

    __slots__ = ("commit", "digest", "place", "sha256", "signer", "source", "tag", "version", "wheel")

    def __init__(
        self,
        source: str,
        digest: str,
        version: str = "",
        wheel: str = "",
        sha256: str = "",
        commit: str = "",
        tag: str = "",
        signer: Signer | None = None,
        place: Location | None = None,
    ) -> None:
        self.source = source
        self.digest = digest
        self.version = version
        self.wheel = wheel
        self.sha256 = sha256
        self.commit = commit
        self.tag = tag
        self.signer = signer
        self.place = place

    @property
    def pinned(self) -> str:
        """The version, or the beginning of the commit: what people call it."""
        return self.version or (f"{self.tag} {self.commit[:12]}" if self.tag else self.commit[:12])

    def named(self, file: str) -> str:
        """Return the reference that means just this file, by which places name it, too."""
        is_git = self.source.startswith(GIT)
        return f"{self.source}#{file}" if is_git else f"{self.source}@{self.version}/{file}"


class Lock(Value):
    """
    A lock file.

    Args:
        path: Where it is.
        also: Paths of further policies that count, from the folder that has `.bb3`.
        entries: Source -> entry.
    """

    __slots__ = ("also", "entries", "path")

    def __init__(self, path: str, also: tuple[str, ...], entries: Mapping[str, Locked]) -> None:
        self.path = path
        self.also = also
        self.entries = entries

    @property
    def project(self) -> str:
        """The folder that has `.bb3`."""
        return os.path.dirname(os.path.dirname(self.path))


def places_from(folder: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths at which the lock file of a folder may be, nearest first."""
    return tuple(os.path.join(one, *LOCK_FILE.split("/")) for one in folders_up(folder, environment))


def lock_of(root: YamlNode, path: str, findings: Findings) -> Lock | None:
    """
    Return what a lock file says, None after an error.

    Args:
        root: The document.
        path: Where it is.
        findings: Takes EP2xx for its form, and EP843.
    """
    before = findings.errors()
    root, fits = check_schema(root, shipped.schema("lock"), findings)
    if not fits or findings.errors() > before:
        return None
    also = root.get("also")
    paths = also.items if also is not None else ()
    for part in paths:
        fault = fault_of_name(part.text)
        if fault and part.text != ".":
            _report(f"the path `{shown(part.text)}` {fault}", part, findings)
    entries: dict[str, Locked] = {}
    for part in root.fields["sources"].items:
        entry = _entry(part, findings)
        if entry.source in entries:
            _report(f"`{shown(entry.source)}` is pinned twice", part.fields["source"], findings)
        entries[entry.source] = entry
    if findings.errors() > before:
        return None
    return Lock(path, tuple(part.text for part in paths), entries)


def _entry(part: YamlNode, findings: Findings) -> Locked:
    given = {key: inner.text for key, inner in part.fields.items() if not inner.is_mapping}
    source = part.fields["source"]
    try:
        _check_source(source.text)
    except Unfit as unfit:
        _report(f"`{shown(source.text)}` is not a source: {unfit}", source, findings, unfit.help)
    is_git = source.text.startswith(GIT)
    mine: tuple[str, ...] = _OF_REPOSITORY if is_git else _OF_PACKAGE
    others: tuple[str, ...] = (*_OF_PACKAGE, "signer") if is_git else _OF_REPOSITORY
    for key in mine:
        if key not in given and key != "tag":
            _report(f"`{key}` is missing", source, findings)
    for key in others:
        if key in part.fields:
            _report(f"`{key}` does not belong here", part.fields[key], findings)
    signed = part.get("signer")
    signer = None
    if signed is not None:
        signer = Signer(signed.fields["issuer"].text, signed.fields["identity"].text)
    digest = given["digest"].removeprefix("sha256:")
    rest = {key: given[key] for key in mine if key in given}
    return Locked(source.text, digest, signer=signer, place=source.place, **rest)


def _check_source(text: str) -> None:
    """Raise Unfit for a source that is not spelled as it is written here."""
    remote = _source(text)
    if remote.source != text or remote.path:
        raise Unfit("it is not spelled as exitgate writes it")


def _source(text: str) -> Remote:
    if text.startswith(PYPI):
        return parse(f"{text}@*")
    if text.startswith(GIT):
        return parse(text)
    raise Unfit(f"it begins with neither `{PYPI}` nor `{GIT}`")


def _report(message: str, part: YamlNode, findings: Findings, help: str = "") -> None:
    findings.error("EP843", message, part.label, help or f"run `{COMMAND}`")


def text_of(also: Iterable[str], entries: Iterable[Locked]) -> str:
    """Return the text of a lock file: the same for the same entries, a line for each of their parts."""
    lines = [_HEAD]
    further = sorted(set(also))
    if further:
        lines += ["also:\n", *(f"  - {_scalar(path)}\n" for path in further)]
    found = sorted(entries, key=lambda one: one.source)
    lines.append("sources:\n" if found else "sources: []\n")
    for one in found:
        lines.append(f"  - source: {_scalar(one.source)}\n")
        for key in (*_OF_PACKAGE, *_OF_REPOSITORY):
            value = getattr(one, key)
            if value:
                lines.append(f"    {key}: {_scalar(value)}\n")
        lines.append(f"    digest: sha256:{one.digest}\n")
        if one.signer is not None:
            lines.append("    signer:\n")
            lines.append(f"      issuer: {_scalar(one.signer.issuer)}\n")
            lines.append(f"      identity: {_scalar(one.signer.identity)}\n")
    return "".join(lines)


def _scalar(text: str) -> str:
    """Return a text as YAML; in quotes, so that no version or commit of digits alone is a number."""
    from exitgate.core.system.quick_json import dumps

    return dumps(text)
