"""A file or folder that transcripts are read from: on this machine, or wherever fsspec reaches."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from errno import EIO
from typing import Any, BinaryIO

from exitgate.core.model.value import Value
from exitgate.core.system import safe_files
from exitgate.recordings.model import Problem

#: Characters of a line beyond which it is cut: nothing that a reader wants is larger.
LINE_LIMIT = 64_000_000
#: Bytes of the largest file that is read; a file of holes may claim any size.
LARGEST = 4_000_000_000


class Location(Value):
    """
    A file or folder.

    Args:
        path: As the user wrote it, or below a folder of theirs; `/` between parts. What people are shown.
        is_folder: Whether it is a folder.
        system: The fsspec file system, None for this machine's own files.
    """

    __slots__ = ("is_folder", "path", "system")

    def __init__(self, path: str, is_folder: bool = False, system: Any = None) -> None:
        self.path = path
        self.is_folder = is_folder
        self.system = system

    @property
    def name(self) -> str:
        """The last part of the path."""
        return posixpath.basename(self.path.rstrip("/"))

    def at(self, name: str, is_folder: bool = False) -> Location:
        """Return the place `name` below this folder; `name` may have `/` in it."""
        return Location(posixpath.join(self.path, name), is_folder, self.system)

    def parent(self) -> Location:
        """Return the folder that this is in."""
        return Location(posixpath.dirname(self.path.rstrip("/")) or ".", True, self.system)

    def exists(self) -> bool:
        """Return whether there is a file of this name. Raises OSError where a remote file system fails."""
        import os

        if self.system is None:
            return os.path.isfile(self.path)
        return bool(answered(self.system.isfile, self.path))

    def open(self) -> BinaryIO:
        """
        Open the file for reading bytes.

        Raises:
            OSError: When it cannot be opened; also for pipes and devices, which may never end.
        """
        if self.system is None:
            return safe_files.stream(self.path, links=True, limit=LARGEST, buffering=1 << 20)
        opened: Any = RemoteFile(answered(self.system.open, self.path, "rb"))
        return opened  # type: ignore[no-any-return]

    def head(self, size: int) -> bytes:
        """Return the first `size` bytes. Raises OSError."""
        with self.open() as file:
            return file.read(size)

    def read(self, limit: int | None = None) -> bytes:
        """Return all bytes, or the first `limit`. Raises OSError."""
        with self.open() as file:
            return file.read() if limit is None else file.read(limit)

    def text(self, limit: int | None = None) -> str:
        """Return the text: UTF-8 without a byte order mark, wrong bytes replaced. Raises OSError."""
        return self.read(limit).decode("utf-8-sig", "replace")

    def lines(self) -> Iterator[bytes]:
        """
        Yield the lines without their ends, one at a time, a byte order mark left out.

        A line of more than `LINE_LIMIT` bytes is cut there; its rest is passed over. Raises OSError.
        """
        with self.open() as file:
            first = True
            while True:
                line = file.readline(LINE_LIMIT)
                if not line:
                    return
                if len(line) == LINE_LIMIT and line[-1:] != b"\n":
                    while (rest := file.readline(LINE_LIMIT)) and rest[-1:] != b"\n":
                        pass
                if first:
                    line, first = line.removeprefix(b"\xef\xbb\xbf"), False
                yield line.rstrip(b"\r\n")

    def names(self) -> tuple[str, ...]:
        """
        Return the names in this folder, sorted; folders have a `/` at the end. Raises OSError.

        Pipes, sockets and devices are left out; links that lead nowhere are files that cannot be opened.
        """
        import os

        if self.system is None:
            with os.scandir(self.path) as entries:
                return tuple(sorted(name for entry in entries if (name := _listed(entry))))
        names: tuple[str, ...] = answered(self._remote_names)
        return names

    def _remote_names(self) -> tuple[str, ...]:
        found = self.system.ls(self.path, detail=True)
        return tuple(
            sorted(
                posixpath.basename(e["name"].rstrip("/")) + "/" * (e["type"] == "directory") for e in found
            )
        )

    def size(self) -> int | None:
        """Return the bytes of the file, None if unknown."""
        import os

        try:
            local = self.system is None
            found: int | None = os.path.getsize(self.path) if local else answered(self.system.size, self.path)
        except OSError:
            return None
        return found


class RemoteFile:
    """
    A file of a file system that fsspec knows, open for reading bytes: it fails with nothing but OSError.

    Args:
        file: What fsspec opened.
    """

    def __init__(self, file: Any) -> None:
        self._file = file

    def __enter__(self) -> RemoteFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[bytes]:
        while line := self.readline():
            yield line

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes, all for -1. Raises OSError."""
        found: bytes = answered(self._file.read, size)
        return found

    def readline(self, size: int = -1) -> bytes:
        """Return a line, or its first `size` bytes. Raises OSError."""
        found: bytes = answered(self._file.readline, size)
        return found

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to an offset in bytes, and return it. Raises OSError."""
        found: int = answered(self._file.seek, offset, whence)
        return found

    def close(self) -> None:
        """Close the file. Raises OSError."""
        answered(self._file.close)


def answered(ask: Callable[..., Any], *arguments: object) -> Any:
    """
    Return what a file system that fsspec knows answers.

    Raises:
        OSError: It failed. Such systems raise anything: errors of a network, of a login, of their own code.
    """
    try:
        return ask(*arguments)
    except OSError as error:
        if error.strerror:
            raise
        failed: Exception = error
    except Exception as error:  # they raise anything
        failed = error
    text = " ".join(str(failed).split())
    raise OSError(EIO, f"{type(failed).__name__}: {text}" if text else type(failed).__name__) from failed


def _listed(entry: os.DirEntry[str]) -> str:
    """Return the name of what is a file or folder, or a link; else the empty text."""
    try:
        if entry.is_dir():
            return f"{entry.name}/"
        return entry.name if entry.is_file() or entry.is_symlink() else ""
    except OSError:  # a link to itself
        return entry.name


# Which files of a folder can be opened: one that cannot is reported, and does not void the others.


def cannot_open(place: Location) -> Problem | None:
    """Return why a file cannot be opened, None where it can."""
    try:
        place.head(1)
    except OSError as error:
        return Problem(place.path, error.strerror or str(error))
    return None
