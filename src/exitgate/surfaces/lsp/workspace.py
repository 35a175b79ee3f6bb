"""What is on an editor's desk: open texts before files, and the folders it works in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct

from exitgate.core.policy.reading import reading
from exitgate.core.policy.yaml.document import BYTES_LIMIT
from exitgate.core.system import portable

T = TypeVar("T")


ENDINGS = (".yaml", ".yml")
SETTINGS_FOLDER = ".bb3"
#: Files that are looked through for uses of a name, at most; and folders that are entered.
FILES_LIMIT = 2000
_FOLDERS_LIMIT = 5000
_NONE: Mapping[str, str] = {}


class Workspace(Struct, frozen=True):
    """
    Open texts and the folders of the workspace.

    Args:
        texts: Path with links resolved -> text as the editor shows it.
        roots: Folders of the workspace, absolute.
        uris: Path with links resolved -> what the editor calls an open text.
    """

    texts: Mapping[str, str]
    roots: tuple[str, ...] = ()
    uris: Mapping[str, str] = _NONE

    def reading(self, ask: Callable[[], T]) -> T:
        """Return what `ask` returns while open texts stand in for their files."""
        return reading({path: _bytes(text) for path, text in self.texts.items()}, ask)

    def showing(self, path: str, text: str) -> Workspace:
        """Return the desk with another text at `path`."""
        return Workspace({**self.texts, os.path.realpath(path): text}, self.roots, self.uris)

    def text(self, path: str) -> str | None:
        """Return what a file holds, unsaved changes included; None for one that cannot be read as text."""
        real = os.path.realpath(path)
        if real in self.texts:
            return self.texts[real]
        try:
            if not os.path.isfile(real) or os.path.getsize(real) > BYTES_LIMIT:
                return None
            with open(real, encoding="utf-8", newline="") as file:
                return file.read()
        except (OSError, UnicodeDecodeError, ValueError):
            return None

    def files(self, near: str) -> Iterator[str]:
        """
        Yield the YAML files of the workspace, or of the folder of `near` where there is none, sorted.

        Hidden folders are passed over but that of settings; `FILES_LIMIT` files are named at most.
        """
        found = 0
        roots = [root for root in self.roots if _below(near, root)] or [os.path.dirname(near)]
        for root in roots:
            for number, (folder, below, names) in enumerate(os.walk(root)):
                below[:] = sorted(n for n in below if n == SETTINGS_FOLDER or not n.startswith("."))
                for name in sorted(names):
                    if name.endswith(ENDINGS):
                        yield os.path.join(folder, name)
                        found += 1
                if found >= FILES_LIMIT or number >= _FOLDERS_LIMIT:
                    return

    def owns(self, path: str) -> bool:
        """Return whether a file is open or is in a folder of the workspace."""
        return os.path.realpath(path) in self.texts or any(_below(path, root) for root in self.roots)


def _below(path: str, root: str) -> bool:
    return portable.is_below(os.path.realpath(path), os.path.realpath(root))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
