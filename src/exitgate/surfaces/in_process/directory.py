"""Where a gate keeps its ledger and looks for a project."""

from __future__ import annotations

import os

from exitgate.core.model.value import Value
from exitgate.surfaces.in_process.iteration import refuse, wrong_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    StateDir: TypeAlias = "str | os.PathLike[str] | Temporary | None"
    from typing import Final


#: Where layers are looked for by a gate without a project: no folder, so none is found.
NO_PROJECT = os.devnull


class Directory(Value):
    """
    The folders of a gate, as absolute paths.

    Args:
        layers: From where settings are looked for.
        root: Where files are looked for and views are written.
        ledger: The state directory, or None for the one below the root.
        not_looked_for: Sources of which no file is looked for where a caller gives none. A response never
            is: a file of one would be left over from some other loop.
    """

    __slots__ = ("layers", "ledger", "not_looked_for", "root")

    def __init__(
        self, layers: str, root: str, ledger: str | None, not_looked_for: tuple[str, ...] = ("response",)
    ) -> None:
        self.layers = layers
        self.root = root
        self.ledger = ledger
        self.not_looked_for = not_looked_for


def directory_of(owner: object, root: str | os.PathLike[str] | None, state_dir: StateDir) -> Directory:
    """
    Return the folders for what a caller gave; a temporary one is made where need be and goes with `owner`.

    Args:
        owner: The gate.
        root: Folder of the project, or None where there is none.
        state_dir: Folder of the ledger, `TEMPORARY`, or None.

    Raises:
        ExitgateError: 64, EP589, for what is not a path, and for a root that is not a folder: a project whose
            name was mistyped would get a ledger of its own, and an empty history.
    """
    refuse(
        [*wrong_kind("root", root, os.PathLike), *wrong_kind("state_dir", state_dir, os.PathLike, Temporary)]
    )
    if root is not None and not os.path.isdir(root):
        refuse([f"`root` is `{os.fsdecode(root)}`, which is not a folder"])
    kept = None if state_dir is None or isinstance(state_dir, Temporary) else os.path.abspath(state_dir)
    if root is not None and not isinstance(state_dir, Temporary):
        project = os.path.abspath(root)
        return Directory(project, project, kept)
    folder = folder_for(owner)
    if root is not None:
        project = os.path.abspath(root)
        return Directory(project, project, folder)
    return Directory(NO_PROJECT, folder, folder if kept is None else kept, ("response", "plan", "task"))


# A ledger that lasts as long as its gate.


class Temporary(Value):
    """The kind of `TEMPORARY`."""

    def __repr__(self) -> str:
        return "exitgate.TEMPORARY"


#: As `state_dir`: a private folder below the system's for temporary files, removed with its gate or when
#: the process ends in order. A killed process leaves it there.
TEMPORARY: Final = Temporary()


def folder_for(owner: object) -> str:
    """
    Make a folder only this user can read, and return its path; it is removed when `owner` is gone.

    Raises:
        ExitgateError: 73 when no folder can be made.
    """
    import tempfile
    import weakref

    try:
        path = tempfile.mkdtemp(prefix="exitgate-")
    except OSError as error:
        from exitgate.core.ledger.file import cannot_write

        raise cannot_write(error.filename or "a temporary folder", error) from error
    weakref.finalize(owner, _remove, path, os.getpid())
    return path


def _remove(path: str, maker: int) -> None:
    """Remove the folder; the child of a fork leaves that to the process that made it."""
    if os.getpid() == maker:
        import shutil

        shutil.rmtree(path, ignore_errors=True)
