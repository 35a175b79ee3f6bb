"""
Compiled policies kept in the state directory by their digest.

They are what a past decision is explained with; no check ever decides with one, since whoever can
write the state directory could have changed it.
"""

from __future__ import annotations

import os

from exitgate.ledger.trouble import cannot_write
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.compiled import CompiledPolicy

FOLDER = "policies"
_HEX = frozenset("0123456789abcdef")

#: Code -> what it means.
CODES = {"EP814": "the policy of a past decision is not kept any more"}


def keep(directory: str, policy: CompiledPolicy) -> None:
    """
    Keep `policy` in the state directory, unless it is there already.

    Raises:
        ExitgateError: 73 when it cannot be written.
    """
    path = _path(directory, policy.digest)
    if os.path.lexists(path):
        return
    from exitgate.policy.stored import text_of

    raw = text_of(policy).encode("ascii")
    name = os.path.basename(path)
    try:
        folder = open_folder(os.path.dirname(path))
        try:
            write_whole(folder, name, raw)
        finally:
            os.close(folder)
    except OSError as error:
        raise cannot_write(path, error) from error


def open_folder(path: str) -> int:
    """Return the folder open, made if need be. One that is a link is refused: a repository may hold it."""
    if not os.path.lexists(path):
        os.makedirs(path, mode=0o700, exist_ok=True)
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def write_whole(folder: int, name: str, raw: bytes) -> None:
    """Put a whole file in the place of `name`."""
    temporary = f"{name}.{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(temporary, flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(raw)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        if os.access(temporary, os.F_OK, dir_fd=folder, follow_symlinks=False):
            os.unlink(temporary, dir_fd=folder)
        raise


def kept(directory: str, digest: str) -> CompiledPolicy:
    """
    Return the policy with this digest.

    Raises:
        ExitgateError: 74 when it is not there or cannot be used.
    """
    import json

    from exitgate.policy.stored import from_json

    path = _path(directory, digest)
    try:
        with open(path, "rb") as file:
            policy = from_json(json.loads(file.read()))
    except (OSError, LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _lost(path, digest, error) from error
    if policy.digest != digest:
        raise _lost(path, digest, ValueError("it holds another policy"))
    return policy


def _path(directory: str, digest: str) -> str:
    # A digest comes from a ledger line: nothing but hex digits may become part of a path.
    name = digest if digest and _HEX.issuperset(digest) else "unnamed"
    return os.path.join(directory, FOLDER, f"{name[:128]}.json")


def _lost(path: str, digest: str, error: Exception) -> ExitgateError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    message = f"the policy this was decided with (digest {digest[:16]}) is not at `{path}`: {why.lower()}"
    help = "explain a later decision, or the files themselves with the policy of that time"
    return ExitgateError([Diagnostic("EP814", message, help=help)], CANNOT_READ)
