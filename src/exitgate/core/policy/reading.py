"""What files of policies, lexicons and settings hold, and which of a folder are policies."""

from __future__ import annotations

import os
from contextvars import ContextVar

from exitgate.core.policy.yaml.document import BYTES_LIMIT
from exitgate.core.system import safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    T = TypeVar("T")


class Unreadable(Exception):  # noqa: N818 - becomes a diagnostic
    """A file cannot be read; the text says why."""


def read_bytes(path: str) -> bytes:
    """
    Return what a regular file holds, at most one byte more than `BYTES_LIMIT`.

    What an editor has not saved yet goes before the file (`reading`).

    Raises:
        FileNotFoundError: The file does not exist.
        Unreadable: It is a directory, a FIFO, a device, a circle of links, or may not be read.
    """
    edited = unsaved(path)
    if edited is not None:
        return edited[: BYTES_LIMIT + 1]
    try:
        return safe_files.beginning(path, BYTES_LIMIT + 1, links=True)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unreadable(reason[:1].lower() + reason[1:]) from error


# The policy that a folder means: its `policy.yaml`, else the only file in it that is a policy.

FILE_NAME = "policy.yaml"
ENDINGS = (".yaml", ".yml")
#: A policy file has this key at the beginning of a line.
KEY = b"policy:"
#: Files of a folder that are looked into; a folder with more is not a folder of policies.
MOST = 200


def policies_in(folder: str) -> list[str]:
    """Return the names of the policy files in a folder: ``policy.yaml`` alone where there is one."""
    try:
        names = sorted(name for name in safe_files.names(folder, links=True) if name.endswith(ENDINGS))
    except OSError:
        return []
    return [FILE_NAME] if FILE_NAME in names else [n for n in names[:MOST] if _is_policy(folder, n)]


def _is_policy(folder: str, name: str) -> bool:

    try:
        content = read_bytes(os.path.join(folder, name))
    except (Unreadable, OSError):
        return False
    return content.startswith(KEY) or b"\n" + KEY in content


# Texts that stand in for files: what an editor shows, or a fix would write, before it is written.

_NOTHING: Mapping[str, bytes] = {}
_TEXTS: ContextVar[Mapping[str, bytes]] = ContextVar("exitgate_unsaved", default=_NOTHING)


def reading(texts: Mapping[str, bytes], ask: Callable[[], T]) -> T:
    """
    Return what `ask` returns while every file of `texts` holds what is said there, and others as before.

    Args:
        texts: Path with links resolved -> content. Files that are missing may be among them.
        ask: Reads policies, lexicons or settings.
    """
    token = _TEXTS.set({**_TEXTS.get(), **texts})
    try:
        return ask()
    finally:
        _TEXTS.reset(token)


def unsaved(path: str) -> bytes | None:
    """Return what is read instead of the file at `path`, None for the file itself."""
    texts = _TEXTS.get()
    try:
        return texts.get(os.path.realpath(path)) if texts else None
    except ValueError:  # a name that no file can have
        return None
