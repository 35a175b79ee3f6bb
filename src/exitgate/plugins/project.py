"""Which folders are the project's: nothing is imported from there, and no permission is read from there."""

from __future__ import annotations

import os

from exitgate import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def folders_of(*places: str) -> tuple[str, ...]:
    """
    Return the folders, without links, of the projects that places are in, and the working folder.

    Each is the place itself and the nearest folder upward with `.git`. The home folder and the root of the
    file system never count, even if the user works in them.
    """
    found: dict[str, None] = {}
    for place in (*places, _here()):
        at = _real(place) if place else ""
        if not at:
            continue
        found[at] = None
        while os.path.dirname(at) != at and not os.path.lexists(os.path.join(at, ".git")):
            at = os.path.dirname(at)
        found[at] = None
    home = _real(os.path.expanduser("~"))
    return tuple(one for one in found if os.path.dirname(one) != one and one != home)


def is_inside(path: str, folders: Iterable[str]) -> bool:
    """Return whether a path, as it is written or with links resolved, is one of the folders or below one."""
    written, real = os.path.abspath(path), _real(path)
    # something in it, so that the folder itself counts, too
    within = [os.path.join(one, "_") for one in (written, real)]
    return any(system.is_below(one, folder) for folder in folders for one in within)


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder is gone
        return ""


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:
        return os.path.abspath(path.replace("\0", ""))
