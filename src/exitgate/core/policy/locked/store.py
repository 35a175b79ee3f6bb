"""
The user's own store of what was fetched: a folder for each digest, read whole and compared with it each time.

Only `exitgate policies lock` and `update` write there.
"""

from __future__ import annotations

import os

from exitgate.core.policy.locked.files import BYTES, COUNT, DEPTH, TOTAL, Refused, digest_of
from exitgate.core.system import folders, portable, safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.system.portable import Folder


#: Folders beside those of digests: new ones that are not whole yet, and old ones on their way out.
_NEW, _OLD = ".new-", ".old-"


class Missing(Refused):
    """Nothing is kept under a digest."""


def place(environment: Mapping[str, str]) -> str:
    """Return the folder of the store. Raises Refused where the user has no home."""
    try:
        return os.path.join(portable.user_folder(environment, portable.KEPT), "policies")
    except LookupError as error:
        raise Refused(str(error)) from error


def folder_of(digest: str, environment: Mapping[str, str]) -> str:
    """Return the folder of what has a digest, whether it is there or not. Raises Refused."""
    return os.path.join(place(environment), f"sha256-{digest}")


def load(digest: str, environment: Mapping[str, str]) -> dict[str, bytes]:
    """
    Return name -> content of the files that have a digest together.

    Raises:
        Missing: Nothing is kept for it.
        Refused: It has another digest now, or cannot be read safely.
    """
    where = place(environment)
    path = folder_of(digest, environment)
    if not os.path.lexists(path):
        raise Missing("it is not in your store")
    try:
        outer = folders.open_folder(where)
        try:
            top = folders.owned(safe_files.open_folder(os.path.basename(path), within=outer), path)
        finally:
            portable.close(outer)
        try:
            files = dict(_read(top, path, "", 0, [0, 0]))
        finally:
            portable.close(top)
    except folders.Refused as refused:
        raise Refused(str(refused)) from refused
    except OSError as error:
        raise Refused(f"`{path}` cannot be read: {safe_files.trouble(error)}") from error
    if digest_of(files) != digest:
        raise Refused(f"`{path}` was changed after it was fetched")
    return files


def keep(files: Mapping[str, bytes], environment: Mapping[str, str]) -> str:
    """
    Keep files under their digest, and return it; another copy that is sound stays as it is.

    Args:
        files: Name -> content; the names were checked.
        environment: Says where the user's folder is.

    Raises:
        Refused: They cannot be kept.
    """
    import shutil

    digest = digest_of(files)
    try:
        load(digest, environment)
    except Refused:
        where = place(environment)
        path, mark = folder_of(digest, environment), os.urandom(8).hex()
        new = os.path.join(where, f"{_NEW}{mark}")
        try:
            portable.close(folders.open_folder(where, make=True))
            _write(files, new)
            if os.path.lexists(path):
                old = os.path.join(where, f"{_OLD}{mark}")
                portable.replace(path, old)
                shutil.rmtree(old, ignore_errors=True)
            portable.replace(new, path)
        except folders.Refused as refused:
            raise Refused(str(refused)) from refused
        except OSError as error:
            raise Refused(f"`{path}` cannot be written: {safe_files.trouble(error)}") from error
        finally:
            shutil.rmtree(new, ignore_errors=True)
        load(digest, environment)
    return digest


def _write(files: Mapping[str, bytes], top: str) -> None:
    safe_files.make_folder(top)
    for name, content in files.items():
        path = top
        parts = name.split("/")
        for part in parts[:-1]:
            path = os.path.join(path, part)
            safe_files.make_folder(path)
        safe_files.replace(os.path.join(path, parts[-1]), content)


def _read(folder: Folder, path: str, above: str, depth: int, read: list[int]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of an open folder; `read` counts files and bytes."""
    if depth >= DEPTH:
        raise Refused(f"`{path}` was changed after it was fetched")
    for name in sorted(safe_files.names_in(folder)):
        at = os.path.join(path, name)
        try:
            content = folders.read(folder, name, BYTES)
        except folders.Refused:
            inner = folders.owned(safe_files.open_folder(name, within=folder), at)
            try:
                yield from _read(inner, at, f"{above}{name}/", depth + 1, read)
            finally:
                portable.close(inner)
            continue
        read[0] += 1
        read[1] += len(content or b"")
        if content is None or read[0] > COUNT or read[1] > TOTAL:
            raise Refused(f"`{path}` was changed after it was fetched")
        yield above + name, content
