"""
A fault of exitgate itself in one step of a check: what that step would have found is unknown.

The fault is a warning of the decision and is kept for `exitgate doctor`. It never ends the check: an input
that exitgate cannot read would block its loop for good.
"""

from __future__ import annotations

import os

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


#: Is in every warning about a fault.
FAULT = "a fault of exitgate"


def said(error: Exception) -> str:
    """Return the kind of a fault and where in exitgate it happened: ``IndexError at x.py:12``."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" at {os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}" if place else ""
    return f"{type(error).__name__}{where}"


def source(name: str, read: Callable[[], Source]) -> Source:
    """Return what `read` gives, or a source of that name that says which fault kept it from being read."""
    try:
        return read()
    except ExitgateError:
        raise
    except Exception as error:
        return unread(name, error)


def unread(name: str, error: Exception) -> Source:
    """Return a source that a fault kept from being read: unknown, with a warning."""
    reason = f"{FAULT} kept it from being read: {said(error)}"
    return Source(name, reason=reason, warnings=(reason,))


def is_fault(source: Source) -> bool:
    """Return whether a fault kept a source from being read."""
    return source.reason.startswith(FAULT)


def keep(directory: str, warnings: Iterable[str]) -> None:
    """Keep those of a decision's warnings that are about faults, as incidents of the state directory."""
    for warning in warnings:
        if FAULT in warning:
            from exitgate.core.state.incidents import note

            note(directory, "fault", warning)
