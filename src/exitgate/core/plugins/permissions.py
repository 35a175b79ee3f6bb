"""
What the user allowed: a file of the user's own, which no project, preset or policy can name.

`exitgate plugins allow` writes it beside the settings. It holds, by name of the distribution, the digest of
its files.
"""

from __future__ import annotations

import os
import stat

from exitgate.core.model.json_object import object_of
from exitgate.core.model.value import Value
from exitgate.core.system import portable, safe_files
from exitgate.core.system.digest import blake2b
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    #: Path below the root, bytes, and what writing changes: two times in nanoseconds, number of the inode.
    Stamp = tuple[str, int, int, int, int]
    from collections.abc import Iterable


NAME = "plugins.json"
FORM = 1
_LIMIT = 8_000_000
_OTHERS_WRITE = 0o022
#: Seconds that a change waits for another one.
WAIT = 10.0


class Permission(Value):
    """
    One distribution that the user allowed.

    Args:
        distribution, version: As it calls itself.
        digest: Of its files.
        root: Folder that it is imported from, without links.
        tops: Its files and folders directly below the root.
        points: Id of an extractor -> its module.
        files: Stamps of its files when it was allowed.
    """

    __slots__ = ("digest", "distribution", "files", "points", "root", "tops", "version")

    def __init__(
        self,
        distribution: str,
        version: str,
        digest: str,
        root: str,
        tops: Sequence[str],
        points: Mapping[str, str],
        files: Sequence[Stamp] | Sequence[list[Any]],
    ) -> None:
        self.distribution = distribution
        self.version = version
        self.digest = digest
        self.root = root
        self.tops = tuple(tops)
        self.points = dict(points)
        self.files: tuple[Stamp, ...] = tuple(
            (str(path), int(size), int(written), int(changed), int(node))
            for path, size, written, changed, node in files
        )

    def why_not(self, folders: Sequence[str]) -> str:
        """
        Return why it may not run now, as a sentence part behind its name; empty where it may.

        Args:
            folders: Those of the project (`exitgate.core.plugins.permissions`): nothing is imported from
            there.
        """
        if os.path.realpath(self.root) != self.root:
            return "is behind a link by now"
        if is_inside(self.root, folders):
            return "is inside the project, from where nothing is imported"
        try:
            same = is_same(self.root, self.tops, self.files, self.digest)
        except Unfit as unfit:
            return f"cannot be checked: {unfit}"
        return "" if same else "changed since you allowed it"


def place(environment: Mapping[str, str]) -> str:
    """Return the path of the file, whether it exists or not."""
    return os.path.join(portable.settings_folder(environment), NAME)


def read(environment: Mapping[str, str], folders: Sequence[str]) -> dict[str, Permission]:
    """
    Return what the user allowed, by distribution.

    Raises:
        Unfit: The file is not the user's alone: inside the project, another user's, writable by others, a
            link; or it is not one that `exitgate plugins allow` wrote.
    """
    path = place(environment)
    if is_inside(path, folders) and os.path.lexists(path):
        raise Unfit(f"`{path}` is inside the project; permissions are the user's own")
    try:
        descriptor = safe_files.reading(path, limit=_LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise Unfit(f"`{path}` cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        above = os.path.dirname(path)
        for one, status in ((path, os.fstat(descriptor)), (above, os.stat(above))):
            if portable.owner(status) != portable.user() or portable.rights(status) & _OTHERS_WRITE:
                raise Unfit(f"other users can write to `{one}`, which `chmod go-w` would end")
        raw = safe_files.all_of(descriptor, _LIMIT)
    finally:
        os.close(descriptor)
    try:
        plain: Any = object_of(loads(raw.decode("utf-8")))
        assert plain["form"] == FORM
        return {name: _permission(name, one) for name, one in plain["allowed"].items()}
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError) as error:
        raise Unfit(f"`{path}` is not as `exitgate plugins allow` writes it") from error


def _permission(name: str, plain: Mapping[str, Any]) -> Permission:
    """Return a permission as it was written. Raises TypeError or AssertionError for anything else."""
    one = Permission(name, **plain)
    texts = (one.version, one.digest, one.root, *one.tops, *one.points, *one.points.values())
    assert all(isinstance(text, str) and "\0" not in text for text in texts)
    assert os.path.isabs(one.root)
    return one


def change(
    environment: Mapping[str, str],
    folders: Sequence[str],
    edit: Callable[[dict[str, Permission]], None],
) -> str:
    """
    Change what is allowed, for this user alone; return the path of the file.

    One process at a time: what another one allowed meanwhile is kept.

    Args:
        environment, folders: As for `read`.
        edit: Changes the permissions, by distribution, as they are now. What it raises is raised.

    Raises:
        Unfit: As `read`.
        OSError: It cannot be written; TimeoutError where another process does not finish.
    """
    import time

    path = place(environment)
    folder = os.path.dirname(path)
    safe_files.make_folder(folder)
    lock = safe_files.writing(os.path.join(folder, f"{NAME}.lock"), read=True)
    try:
        try:
            portable.lock_until(lock, time.monotonic() + WAIT)
        except BlockingIOError:
            raise TimeoutError(f"another process has kept it locked for {WAIT:g} s") from None
        permissions = read(environment, folders)
        edit(permissions)
        plain = {
            one.distribution: {
                key: getattr(one, key) for key in Permission.__slots__ if key != "distribution"
            }
            for one in permissions.values()
        }
        safe_files.replace_in(folder, NAME, dumps({"form": FORM, "allowed": plain}).encode("utf-8"))
    finally:
        os.close(lock)
    return path


# The files of a distribution: listed without links, stamped, and held to the digest that a user allowed.

#: Files of one distribution, bytes of one and of all together.
FILES, FILE_BYTES, BYTES = 5_000, 20_000_000, 100_000_000
#: Folder of compiled files, which no process of ours reads (`exitgate.core.plugins.child`); others there
#: count.
COMPILED = "__pycache__"
#: Bytes of a digest.
DIGEST = 32
#: Files that an installer writes anew without any change of the distribution.
_OF_INSTALLERS = frozenset(("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"))
_INFO = ".dist-info"


class Unfit(Exception):  # noqa: N818 - becomes a diagnostic, or the reason of unknown facts
    """The files cannot be trusted; the text says why, as a sentence part."""


def stamps(root: str, tops: Sequence[str]) -> tuple[Stamp, ...]:
    """
    Return the stamp of each file of a distribution, sorted by path; compiled files of Python are left out.

    Args:
        root: The folder that modules are imported from, without links.
        tops: Names of files and folders directly below it.

    Raises:
        Unfit: One of them is missing, a link or neither file nor folder, or they are too many.
    """
    found: list[Stamp] = []
    for top in sorted(tops):
        for path, status in _below(root, top):
            found.append((path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino))
            if len(found) > FILES:
                raise Unfit(f"it has more than {FILES} files")
    if sum(one[1] for one in found) > BYTES:
        raise Unfit(f"its files have more than {BYTES // 1_000_000} MB")
    return tuple(sorted(found))


def digest_of(root: str, files: Sequence[Stamp]) -> str:
    """
    Return the hex digest of the paths and contents of files.

    Raises:
        Unfit: One of them cannot be read, or is a link by now.
    """
    digest = blake2b(digest_size=DIGEST)
    for path, *_ in files:
        try:
            raw = safe_files.content(os.path.join(root, *path.split("/")), FILE_BYTES)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise Unfit(f"its file `{path}` cannot be read: {why}") from error
        name = path.encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b%d:" % (len(name), name, len(raw)))
        digest.update(raw)
    return digest.hexdigest()


def is_same(root: str, tops: Sequence[str], known: Sequence[Stamp], digest: str) -> bool:
    """
    Return whether the files are those of `digest`: at once where no stamp of `known` changed, else read.

    Raises:
        Unfit: As `stamps` and `digest_of`.
    """
    now = stamps(root, tops)
    return now == tuple(known) or digest_of(root, now) == digest


def _below(root: str, path: str) -> Iterator[tuple[str, os.stat_result]]:
    place = os.path.join(root, *path.split("/"))
    try:
        status = os.lstat(place)
        if stat.S_ISREG(status.st_mode):
            yield path, status
            return
        if not stat.S_ISDIR(status.st_mode):
            raise Unfit(f"its `{path}` is a link, or neither a file nor a folder")
        with os.scandir(place) as entries:
            names = sorted(entry.name for entry in entries if not _is_passed_over(path, entry))
    except OSError as error:
        raise Unfit(f"its `{path}` cannot be read: {error.strerror or error}") from error
    for name in names:
        yield from _below(root, f"{path}/{name}")


def _is_passed_over(path: str, entry: os.DirEntry[str]) -> bool:
    """Return whether installers or Python write a file without a change of the distribution."""
    if path.endswith(_INFO):
        return entry.name in _OF_INSTALLERS
    end = entry.name.rpartition(".pyc")[2]  # Python first writes `a.pyc.1234`
    is_compiled = entry.name.endswith(".pyc") or (end[:1] == "." and end[1:].isdigit())
    return is_compiled and path.endswith(f"/{COMPILED}") and entry.is_file(follow_symlinks=False)


# Which folders are the project's: nothing is imported from there, and no permission is read from there.


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
    return any(portable.is_below(one, folder) for folder in folders for one in within)


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
