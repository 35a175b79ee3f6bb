"""Texts that stand in for files: what an editor shows, or a fix would write, before it is written."""

from __future__ import annotations

import os
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    T = TypeVar("T")

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
    """Return what stands in for the file at `path`, None where nothing does."""
    texts = _TEXTS.get()
    try:
        return texts.get(os.path.realpath(path)) if texts else None
    except ValueError:  # a name that no file can have
        return None
