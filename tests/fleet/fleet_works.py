"""Work that workers of a cluster can load."""

from __future__ import annotations

import os
import time
from importlib.util import find_spec
from pathlib import Path

from exitgate.recordings.discovery import Found


def name(found: Found) -> str:
    return Path(found.place.path).stem


def died(found: Found) -> str:
    return f"{name(found)} died"


class DiesOnce:
    """Kills its worker over one transcript, the first time."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, found: Found) -> str:
        mark = Path(self.folder) / "died"
        if name(found) == "run-03" and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), 9)
        return name(found)


def poisoned(found: Found) -> str:
    """Kill the worker over two transcripts, each time."""
    if name(found) in ("run-02", "run-05"):
        os.kill(os.getpid(), 9)
    return name(found)


class Waits:
    """The first transcript is done after the last one."""

    def __init__(self, folder: str, last: str) -> None:
        self.folder = folder
        self.last = last

    def __call__(self, found: Found) -> str:
        mark = Path(self.folder) / "last"
        if name(found) == self.last:
            mark.touch()
        while name(found) == "run-00" and not mark.exists():
            time.sleep(0.01)
        return name(found)


def fails(found: Found) -> str:
    raise LookupError(name(found))


def where(_: Found) -> str:
    return f"{os.getpid()} {os.getcwd()}"


def finds(_: Found) -> str:
    """Return where a worker would import a module of the working folder from."""
    spec = find_spec("planted_in_the_folder")
    return str(spec and spec.origin)
