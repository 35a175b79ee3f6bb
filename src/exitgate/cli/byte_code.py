"""
Imports of exitgate's own modules by the shortest way to their byte code.

A check imports some eighty small files, and half of that time goes into looking for them: every
import asks each finder of Python, then the entries of a path. The program knows where its modules
are. What is odd in any way (no byte code yet, an older one, a zip file) goes Python's own way
(`docs/decisions/0302-start-of-a-check.md`).
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

_PACKAGE = "exitgate."
_HEAD = 16
#: Bytes read at once; most modules have fewer.
_PIECE = 1 << 15
_EMPTY_FLAGS = MAGIC_NUMBER + bytes(4)


class _Read(SourceFileLoader):
    """Python's loader of source files, with the code at hand."""

    code: CodeType | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code that was read while the module was looked for; later, what Python finds."""
        code, self.code = self.code, None
        return code or super().get_code(fullname)


class Finder:
    """
    Finds modules below a package whose byte code is as new as their source.

    Args:
        root: Folder of the package.
        tag: What is between a module's name and ``.pyc``.
    """

    def __init__(self, root: str, tag: str) -> None:
        self._root = root
        self._ending = f".{tag}.pyc"

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Return the module's spec with its code, or None: then Python looks for it."""
        if not name.startswith(_PACKAGE):
            return None
        folder, _, last = (self._root + name[len(_PACKAGE) - 1 :].replace(".", "/")).rpartition("/")
        found = self._read(folder, last)
        if found is not None:
            return _spec(name, *found)
        folder = f"{folder}/{last}"
        found = self._read(folder, "__init__")
        if found is None:
            return None
        spec = _spec(name, *found)
        spec.submodule_search_locations = [folder]
        return spec

    def _read(self, folder: str, name: str) -> tuple[str, str, CodeType] | None:
        """Return paths of source and byte code, and the code; None where that one is missing or older."""
        source, compiled = f"{folder}/{name}.py", f"{folder}/__pycache__/{name}{self._ending}"
        try:
            status = os.stat(source)
            raw = _content(compiled)
        except OSError:
            return None
        stamp = int(status.st_mtime).to_bytes(8, "little")[:4] + status.st_size.to_bytes(8, "little")[:4]
        if raw[:_HEAD] != _EMPTY_FLAGS + stamp:
            return None
        code: CodeType = loads(memoryview(raw)[_HEAD:])  # noqa: S302  byte code, as Python's own import reads it
        return (source, compiled, code) if code.co_filename == source else None


def _content(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        raw = os.read(file, _PIECE)
        while len(raw) % _PIECE == 0 and (more := os.read(file, _PIECE)):
            raw += more
        return raw
    finally:
        os.close(file)


def _spec(name: str, source: str, compiled: str, code: CodeType) -> ModuleSpec:
    loader = _Read(name, source)
    loader.code = code
    spec = ModuleSpec(name, loader, origin=source)
    spec.has_location = True
    spec.cached = compiled
    return spec


def shorten() -> None:
    """Let this process import exitgate's modules the short way, unless it was told to do anything special."""
    tag = sys.implementation.cache_tag
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    plain = tag and not sys.flags.optimize and sys.pycache_prefix is None and not sys.flags.verbose
    if plain and not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder(root, str(tag)))
