"""
The one way to open what others can write: state directories, recordings, responses, plans, settings.

A repository, an agent or a neighbour may replace any of them with a link, a pipe, a socket, a device or a
file without end. So everything here opens without waiting, takes regular files and folders alone, and makes
nothing through a link. What is refused is an `OSError` whose `strerror` says why, for people.
`O_*` flags appear in this module alone; a platform that lacks one goes without. Windows has none that
refuses links or waiting: there a path is looked at before it is opened and once more after that.
"""

from __future__ import annotations

import errno
import os
import stat

from exitgate.core.system import portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from exitgate.core.system.portable import Folder


_CLOEXEC, _NOFOLLOW = getattr(os, "O_CLOEXEC", 0), getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK, _NOCTTY = getattr(os, "O_NONBLOCK", 0), getattr(os, "O_NOCTTY", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_ALWAYS = _CLOEXEC | _NONBLOCK | _NOCTTY | _BINARY
_KINDS = {
    stat.S_IFDIR: "it is a directory",
    stat.S_IFIFO: "it is a pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFLNK: "it is a link",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}
#: Errors that do not say what is in the way: there is a link, a socket, or a pipe without a reader.
_UNCLEAR = frozenset((errno.ELOOP, errno.ENXIO, errno.EMLINK, errno.ENOTDIR, errno.EEXIST, errno.EOPNOTSUPP))
_PIECE = 1 << 20
#: Reads from a descriptor. The resident process has its client read standard input, which is read once only.
reads: Callable[[int, int], bytes] = os.read


def reading(path: str, *, links: bool = False, folder: Folder | None = None, limit: int | None = None) -> int:
    """
    Return a descriptor to read a regular file.

    Args:
        path: The file.
        links: Whether it may be a link. The caller has seen to it that the link stays where it may lead, or
            the user named this very file.
        folder: The open folder that the path starts from.
        limit: Bytes of the largest file that is taken.

    Raises:
        OSError: It is missing, no regular file, too large (EFBIG), or may not be read.
    """
    return _opened(path, os.O_RDONLY, 0, folder, limit, links)


def content(path: str, limit: int, *, links: bool = False, folder: Folder | None = None) -> bytes:
    """Return all of a regular file of at most `limit` bytes. Args and errors as for `reading`."""
    descriptor = reading(path, links=links, folder=folder, limit=limit)
    try:
        return all_of(descriptor, limit)
    finally:
        os.close(descriptor)


def content_in(place: str, name: str, limit: int) -> bytes:
    """Return all of the file `name` of a folder; neither may be a link. Errors as for `reading`."""
    at = open_folder(place)
    try:
        return content(name, limit, folder=at)
    finally:
        portable.close(at)


def replace_in(place: str, name: str, raw: bytes) -> None:
    """Put a whole file in a folder, made if need be, that is not a link; as `replace`."""
    make_folder(place)
    at = open_folder(place)
    try:
        replace(name, raw, folder=at)
    finally:
        portable.close(at)


def beginning(path: str, limit: int, *, links: bool = False) -> bytes:
    """Return the first `limit` bytes of a regular file, however large. Args and errors as for `reading`."""
    descriptor = reading(path, links=links)
    try:
        return os.read(descriptor, limit)
    finally:
        os.close(descriptor)


def all_of(descriptor: int, limit: int) -> bytes:
    """
    Return what can be read, no matter what size the file claimed. Raises OSError (EFBIG) beyond `limit`.
    """
    pieces: list[bytes] = []
    size = 0
    while piece := reads(descriptor, min(_PIECE, limit + 1 - size)):
        size += len(piece)
        if size > limit:
            raise _too_large(limit, None)
        pieces.append(piece)
    return b"".join(pieces)


def stream(path: str, *, links: bool = False, limit: int | None = None, buffering: int = -1) -> BinaryIO:
    """Return a regular file open for reading bytes. Args and errors as for `reading`."""
    return open(reading(path, links=links, limit=limit), "rb", buffering=buffering)


def writing(
    path: str,
    *,
    make: bool = True,
    new: bool = False,
    append: bool = False,
    empty: bool = False,
    read: bool = False,
    folder: Folder | None = None,
    mode: int = 0o600,
    limit: int | None = None,
) -> int:
    """
    Return a descriptor to write a regular file, never through a link.

    Args:
        path: The file.
        make: Make it where it is missing.
        new: Refuse one that is there (FileExistsError).
        append: Write at its end, no matter what others write.
        empty: Drop what it holds.
        read: Read from it, too.
        folder: The open folder that the path starts from.
        mode: Permissions of a file that is made.
        limit: Bytes of the largest file that is taken.

    Raises:
        OSError: It is missing or there against the arguments, no regular file, or may not be written.
    """
    flags = os.O_RDWR if read else os.O_WRONLY
    flags |= os.O_CREAT if make or new else 0
    flags |= os.O_EXCL if new else 0
    flags |= os.O_APPEND if append else 0
    descriptor = _opened(path, flags, mode, folder, limit, False)
    if empty:
        try:
            os.ftruncate(descriptor, 0)
        except BaseException:
            os.close(descriptor)
            raise
    return descriptor


def write_all(descriptor: int, raw: bytes) -> None:
    """Write all of `raw`. Raises OSError."""
    left = memoryview(raw)
    while left:
        left = left[os.write(descriptor, left) :]


def replace(
    path: str, raw: bytes, *, folder: Folder | None = None, mode: int = 0o600, whole_mode: bool = False
) -> None:
    """
    Put a whole file instead of `path`; readers see the old one or the new one.

    A link there is replaced, not followed. With `whole_mode` the file, in an open folder, has just these
    permissions, regardless of the umask. Raises OSError; then nothing is left behind.
    """
    temporary = f"{path}.{os.urandom(8).hex()}.part"
    descriptor = writing(temporary, new=True, folder=folder, mode=mode)
    try:
        try:
            write_all(descriptor, raw)
        finally:
            os.close(descriptor)
        if whole_mode and folder is not None:
            portable.set_rights_at(temporary, folder, mode)
        portable.replace_at(temporary, path, folder)
    except OSError:
        try:
            portable.remove_at(temporary, folder)
        except OSError as error:
            raise error from None
        raise


def open_folder(path: str, *, links: bool = False, within: Folder | None = None) -> Folder:
    """
    Return a folder that is there, open; `exitgate.core.system.portable.close` closes it.

    Args:
        path: The folder.
        links: Whether it may be a link, as for `reading`.
        within: The open folder that the path starts from.

    Raises:
        OSError: It is missing, no folder, or may not be read.
    """
    path = portable.without_end(path)
    if portable.WINDOWS:
        path = os.path.abspath(os.path.join(within, path) if isinstance(within, str) else path)
        if _looked(path, None, links, stat.S_IFDIR) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return path
    flags = os.O_RDONLY | _DIRECTORY | _ALWAYS | (0 if links else _NOFOLLOW)
    try:
        return portable.open_at(path, flags, 0, within)
    except OSError as error:
        raise _clear(error, path, within, links, stat.S_IFDIR) from error


def make_folder(path: str, mode: int = 0o700) -> bool:
    """
    Make a folder, with those above it where they are missing; return whether it was missing.

    Raises:
        OSError: It cannot be made, or something else is there, a link to a folder included.
    """
    path = portable.without_end(path)
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        above = os.path.dirname(path)
        if above:
            os.makedirs(above, exist_ok=True)
        try:
            os.mkdir(path, mode)
        except FileExistsError:
            return make_folder(path, mode)  # another process was faster
        return True
    if not stat.S_ISDIR(found.st_mode) or portable.leads_elsewhere(found):
        raise OSError(errno.ENOTDIR, _kind_of(found), path)
    return False


def make_folder_in(name: str, folder: Folder) -> None:
    """Make a folder in an open one where nothing of that name is there. Raises OSError."""
    try:
        portable.make_folder_at(name, folder)
    except FileExistsError:
        return


def names(path: str, *, links: bool = False) -> list[str]:
    """Return the names in a folder, which may be a link where `links` says so. Raises OSError."""
    folder = open_folder(path, links=links)
    try:
        return os.listdir(folder)
    finally:
        portable.close(folder)


def names_in(folder: Folder) -> list[str]:
    """Return the names in an open folder. Raises OSError."""
    return os.listdir(folder)


def is_link(path: str) -> bool:
    """Return whether a link is at `path`, wherever it leads."""
    try:
        return portable.leads_elsewhere(os.lstat(portable.without_end(path)))
    except (OSError, ValueError):
        return False


def sync_folder(path: str) -> None:
    """Have the entries of a folder on the disk; Windows sees to that itself. Raises OSError."""
    folder = open_folder(path, links=True)
    try:
        if isinstance(folder, int):
            os.fsync(folder)
    finally:
        portable.close(folder)


def _opened(path: str, flags: int, mode: int, folder: Folder | None, limit: int | None, links: bool) -> int:
    flags |= _ALWAYS | (0 if links else _NOFOLLOW)
    if portable.WINDOWS and not flags & os.O_EXCL:
        _looked(path, folder, links, stat.S_IFREG)
    try:
        descriptor = portable.open_at(path, flags, mode, folder)
    except OSError as error:
        raise _clear(error, path, folder, links, stat.S_IFREG) from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        wrong = _refused(status, path)
    elif limit is not None and status.st_size > limit:
        wrong = _too_large(limit, path)
    elif portable.WINDOWS and not _is_still(path, folder, links, status):
        wrong = OSError(errno.EAGAIN, "it was replaced while it was opened", path)
    else:
        return descriptor
    os.close(descriptor)
    raise wrong


def _is_still(path: str, folder: Folder | None, links: bool, opened: os.stat_result) -> bool:
    """Return whether the file that was opened is the one at the path, and no link is there."""
    try:
        found = _looked(path, folder, links, stat.S_IFREG)
    except OSError:
        return False
    return found is not None and os.path.samestat(found, opened)


def _looked(path: str, folder: Folder | None, links: bool, wanted: int) -> os.stat_result | None:
    """
    Return the status of what Windows is about to open, None where nothing is there.

    Raises:
        OSError: It is not a file or folder as `wanted`, or a link where none may be.
    """
    if portable.is_device(path):
        raise OSError(errno.EINVAL, _KINDS[stat.S_IFCHR], path)
    try:
        found = portable.status_at(path, folder, links)
    except FileNotFoundError:
        return None
    if stat.S_IFMT(found.st_mode) == wanted and (links or not portable.leads_elsewhere(found)):
        return found
    if wanted == stat.S_IFDIR:
        raise OSError(errno.ENOTDIR, _kind_of(found), path)
    raise _refused(found, path)


def _clear(error: OSError, path: str, folder: Folder | None, links: bool, wanted: int) -> OSError:
    """Return the error, with what is in the way where the system's own words do not say it."""
    if error.errno not in _UNCLEAR:
        return error
    try:
        found = portable.status_at(path, folder, links)
    except OSError:
        return error
    if stat.S_IFMT(found.st_mode) == wanted or isinstance(error, FileExistsError):
        return error
    number = error.errno if error.errno is not None else errno.EINVAL
    return OSError(number, _kind_of(found), path)


def _refused(status: os.stat_result, path: str) -> OSError:
    number = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
    return OSError(number, _kind_of(status), path)


def _kind_of(status: os.stat_result) -> str:
    if portable.leads_elsewhere(status):
        return _KINDS[stat.S_IFLNK]
    return _KINDS.get(stat.S_IFMT(status.st_mode), "it is a regular file")


def trouble(error: OSError) -> str:
    """Return what an error of the system, or of this module, says, as a sentence part."""
    said = error.strerror or str(error)
    return said[:1].lower() + said[1:]


def _too_large(limit: int, path: str | None) -> OSError:
    size = f"{limit // 1_000_000} MB" if limit >= 1_000_000 else f"{limit} bytes"
    return OSError(errno.EFBIG, f"it is larger than {size}", path)
