"""
What the resident process has in memory, so that its copies need not read it: the modules of a decision.

Each copy tells at its end what it had to load. The process then loads the same, from the same files.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from exitgate.core.system.quick_json import dumps, loads

#: Bytes of what one copy tells: a pipe takes them at once, and never a part of them.
_MOST = 4096
#: Loaded at the beginning: what every check needs.
_FIRST = ("exitgate.cli.main", "exitgate.cli.commands.check", "exitgate.core.gate.check", "re2")


class Warm:
    """
    What is loaded, and whether the files of it are as they were.

    `reads` is ready when a copy has something to say.
    """

    def __init__(self) -> None:
        self._files: dict[str, tuple[int, ...]] = {}
        for name in _FIRST:
            import_module(name)
        self._note()
        self._loaded = set(sys.modules)
        self.reads, self._writes = os.pipe()
        os.set_blocking(self.reads, False)
        os.set_blocking(self._writes, False)

    def changed(self) -> str:
        """Return a file that is another than the one that was loaded, the empty text for none."""
        return next((path for path, was in self._files.items() if _state(path) != was), "")

    def teach(self) -> None:
        """Tell, from a copy, what it loaded beyond what it began with."""
        names = [name for name in sys.modules if name not in self._loaded and name.startswith("exitgate.")]
        raw = dumps(names).encode("ascii") + b"\n"
        if names and len(raw) <= _MOST:
            try:
                os.write(self._writes, raw)
            except OSError:
                return  # the next copy tells it

    def learn(self) -> None:
        """Load what copies had to load."""
        try:
            raw = os.read(self.reads, 16 * _MOST)
        except BlockingIOError:
            return
        for line in raw.splitlines():
            for name in loads(line):
                import_module(name)
                self._note()
        self._loaded = set(sys.modules)
        gc.collect()
        gc.freeze()

    def _note(self) -> None:
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if path and path not in self._files:
                self._files[path] = _state(path)


def _state(path: str) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino
