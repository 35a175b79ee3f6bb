"""
How a policy of a package or of a git repository is named.

    pypi:NAME@VERSIONS/PATH             pypi:acme-exitgate-policies@^2/strict
    git+URL@REVISION#PATH               git+https://example.org/team/policies@v2.1.0#strict
"""

from __future__ import annotations

import re

from exitgate.core.model.value import Value
from exitgate.core.policy.extending.semver import accepts
from exitgate.core.policy.locked.files import fault_of_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


PYPI, GIT = "pypi:", "git+"
#: The file that is meant where a reference has no path.
FILE_NAME = "policy.yaml"
ENDINGS = (".yaml", ".yml")
#: How repositories are reached.
TRANSPORTS = ("https", "ssh", "file")
#: Characters of a reference.
LONGEST = 500

#: What a name of a distribution may be, as the packaging specifications have it.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_FOLDERS = re.compile(r"(?:/(?!-)[A-Za-z0-9._~+%:-]+)+/?")
_REVISION = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._/+-]*[A-Za-z0-9_+-])?")
_RANGE = re.compile(r"[\^~][0-9]{1,9}(?:\.[0-9]{1,9}){0,2}")
_COMMIT = re.compile(r"[0-9a-f]{40}")

_FORM_OF_PYPI = "write `pypi:NAME@VERSIONS/PATH`, such as `pypi:acme-policies@^2/strict`"
_FORM_OF_GIT = (
    "write `git+https://HOST/PATH@REVISION#FILE`, such as `git+https://example.org/team/policies@v2#strict`"
)


class Unfit(Exception):  # noqa: N818 - becomes a diagnostic
    """
    A reference, a name or a file that is not used; the text says why.

    Args:
        why: A sentence part.
        help: What to do about it, or the empty text.
    """

    def __init__(self, why: str, help: str = "") -> None:
        super().__init__(why)
        self.help = help


class Remote(Value):
    """
    A policy, or a file of settings, of a package or a repository.

    Args:
        source: What is fetched: `pypi:NAME` with the name spelled the canonical way, or `git+URL@REVISION`.
        wanted: The versions of the package that are accepted; empty for a repository.
        path: The file in it as it was named; may be empty.
    """

    __slots__ = ("path", "source", "wanted")

    def __init__(self, source: str, wanted: str, path: str) -> None:
        self.source = source
        self.wanted = wanted
        self.path = path

    @property
    def is_git(self) -> bool:
        """Whether it is of a repository."""
        return self.source.startswith(GIT)

    @property
    def name(self) -> str:
        """The canonical name of the package; the URL and revision for a repository."""
        return self.source.removeprefix(PYPI).removeprefix(GIT)

    @property
    def url(self) -> str:
        """The URL of the repository."""
        return self.source.removeprefix(GIT).rpartition("@")[0]

    @property
    def revision(self) -> str:
        """The tag, branch, commit or range of tags of the repository."""
        return self.source.rpartition("@")[2]

    @property
    def transport(self) -> str:
        """How the repository is reached: one of `TRANSPORTS`."""
        return self.url.partition(":")[0]


def is_remote(reference: str) -> bool:
    """Return whether a reference means a package or a repository, well formed or not."""
    return reference.startswith((PYPI, GIT))


def is_commit(text: str) -> bool:
    """Return whether a revision is the full name of a commit, which never means another."""
    return _COMMIT.fullmatch(text) is not None


def is_range(revision: str) -> bool:
    """Return whether a revision is a range of tags, `^2.1`; git allows no tag of that name."""
    return _RANGE.fullmatch(revision) is not None


def parse(reference: str) -> Remote:
    """
    Return what a reference means.

    Raises:
        Unfit: It is not well formed.
    """
    if len(reference) > LONGEST:
        raise Unfit(f"it has more than {LONGEST} characters", "name the file with a shorter path")
    return _package(reference) if reference.startswith(PYPI) else _repository(reference)


def canonical(name: str) -> str:
    """Return a name of a distribution, spelled the one way that all its spellings have in common."""
    return re.sub(r"[-_.]+", "-", name).lower()


def file_of(path: str, names: Collection[str]) -> str:
    """
    Return the file that a path of a reference means: itself, with `.yaml`, or the policy in that folder.

    Raises:
        Unfit: There is none, or there are two.
    """
    likely = [path] if path.endswith(ENDINGS) else [f"{path}.yaml", f"{path}/{FILE_NAME}"]
    likely = likely if path else [FILE_NAME]
    found = [one for one in likely if one in names]
    if len(found) == 1:
        return found[0]
    if found:
        raise Unfit(f"`{path}` means two files: `{found[0]}` and `{found[1]}`", f"write `{found[0]}`")
    policies = sorted(one for one in names if one.endswith(ENDINGS) and "tests." not in one)
    shown = ", ".join(f"`{one}`" for one in policies[:5])
    raise Unfit(f"there is no `{likely[-1]}` in it", f"it has {shown}" if shown else "it has no YAML files")


def _package(reference: str) -> Remote:
    named, slash, path = reference.removeprefix(PYPI).partition("/")
    name, at, wanted = named.partition("@")
    if not _NAME.fullmatch(name):
        raise Unfit(f"`{name}` is not a name of a package", _FORM_OF_PYPI)
    if not at or not wanted.strip():
        raise Unfit("it does not say which versions are accepted", _FORM_OF_PYPI)
    try:
        accepts(wanted, "0.0.0")
    except ValueError:
        raise Unfit(
            f"`{wanted}` is not a version range", "write `@1.2.3`, `@^1.2` or `@>=1.2 <2` behind the name"
        ) from None
    _check_path(path, slash)
    return Remote(PYPI + canonical(name), wanted, path)


def _repository(reference: str) -> Remote:
    where, hash_sign, path = reference.removeprefix(GIT).partition("#")
    transport, mark, rest = where.partition("://")
    if not mark or transport not in TRANSPORTS:
        raise Unfit(f"`{transport}` is not https, ssh or file", _FORM_OF_GIT)
    host, slash, tail = rest.partition("/")
    folders, at, revision = tail.rpartition("@")
    if not at:
        raise Unfit("it does not say which revision", _FORM_OF_GIT)
    user, has_user, machine = host.rpartition("@")
    if has_user and (transport != "ssh" or not _USER.fullmatch(user)):
        raise Unfit("a name of a user is for ssh alone, and has no password", _FORM_OF_GIT)
    if (transport == "file") != (not host) or (host and not _HOST.fullmatch(machine)):
        raise Unfit(f"`{host}` is not a name of a host", _FORM_OF_GIT)
    if not _FOLDERS.fullmatch(slash + folders) or any(one in (".", "..") for one in folders.split("/")):
        raise Unfit(f"`/{folders}` is not the path of a repository", _FORM_OF_GIT)
    if not is_range(revision) and not _is_revision(revision):
        raise Unfit(
            f"`{revision}` is not a tag, a branch, a full commit or a range such as `^2`", _FORM_OF_GIT
        )
    _check_path(path, hash_sign)
    return Remote(f"{GIT}{transport}://{host}/{folders.rstrip('/')}@{revision}", "", path)


def _is_revision(text: str) -> bool:
    """Return whether git could have a tag or branch of that name, and reads it as nothing else."""
    odd = ("..", "//", "/.", "@{", ".lock")
    return len(text) <= 200 and bool(_REVISION.fullmatch(text)) and not any(one in text for one in odd)


def _check_path(path: str, sign: str) -> None:
    if sign and not path:
        raise Unfit(f"nothing follows the `{sign}`", "name a file behind it, or leave it out")
    fault = fault_of_name(path) if path else ""
    if fault:
        raise Unfit(f"the path `{path}` {fault}", "name a file by its path in the package or repository")
