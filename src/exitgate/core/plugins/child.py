"""
The process in which an extractor of another package runs: one question on standard input, one answer.

It imports nothing of the project: no working folder, no variables of Python, no site; the library, then the
folder of the distribution. It is started anew for each question: nothing is left from one to the next.
"""

from __future__ import annotations

import json
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


#: Bytes of the address space.
_MEMORY = 4 << 30
#: Bytes of an answer.
ANSWER_LIMIT = 4_000_000


def serve() -> int:
    """Read the question, ask the extractor, write the answer; what the extractor prints goes nowhere."""
    asked = json.loads(sys.stdin.buffer.read())
    told = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.chdir(os.sep)
    _limit()
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    library = [one for one in sys.path if one != own]
    sys.path[:] = [*library, asked["root"]]
    read_alone(asked["root"], library, asked["module"], asked["files"])
    try:
        raw = json.dumps({"answer": _answer(asked)}, allow_nan=False)
        fault = f"its answer has {len(raw)} bytes, more than {ANSWER_LIMIT}"
        fault = fault if len(raw) > ANSWER_LIMIT else ""
    except BaseException as error:
        fault = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    told.write((json.dumps({"fault": fault[:300]}) if fault else raw).encode("ascii"))
    told.flush()
    return 0


def _answer(asked: dict[str, object]) -> object:
    from importlib import import_module

    module = import_module(str(asked["module"]))
    file = os.path.realpath(str(module.__file__))
    if file not in asked["files"]:  # type: ignore[operator]
        raise ImportError(NOT_OF_IT.format(asked["module"], file))
    if asked["ask"] == "options":
        return {"options": module.OPTIONS, "source": module.SOURCE, "contract": module.CONTRACT}
    if asked["ask"] == "facts":
        return module.facts(asked["options"])
    return module.extract(asked["source"], asked["options"])


def _limit() -> None:
    try:
        import resource
    except ImportError:  # Windows has none
        return
    for which, wanted in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(which)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(which, (most, most))
        except (
            ValueError,
            OSError,
        ):  # macOS does not bound memory so: time and output are bounded all the same
            continue


# Imports of a process that runs an extractor: from sources alone, so that what runs is what was allowed.
#
# Python takes compiled code for that of a source if the second of its last change and its size agree. So
# such a file can be another's, or of the source as it was; no digest covers it. Here nothing outside
# Python's own library is read from one, and none is written.

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
