"""
Distributions that offer extractors: the entry points of the group `exitgate.extractors`.

Only where a policy is compiled, or a user asks. Nothing of a distribution is imported for it, and nothing of
the project is looked at: a repository can hold folders that look like distributions.
"""

from __future__ import annotations

import os
import sys

from exitgate.model.value import Value
from exitgate.plugins.allowed import Permission
from exitgate.plugins.content import Unfit, digest_of, stamps
from exitgate.plugins.project import is_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.metadata import Distribution

GROUP = "exitgate.extractors"


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
    """Return the distributions outside the project that offer extractors, by name; the first of each name."""
    from importlib.metadata import distributions

    found: dict[str, Offer] = {}
    for one in distributions(path=places(folders)[0]):
        points = {point.name: point for point in one.entry_points if point.group == GROUP}
        name = str(one.metadata["Name"] or "")
        if not points or not name or name in found:
            continue
        root = os.path.realpath(str(one.locate_file("")))
        modules = {id: point.value for id, point in points.items()}
        tops = tuple(sorted(set(_tops(one))))
        problem = _problem(one, root, tops, modules, folders)
        found[name] = Offer(name, str(one.version), root, tops, modules, problem)
    return tuple(found[name] for name in sorted(found))


def _problem(
    one: Distribution, root: str, tops: tuple[str, ...], modules: dict[str, str], folders: Sequence[str]
) -> str:
    if is_inside(root, folders):
        return "is inside the project, from where nothing is imported"
    if one.files is None or not tops:
        return "does not list its files: install it with pip"
    for id, module in modules.items():
        first = module.split(".")[0]
        if not all(part.isidentifier() for part in module.split(".")):
            return f"names `{module}` for `{id}`, which is not a module"
        if not any(top in (first, f"{first}.py") for top in tops):
            return f"does not hold the module `{module}` itself: an editable installation cannot be allowed"
    return ""


def _tops(one: Distribution) -> Iterator[str]:
    """Yield the names of what a distribution has directly below its root."""
    for file in one.files or ():
        if (
            file.parts
            and ".." not in file.parts
            and not file.is_absolute()
            and file.parts[0] != "__pycache__"
        ):
            yield file.parts[0]
