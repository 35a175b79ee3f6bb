"""The files of a distribution: listed without links, stamped, and held to the digest that a user allowed."""

from __future__ import annotations

import os
import stat

from exitgate import opening
from exitgate.model.digest import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    #: Path below the root, bytes, and what writing changes: two times in nanoseconds, number of the inode.
    Stamp = tuple[str, int, int, int, int]

#: Files of one distribution, bytes of one and of all together.
FILES, FILE_BYTES, BYTES = 5_000, 20_000_000, 100_000_000
#: Folder of compiled files, which no process of ours reads (`exitgate.plugins.sources`); others there count.
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
            raw = opening.content(os.path.join(root, *path.split("/")), FILE_BYTES)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
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
