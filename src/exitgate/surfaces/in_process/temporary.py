"""A ledger that lasts as long as its gate."""

from __future__ import annotations

import os

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


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
        from exitgate.ledger.trouble import cannot_write

        raise cannot_write(error.filename or "a temporary folder", error) from error
    weakref.finalize(owner, _remove, path, os.getpid())
    return path


def _remove(path: str, maker: int) -> None:
    """Remove the folder; the child of a fork leaves that to the process that made it."""
    if os.getpid() == maker:
        import shutil

        shutil.rmtree(path, ignore_errors=True)
