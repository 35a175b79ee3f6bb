"""A folder that is the user's own: found, made, checked, read and written without following links."""

from __future__ import annotations

import os
import posixpath

from exitgate.core.system import portable, safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.core.system.portable import Folder


#: Bits of a mode that let others write.
_OTHERS_WRITE = 0o022


#: Folders of git and of the settings in a project: no probe writes there.
OWN = (".git", ".bb3")
#: The file that pins policies of packages and repositories, from the folder of the project.
LOCK_FILE = ".bb3/policies.lock"


class Refused(Exception):  # noqa: N818 - becomes a note, never an error of the check
    """The folder, or a file in it, cannot be used; the text says why, in words for a note."""


def place(environment: Mapping[str, str]) -> str:
    """
    Return the path of the user's cache folder: EXITGATE_CACHE_DIR, else below XDG_CACHE_HOME or ``~/.cache``.

    Raises:
        Refused: It is switched off by an empty EXITGATE_CACHE_DIR, is not absolute, or there is no home.
    """
    named = environment.get("EXITGATE_CACHE_DIR")
    if named is not None:
        if not named:
            raise Refused("it is switched off: EXITGATE_CACHE_DIR is empty")
        if not os.path.isabs(named):
            raise Refused(f"EXITGATE_CACHE_DIR `{named}` is not an absolute path")
        return named
    try:
        return portable.user_folder(environment, portable.CACHES)
    except LookupError as error:
        raise Refused(str(error)) from error


def open_folder(path: str, make: bool = False) -> Folder:
    """
    Return an open folder that only its owner, this user, can write.

    Args:
        path: Absolute.
        make: Make it, and what is missing above it, with mode 0700.

    Raises:
        Refused: It is missing, a link, another user's, or others may write in it.
    """
    try:
        folder = safe_files.open_folder(path)
    except FileNotFoundError:
        if not make:
            raise Refused(f"there is no folder `{path}`") from None
        return _made(path)
    except (OSError, ValueError) as error:
        raise Refused(f"`{path}` is not a real folder: {_reason(error)}") from error
    return owned(folder, path)


def read(folder: Folder, name: str, limit: int) -> bytes | None:
    """
    Return what a file of the folder holds, None when there is none.

    Raises:
        Refused: It is a link, no regular file, another user's, others may write it, or it has more
            than `limit` bytes.
    """
    try:
        file = safe_files.reading(name, folder=folder, limit=limit)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"`{name}` cannot be read: {_reason(error)}") from error
    try:
        _check_owner(os.fstat(file), name)
        return os.read(file, limit)
    except OSError as error:
        raise Refused(f"`{name}` cannot be read: {_reason(error)}") from error
    finally:
        os.close(file)


def write(folder: Folder, name: str, content: bytes) -> None:
    """
    Replace `name` by a whole file, mode 0600; readers see the old one or the new one.

    Raises:
        Refused: It cannot be written; nothing is left behind.
    """
    try:
        safe_files.replace(name, content, folder=folder)
    except OSError as error:
        raise Refused(f"it cannot be written: {_reason(error)}") from error


def touch(folder: Folder, name: str) -> None:
    """Note that a file of the folder was used now; without permission it is left as it is."""
    try:
        portable.touch_at(name, folder)
    except OSError:
        return


def remove(folder: Folder, name: str) -> None:
    """Remove a file of the folder; one that another process removed first, or may not go, is left to it."""
    try:
        portable.remove_at(name, folder)
    except OSError:
        return


def _made(path: str) -> Folder:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if not os.path.lexists(path):
            os.mkdir(path, 0o700)
        folder = safe_files.open_folder(path)
    except FileExistsError:
        return open_folder(path)  # another process made it just now
    except OSError as error:
        raise Refused(f"`{path}` cannot be created: {_reason(error)}") from error
    return owned(folder, path)


def owned(folder: Folder, path: str) -> Folder:
    """Return an open folder that is this user's alone; another is closed, and Refused raised."""
    try:
        _check_owner(portable.status_of(folder), path)
    except Refused:
        portable.close(folder)
        raise
    return folder


def _check_owner(status: os.stat_result, path: str) -> None:
    if portable.owner(status) != portable.user():
        raise Refused(f"`{path}` belongs to another user")
    if portable.rights(status) & _OTHERS_WRITE:
        raise Refused(f"other users can write to `{path}`")


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return text[:1].lower() + text[1:]


# Which files a policy may name: those of its repository, or of its own folder where there is none.
#
# A policy can come with a repository that somebody else wrote, and a diagnostic quotes the file that it is
# about. So `extends:`, `lexicon:`, `circuit: {from:}` and `views:` reach no further than that repository,
# regardless of `..`, absolute paths or links. A file that the user names may be anywhere.


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
    return any(portable.is_below(real, folder) for folder in folders)


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


# From a folder upward to the root of its repository: where files of a project are looked for.


def folders_up(root: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders that may hold files of a project, nearest first; the last is the root."""
    start = os.path.realpath(root)
    home = os.path.realpath(home_of(environment))
    owners = {portable.user(), _owner(start)}
    found: list[str] = []
    folder = start
    while folder == start or (folder != home and _owner(folder) in owners):
        found.append(folder)
        if os.path.lexists(os.path.join(folder, ".git")):
            return tuple(found)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return (start,)


def home_of(environment: Mapping[str, str]) -> str:
    """Return the home folder, absolute."""
    home = environment.get("USERPROFILE" if portable.WINDOWS else "HOME", "")
    return home if os.path.isabs(home) else os.path.expanduser("~")


def _owner(folder: str) -> int:
    try:
        return portable.owner(os.stat(folder))
    except OSError:
        return -1
