"""
Which files a policy may name: those of its repository, or of its own folder where there is none.

A policy can come with a repository that somebody else wrote, and a diagnostic quotes the file that it
is about. So `extends:`, `lexicon:`, `circuit: {from:}` and
`views:` reach no further than that repository,
regardless of `..`, absolute paths or links. A file that the user names may be anywhere.
"""

from __future__ import annotations

import os
import posixpath

from exitgate import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def reach_of(path: str, base: str) -> tuple[str, ...]:
    """
    Return the folders, with links resolved, that a policy file at `path` may name files in.

    They are the repository that the file is in, or else its folder; for a link those of the link
    and of the file it leads to; and the folder `base` that the user works in, where the file is
    below it. Neither the home folder nor the root of the file system is ever one because of `base`
    or a `.git` in it.
    """
    places = dict.fromkeys((os.path.abspath(path), _real(path)))
    folders = [_real(_top(os.path.dirname(place))) for place in places]
    working = _real(base)
    if is_within(path, (working,)) and not _is_wide(working):
        folders.append(working)
    return tuple(dict.fromkeys(folders))


def is_within(path: str, folders: Iterable[str]) -> bool:
    """Return whether `path`, with links resolved, is below one of `folders`, themselves resolved."""
    real = _real(path)
    return any(system.is_below(real, folder) for folder in folders)


def leads_out(path: str) -> bool:
    """Return whether the written `path` is absolute, begins with `~`, or goes up beyond where it starts."""
    parts = posixpath.normpath(path.replace("\\", "/")).split("/")
    rooted = os.path.isabs(path) or bool(os.path.splitdrive(path)[0]) or path.startswith((os.sep, "/"))
    return rooted or path.startswith("~") or parts[0] == ".."


def _top(folder: str) -> str:
    """Return the nearest folder upward that holds `.git`, or else `folder`."""
    at = folder
    while not _is_wide(_real(at)):
        if "\0" not in at and os.path.lexists(os.path.join(at, ".git")):
            return at
        at = os.path.dirname(at)
    return folder


def _is_wide(folder: str) -> bool:
    """Return whether `folder` is the home folder or the root: all of it is not a repository."""
    return os.path.dirname(folder) == folder or folder == _real(os.path.expanduser("~"))


def _real(path: str) -> str:
    """Return `path` with links resolved; one that no file can have leads nowhere and stays as it is."""
    try:
        return os.path.realpath(path)
    except ValueError:  # a NUL, or half a character
        return os.path.abspath(path)
