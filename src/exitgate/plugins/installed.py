"""
Distributions that offer extractors: the entry points of the group `exitgate.extractors`.

Only where a policy is compiled, or a user asks. Nothing of a distribution is imported for it, and nothing of
the project is looked at: a repository can hold folders that look like distributions.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES

from exitgate.model.value import Value
from exitgate.plugins import metadata
from exitgate.plugins.allowed import Permission
from exitgate.plugins.content import Unfit, digest_of, stamps
from exitgate.plugins.project import is_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.plugins.metadata import Metadata

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
        for one in metadata.found_in(place):
            name = metadata.key(one.distribution)
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
