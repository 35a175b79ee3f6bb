"""
Distributions that offer extractors: the entry points of the group `exitgate.extractors`.

Only where a policy is compiled, or a user asks. Nothing of a distribution is imported for it, and nothing of
the project is looked at: a repository can hold folders that look like distributions.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES

from exitgate.core.model.value import Value
from exitgate.core.plugins.permissions import Permission, Unfit, digest_of, is_inside, stamps
from exitgate.core.system import safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.core.plugins.permissions import Permission


#: Characters of a name.
_LETTERS = 100


class Offer(Value):
    """
    One distribution with extractors.

    Args:
        distribution, version: As it calls itself.
        root: Folder that it is imported from, without links.
        tops: Its files and folders directly below the root.
        points: Id of an extractor -> its module.
        problem: Why it cannot be allowed, as a sentence part behind its name; empty where it can.
    """

    __slots__ = ("distribution", "points", "problem", "root", "tops", "version")

    def __init__(
        self,
        distribution: str,
        version: str,
        root: str,
        tops: tuple[str, ...],
        points: dict[str, str],
        problem: str = "",
    ) -> None:
        self.distribution = distribution
        self.version = version
        self.root = root
        self.tops = tops
        self.points = points
        self.problem = problem

    def permission(self) -> Permission:
        """Return the permission of this distribution as it is now. Raises Unfit."""
        if self.problem:
            raise Unfit(self.problem)
        files = stamps(self.root, self.tops)
        digest = digest_of(self.root, files)
        return Permission(self.distribution, self.version, digest, self.root, self.tops, self.points, files)


def places(folders: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the folders of Python's path outside the project, and those inside, which are passed over."""
    absolute = [one for one in dict.fromkeys(sys.path) if os.path.isabs(one) and os.path.isdir(one)]
    inside = [one for one in absolute if is_inside(one, folders)]
    return [one for one in absolute if one not in inside], inside


def offers(folders: Sequence[str]) -> tuple[Offer, ...]:
    """
    Return the distributions outside the project that offer extractors, by name; the first of each name.

    One whose files cannot be read is among them, with the problem and perhaps without extractors.
    """
    found: dict[str, Offer] = {}
    for place in places(folders)[0]:
        here: dict[str, Offer] = {}
        for one in found_in(place):
            name = key(one.distribution)
            offer = _offer(one, os.path.realpath(place), folders)
            if name in here:
                offer = offer.but(problem=f"is installed twice in `{place}`: uninstall it, then install it")
            here[name] = offer
        found = {**here, **found}
    return tuple(found[name] for name in sorted(found))


def is_name(name: object) -> bool:
    """Return whether a value is a name: lower-case letters, digits and `_`, a letter first."""
    plain = isinstance(name, str) and 0 < len(name) <= _LETTERS and name.isascii() and name == name.lower()
    return plain and str(name).replace("_", "a").isalnum() and str(name)[0].isalpha()


def is_extractor(id: str) -> bool:
    """Return whether an id can be that of an extractor of another package: names with dots between."""
    return "." in id and all(is_name(part) for part in id.split("."))


def _offer(one: Metadata, root: str, folders: Sequence[str]) -> Offer:
    tops = tuple(sorted(set(_tops(one.files or ()))))
    problem = one.fault or _problem(one, root, tops, folders)
    return Offer(one.distribution, one.version, root, tops, one.points, problem)


def _problem(one: Metadata, root: str, tops: tuple[str, ...], folders: Sequence[str]) -> str:
    if is_inside(root, folders):
        return "is inside the project, from where nothing is imported"
    if one.files is None or not tops:
        return "does not list its files: install it with pip"
    for id, module in one.points.items():
        first = module.split(".")[0]
        if not is_extractor(id):
            return (
                f"names an extractor `{id[:_LETTERS]}`: an id is two or more names with dots between, as "
                "`acme.sonar`, of lower-case letters, digits and `_`"
            )
        if not all(part.isidentifier() for part in module.split(".")):
            return f"names `{module[:_LETTERS]}` for `{id}`, which is not a module"
        if not any(top in (first, f"{first}.py") for top in tops):
            return f"does not hold the module `{module}` itself: an editable installation cannot be allowed"
        if not _has_source(root, module):
            return f"does not hold the module `{module}` of `{id}` as a source or an extension module"
    return ""


def _has_source(root: str, module: str) -> bool:
    """Return whether a process of an extractor could import a module: never from a compiled file."""
    path = os.path.join(root, *module.split("."))
    ends = (".py", f"{os.sep}__init__.py", *EXTENSION_SUFFIXES)
    return any(os.path.isfile(path + end) for end in ends)


def _tops(files: Sequence[str]) -> Iterator[str]:
    """Yield the names of what a distribution has directly below its root."""
    for file in files:
        parts = [part for part in file.replace("\\", "/").split("/") if part != "."]
        if not os.path.isabs(file) and ".." not in parts and parts[0] not in ("", "__pycache__"):
            yield parts[0]


# What installers wrote beside a distribution: its name and version, its entry points, the files it consists
# of.
#
# Read here and not by `importlib.metadata`, which waits for pipes, reads files of any size, and raises for
# a text that is not UTF-8: one folder of that kind would end every check. Formats: the core metadata,
# "Entry points" and "Recording installed projects" of packaging.python.org.

GROUP = "exitgate.extractors"
POINTS = "entry_points.txt"
#: Bytes of one of these files.
LIMIT = 8_000_000
#: Ending of a folder -> the file with the name and the version.
_HEADS = {".dist-info": "METADATA", ".egg-info": "PKG-INFO"}
_NAME_LETTERS = 100


class Metadata(Value):
    """
    One distribution that offers extractors, or may do so.

    Args:
        distribution, version: As it calls itself; by its folder where it does not say.
        points: Id of an extractor -> its module.
        files: Paths of its files as installed, with `/`; None where they are not listed.
        fault: What cannot be read, as a sentence part behind its name; empty where all can.
    """

    __slots__ = ("distribution", "fault", "files", "points", "version")

    def __init__(
        self,
        distribution: str,
        version: str,
        points: dict[str, str],
        files: tuple[str, ...] | None,
        fault: str = "",
    ) -> None:
        self.distribution = distribution
        self.version = version
        self.points = points
        self.files = files
        self.fault = fault


def key(name: str) -> str:
    """Return the name of a distribution as installers compare it: `Acme.Sonar` is `acme-sonar`."""
    return "-".join(part for part in name.lower().replace("_", "-").replace(".", "-").split("-") if part)


def found_in(place: str) -> Iterator[Metadata]:
    """Yield what the distributions in a folder of Python's path say, by name of their folders."""
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return
    for name in names:
        head = _HEADS.get(os.path.splitext(name)[1])
        folder = os.path.join(place, name)
        if head is not None and os.path.isdir(folder):
            one = _read(folder, head)
            if one is not None:
                yield one


def _read(folder: str, head: str) -> Metadata | None:
    """Return what a distribution says; None for one without extractors."""
    raw, fault = _content(folder, POINTS)
    if raw is None and not fault:
        return None
    points: dict[str, str] = {}
    if raw is not None:
        if GROUP.encode() not in raw:
            return None
        points, fault = _points(raw)
        if not points and not fault:
            return None
    name, version, wrong = _head(folder, head)
    files, unread = _files(folder)
    return Metadata(name, version, points, files, fault or wrong or unread)


def _content(folder: str, name: str) -> tuple[bytes | None, str]:
    """Return a file, and what is wrong with it; neither where there is none."""
    try:
        # a link may lead to it, as some installers make one; what is not a regular file is refused
        return safe_files.content(os.path.join(folder, name), LIMIT, links=True), ""
    except (FileNotFoundError, NotADirectoryError):
        return None, ""
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return None, f"cannot be used: its `{name}` cannot be read: {why[:1].lower()}{why[1:]}"


def _text(raw: bytes, name: str) -> tuple[str, str]:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return "", f"cannot be used: its `{name}` is not UTF-8"
    return (text, "") if "\0" not in text else ("", f"cannot be used: its `{name}` holds a NUL")


def _points(raw: bytes) -> tuple[dict[str, str], str]:
    """Return the entry points of our group, and what is wrong with them."""
    text, fault = _text(raw, POINTS)
    points: dict[str, str] = {}
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif line and line[0] not in "#;" and group == GROUP:
            id, equals, module = (part.strip() for part in line.partition("="))
            if not equals or not id:
                fault = fault or f"cannot be used: its `{POINTS}` has a line that is not an entry point"
            elif id in points:
                fault = fault or f"names the extractor `{id[:_NAME_LETTERS]}` twice"
            else:
                points[id] = module
    return points, fault


def _head(folder: str, head: str) -> tuple[str, str, str]:
    """Return name and version, and what is wrong with them."""
    name, _, version = os.path.splitext(os.path.basename(folder))[0].partition("-")
    raw, fault = _content(folder, head)
    if raw is None:
        return name, version, fault or f"cannot be used: it has no `{head}`"
    text, fault = _text(raw, head)
    if fault:
        return name, version, fault
    fields: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip():
            break  # the description follows
        field, colon, value = line.partition(":")
        if colon and field.lower() not in fields:
            fields[field.lower()] = value.strip()
    told = fields.get("name", "")
    if not _is_name(told):
        return name, version, f"cannot be used: its `{head}` has no name that installers take"
    return told, fields.get("version", version)[:_NAME_LETTERS], ""


def _is_name(name: str) -> bool:
    plain = name.replace("-", "a").replace("_", "a").replace(".", "a")
    return len(name) <= _NAME_LETTERS and plain.isascii() and plain.isalnum() and name[-1:].isalnum()


def _files(folder: str) -> tuple[tuple[str, ...] | None, str]:
    """Return the installed files, None where they are not listed, and what is wrong with the list."""
    raw, fault = _content(folder, "RECORD")
    if raw is None:
        return None, fault
    text, fault = _text(raw, "RECORD")
    import csv

    try:
        return tuple(row[0] for row in csv.reader(text.splitlines()) if row), fault
    except csv.Error as error:
        return None, f"cannot be used: its `RECORD` cannot be read: {error}"


# Whether an extractor of another package may run: the one answer for checks and for `exitgate plugins`.
#
# A dot in the id makes it an extractor of another package. One distribution must offer it, fit to be
# allowed; the user has allowed that very distribution; and its files are as they were then.

#: Codes of diagnostics: not allowed, offered by none or several, cannot be allowed, changed.
NOT_ALLOWED, NOT_OFFERED, PROBLEM, CHANGED = "EP890", "EP891", "EP892", "EP893"


class State(Value):
    """
    What holds for a distribution, or for one of its extractors.

    Args:
        code: Of the diagnostic; empty where it may run.
        why: Why it may not, as a sentence part behind the name of the distribution.
        permission: What the user allowed, where it may run.
    """

    __slots__ = ("code", "permission", "why")

    def __init__(self, code: str, why: str, permission: Permission | None = None) -> None:
        self.code = code
        self.why = why
        self.permission = permission


def permission_of(name: str, permissions: Mapping[str, Permission]) -> Permission | None:
    """Return what the user allowed of a distribution, however its name is spelled."""
    wanted = key(name)
    return next((one for told, one in permissions.items() if key(told) == wanted), None)


def of_distribution(offer: Offer | None, permission: Permission | None, folders: Sequence[str]) -> State:
    """
    Return the state of a distribution.

    Args:
        offer: As it is installed; None where it is not.
        permission: What the user allowed under its name; None for nothing.
        folders: Those of the project (`exitgate.core.plugins.permissions`).
    """
    if offer is None:
        return State(NOT_OFFERED, "is not installed outside the project, or offers no extractor")
    if offer.problem:
        return State(PROBLEM, offer.problem)
    if permission is None:
        return State(NOT_ALLOWED, "is not allowed")
    why = permission.why_not(folders)
    if not why and (permission.root, permission.points) != (offer.root, offer.points):
        why = "is another one than you allowed"
    return State(CHANGED, why) if why else State("", "", permission)


def others_with(id: str, offer: Offer, offers: Sequence[Offer]) -> tuple[str, ...]:
    """Return the names of the other distributions that offer an extractor of the same id."""
    return tuple(one.distribution for one in offers if one is not offer and id in one.points)
