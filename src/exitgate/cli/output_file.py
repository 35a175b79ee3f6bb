"""What a command found in a file of the user's choice: written whole or not at all, over nothing it read."""

from __future__ import annotations

import os
from stat import S_IMODE

from exitgate import system
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_WRITE, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


STDOUT = "-"
YAML = (".yaml", ".yml")
#: Below these are devices and what is open, by name: never replaced, only written to.
_OPEN = ("/dev/", "/proc/")


def is_stdout(path: str) -> bool:
    """Return whether `path` is ``-``, or another name of what stdout writes to, such as ``/dev/stdout``."""
    if path == STDOUT:
        return True
    try:
        return os.path.samestat(os.stat(path), os.fstat(1))
    except (OSError, ValueError):
        return False


def check_output(path: str, read: Iterable[str]) -> None:
    """
    Raise `ExitgateError` where `path` is one of the files that are `read` (64), or cannot be written (73).

    A file in YAML that is there counts as read: it is a policy, or one that policies are made of, and no
    result is in YAML. To be asked before anything takes long.
    """
    if os.path.isdir(path):
        problem = Diagnostic("EP862", f"`{path}` is a folder", help="name a file in it: `-o FOLDER/FILE`")
        raise ExitgateError([problem], CANNOT_WRITE)
    if not path:
        raise ExitgateError([Diagnostic("EP862", "`-o` names no file", help="`-` is stdout")], CANNOT_WRITE)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        problem = Diagnostic("EP862", f"there is no folder `{folder}`", help="create it first")
        raise ExitgateError([problem], CANNOT_WRITE)
    for other in read:
        if os.path.isfile(other) and os.path.exists(path) and os.path.samefile(other, path):
            message = f"`-o {path}` would overwrite `{other}`, which is an input"
            raise ExitgateError([Diagnostic("EP861", message, help="name another file")], USAGE)
    if os.path.isfile(path) and os.path.realpath(path).lower().endswith(YAML):
        message = f"`-o {path}` would overwrite a YAML file with output that is not YAML"
        raise ExitgateError([Diagnostic("EP861", message, help="name another file")], USAGE)
    target = path if _is_open(path) else os.path.dirname(os.path.realpath(path))
    if os.path.exists(target) and not os.access(target, os.W_OK):
        message = f"cannot write `{path}`: `{target}` is not writable"
        raise ExitgateError([Diagnostic("EP862", message, help="name another place")], CANNOT_WRITE)


def write_output(path: str, content: bytes) -> None:
    """
    Write a file, with the mode of the one whose place it takes; a link keeps pointing.

    Raises `ExitgateError` (73).
    """
    try:
        if _is_open(path):
            with open(path, "wb") as file:
                file.write(content)
        else:
            _replace(os.path.realpath(path), content)
    except OSError as error:
        message = f"cannot write `{path}`: {error.strerror}"
        problem = Diagnostic("EP862", message, help="check its folder and the room on the disk")
        raise ExitgateError([problem], CANNOT_WRITE) from error


def _is_open(path: str) -> bool:
    """Return whether a pipe or a device takes what is written to it, or something that is open already."""
    return os.path.exists(path) and (not os.path.isfile(path) or os.path.abspath(path).startswith(_OPEN))


def _replace(path: str, content: bytes) -> None:
    import tempfile

    mode = S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0o666 & ~_umask()
    descriptor, new = tempfile.mkstemp(prefix=".exitgate-", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(new, mode)
        system.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
