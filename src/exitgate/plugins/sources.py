"""
Imports of a process that runs an extractor: from sources alone, so that what runs is what was allowed.

Python takes compiled code for that of a source if the second of its last change and its size agree. So such a
file can be another's, or of the source as it was; no digest covers it. Here nothing outside Python's own
library is read from one, and none is written.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import PathEntryFinder
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

NOT_OF_IT = "`{}` was imported from `{}`, which is not of the distribution"


class SourceAlone(SourceFileLoader):
    """Python's loader of sources, without compiled files."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the source as it is now."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def read_alone(root: str, library: Sequence[str], module: str, files: Sequence[str]) -> None:
    """
    Let this process import sources and extension modules only, outside Python's own library.

    Args:
        root: Folder that the distribution is imported from.
        library: Folders of Python's library.
        module: Of the extractor: the package that it is in, and all of that, comes from `files`.
        files: Paths of the files of the distribution, without links.
    """
    top, allowed = module.partition(".")[0], frozenset(files)

    class Finder(FileFinder):
        def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
            spec = super().find_spec(fullname, target)
            if spec is not None and spec.has_location and fullname.partition(".")[0] == top:
                file = os.path.realpath(str(spec.origin))
                if file not in allowed:
                    raise ImportError(NOT_OF_IT.format(fullname, file))
            return spec

    hook = Finder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (SourceAlone, SOURCE_SUFFIXES))

    def hook_of(path: str) -> PathEntryFinder:
        if not _is_below(path, root) and any(_is_below(path, one) for one in library):
            raise ImportError("of the library", path=path)
        return hook(path)

    sys.dont_write_bytecode = True
    sys.path_hooks.insert(0, hook_of)
    for path in [one for one in sys.path_importer_cache if _is_below(one, root)]:
        del sys.path_importer_cache[path]


def _is_below(path: str, folder: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(folder, ""))
