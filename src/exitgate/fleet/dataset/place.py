"""A folder that a dataset is in: on this machine, or in a store that fsspec reaches."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from exitgate.core.system import portable, safe_files
from exitgate.recordings.location import answered

#: Bytes of the largest part that is read.
LARGEST = 4_000_000_000


class Place(Protocol):
    """
    A folder of files with `/` in their names. Everything raises OSError.

    A file is put whole: readers see the old one or the new one.
    """

    def address(self, name: str) -> str:
        """Return the path or URL of a file."""

    def read(self, name: str) -> bytes | None:
        """Return a file, None where there is none."""

    def put(self, name: str, raw: bytes) -> None:
        """Write a file whole, also over another one."""

    def remove(self, name: str) -> None:
        """Remove a file; one that is gone is fine."""

    def names(self, below: str) -> list[str]:
        """Return all files below a folder, sorted; none where the folder does not exist."""

    def locked(self) -> Any:
        """Return a context that one process at a time is in, as far as the place can tell."""


class LocalPlace:
    """
    A folder of this machine.

    Args:
        path: Made where it is missing.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def address(self, name: str) -> str:
        """Return the path of a file."""
        return os.path.join(self._path, *name.split("/"))

    def read(self, name: str) -> bytes | None:
        """Return a file, None where there is none. Raises OSError."""
        try:
            return safe_files.content(self.address(name), LARGEST)
        except FileNotFoundError:
            return None

    def put(self, name: str, raw: bytes) -> None:
        """Write a file whole. Raises OSError."""
        path = self.address(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        safe_files.replace(path, raw, mode=0o666)

    def remove(self, name: str) -> None:
        """Remove a file. Raises OSError."""
        try:
            os.unlink(self.address(name))
        except FileNotFoundError:
            return

    def names(self, below: str) -> list[str]:
        """Return all files below a folder; links are not followed. Raises OSError."""
        top, found = self.address(below), []
        for folder, _, files in os.walk(top, onerror=_raise):
            inner = portable.with_slashes(portable.relative(folder, self._path))
            found += [posixpath.join(inner, name) for name in files]
        return sorted(found)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Wait until no other process is in it. Raises OSError."""
        os.makedirs(self._path, exist_ok=True)
        descriptor = safe_files.writing(self.address("_lock"), read=True, mode=0o666)
        try:
            portable.lock(descriptor, wait=True)
            yield
        finally:
            os.close(descriptor)


class RemotePlace:
    """
    A folder of a store that fsspec reaches.

    Args:
        system: The fsspec file system.
        path: The folder in it.
        url: Of the folder, as people write it.
    """

    def __init__(self, system: Any, path: str, url: str) -> None:
        self._system = system
        self._path = path.rstrip("/")
        self._url = url.rstrip("/")

    def address(self, name: str) -> str:
        """Return the URL of a file."""
        return f"{self._url}/{name}"

    def read(self, name: str) -> bytes | None:
        """Return a file, None where there is none. Raises OSError."""
        try:
            raw: bytes = answered(self._system.cat_file, f"{self._path}/{name}")
        except OSError as error:
            if _is_missing(error):
                return None
            raise
        return raw

    def put(self, name: str, raw: bytes) -> None:
        """Write a file in one request. Raises OSError."""
        path = f"{self._path}/{name}"
        answered(self._system.makedirs, posixpath.dirname(path), True)
        answered(self._system.pipe_file, path, raw)

    def remove(self, name: str) -> None:
        """Remove a file. Raises OSError."""
        try:
            answered(self._system.rm_file, f"{self._path}/{name}")
        except OSError as error:
            if not _is_missing(error):
                raise

    def names(self, below: str) -> list[str]:
        """Return all files below a folder. Raises OSError."""
        answered(self._system.invalidate_cache)
        try:
            found = answered(self._system.find, f"{self._path}/{below}")
        except OSError as error:
            if _is_missing(error):
                return []
            raise
        start = len(self._path.lstrip("/")) + 1
        return sorted(path.lstrip("/")[start:] for path in found)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Stores have no locks: one process at a time has to be seen to by who starts them."""
        yield


def place_of(target: str) -> Place:
    """
    Return the folder that a path or URL names.

    Raises:
        OSError: No file system is known for it, or its package is missing.
    """
    if "://" not in target:
        return LocalPlace(os.path.abspath(target))
    import fsspec

    system: Any
    system, path = answered(fsspec.core.url_to_fs, target)
    if system.__class__.__name__ == "LocalFileSystem":
        return LocalPlace(path)
    return RemotePlace(system, path, target)


def _is_missing(error: OSError) -> bool:
    """Return whether a file does not exist; fsspec's errors may have no number."""
    return isinstance(error, FileNotFoundError) or isinstance(error.__cause__, FileNotFoundError)


def _raise(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error
