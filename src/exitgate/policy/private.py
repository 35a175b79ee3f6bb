"""A folder that is the user's own: found, made, checked, read and written without following links."""

from __future__ import annotations

import os

from exitgate import opening, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.system import Folder

#: Bits of a mode that let others write.
_OTHERS_WRITE = 0o022


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
        return system.user_folder(environment, system.CACHES)
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
        folder = opening.open_folder(path)
    except FileNotFoundError:
        if not make:
            raise Refused(f"there is no folder `{path}`") from None
        return _made(path)
    except (OSError, ValueError) as error:
        raise Refused(f"`{path}` is not a real folder: {_reason(error)}") from error
    return _owned(folder, path)


def read(folder: Folder, name: str, limit: int) -> bytes | None:
    """
    Return what a file of the folder holds, None when there is none.

    Raises:
        Refused: It is a link, no regular file, another user's, others may write it, or it has more
            than `limit` bytes.
    """
    try:
        file = opening.reading(name, folder=folder, limit=limit)
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
        opening.replace(name, content, folder=folder)
    except OSError as error:
        raise Refused(f"it cannot be written: {_reason(error)}") from error


def touch(folder: Folder, name: str) -> None:
    """Note that a file of the folder was used now; without permission it is left as it is."""
    try:
        system.touch_at(name, folder)
    except OSError:
        return


def remove(folder: Folder, name: str) -> None:
    """Remove a file of the folder; one that another process removed first, or may not go, is left to it."""
    try:
        system.remove_at(name, folder)
    except OSError:
        return


def _made(path: str) -> Folder:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if not os.path.lexists(path):
            os.mkdir(path, 0o700)
        folder = opening.open_folder(path)
    except FileExistsError:
        return open_folder(path)  # another process made it just now
    except OSError as error:
        raise Refused(f"`{path}` cannot be created: {_reason(error)}") from error
    return _owned(folder, path)


def _owned(folder: Folder, path: str) -> Folder:
    try:
        _check_owner(system.status_of(folder), path)
    except Refused:
        system.close(folder)
        raise
    return folder


def _check_owner(status: os.stat_result, path: str) -> None:
    if system.owner(status) != system.user():
        raise Refused(f"`{path}` belongs to another user")
    if system.rights(status) & _OTHERS_WRITE:
        raise Refused(f"other users can write to `{path}`")


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return text[:1].lower() + text[1:]
