"""Where a gate keeps its ledger and looks for a project."""

from __future__ import annotations

import os

from exitgate.model.value import Value
from exitgate.surfaces.in_process.iteration import refuse, wrong_kind
from exitgate.surfaces.in_process.temporary import Temporary, folder_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    StateDir = str | os.PathLike[str] | Temporary | None

#: Where layers are looked for by a gate without a project: no folder, so none is found.
NO_PROJECT = os.devnull


class Places(Value):
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


def places_of(owner: object, root: str | os.PathLike[str] | None, state_dir: StateDir) -> Places:
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
        return Places(project, project, kept)
    folder = folder_for(owner)
    if root is not None:
        project = os.path.abspath(root)
        return Places(project, project, folder)
    return Places(NO_PROJECT, folder, folder if kept is None else kept, ("response", "plan", "task"))
