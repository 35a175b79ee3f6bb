"""What a command found in a file of the user's choice: written whole or not at all, over nothing it read."""

from __future__ import annotations

import os

from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_WRITE, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def check_output(path: str, read: Iterable[str]) -> None:
    """
    Raise `ExitgateError` where `path` is one of the files that are `read` (64), or a folder (73).

    To be asked before anything takes long.
    """
    if os.path.isdir(path):
        problem = Diagnostic("EP862", f"`{path}` is a folder", help="name a file in it: `-o FOLDER/FILE`")
        raise ExitgateError([problem], CANNOT_WRITE)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        problem = Diagnostic("EP862", f"there is no folder `{folder}`", help="make it first")
        raise ExitgateError([problem], CANNOT_WRITE)
    for other in read:
        if os.path.isfile(other) and os.path.exists(path) and os.path.samefile(other, path):
            message = f"`-o {path}` would take the place of `{other}`, which is read"
            raise ExitgateError([Diagnostic("EP861", message, help="name another file")], USAGE)


def write_output(path: str, content: bytes) -> None:
    """Write a file. Raises `ExitgateError` (73)."""
    import tempfile

    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # a pipe or a device takes what is written to it
            with open(path, "wb") as file:
                file.write(content)
            return
        descriptor, new = tempfile.mkstemp(prefix=".exitgate-", dir=os.path.dirname(path) or ".")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(new, 0o666 & ~mask)
            os.replace(new, path)
        except BaseException:
            os.unlink(new)
            raise
    except OSError as error:
        message = f"cannot write `{path}`: {error.strerror}"
        problem = Diagnostic("EP862", message, help="check its folder and the room on the disk")
        raise ExitgateError([problem], CANNOT_WRITE) from error
