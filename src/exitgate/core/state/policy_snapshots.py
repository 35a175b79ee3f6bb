"""
Compiled policies kept in the state directory by their digest.

They are what a past decision is explained with; no check ever decides with one, since anyone who can
write the state directory could have changed it.
"""

from __future__ import annotations

import os

from exitgate.core.ledger.file import cannot_write
from exitgate.core.model.decision import CANNOT_READ
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.system import safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.compiled import CompiledPolicy


FOLDER = "policies"
#: Bytes of the largest compiled policy.
LARGEST = 64_000_000
_HEX = frozenset("0123456789abcdef")

#: Code -> what it means.
CODES = {"EP814": "the policy of a past decision is no longer kept"}


def keep(directory: str, policy: CompiledPolicy) -> None:
    """
    Keep `policy` in the state directory, unless it is there already.

    Raises:
        ExitgateError: 73 when it cannot be written.
    """
    path = _path(directory, policy.digest)
    if os.path.lexists(path):
        return
    from exitgate.core.policy.serialized import text_of

    try:
        safe_files.replace_in(*os.path.split(path), text_of(policy))
    except OSError as error:
        raise cannot_write(path, error) from error


def kept(directory: str, digest: str) -> CompiledPolicy:
    """
    Return the policy with this digest.

    Raises:
        ExitgateError: 74 when it does not exist or cannot be used.
    """
    from exitgate.core.policy.serialized import policy_from

    path = _path(directory, digest)
    try:
        policy = policy_from(safe_files.content_in(*os.path.split(path), LARGEST))
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
    why = getattr(error, "strerror", None) or str(error)
    message = f"the policy this was decided with (digest {digest[:16]}) is not at `{path}`: {why.lower()}"
    help = "explain a later decision, or explain the files with that version of the policy"
    return ExitgateError([Diagnostic("EP814", message, help=help)], CANNOT_READ)
