"""
Whether an extractor of another package may run: the one answer for checks and for `exitgate plugins`.

A dot in the id makes it an extractor of another package. One distribution must offer it, fit to be allowed;
the user has allowed that very distribution; and its files are as they were then.
"""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.plugins import metadata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.plugins.allowed import Permission
    from exitgate.plugins.installed import Offer

#: Codes of diagnostics: not allowed, offered by none or several, cannot be allowed, changed.
NOT_ALLOWED, NOT_OFFERED, PROBLEM, CHANGED = "EP890", "EP891", "EP892", "EP893"


class State(Value):
    """
    What holds for a distribution, or for one of its extractors.

    Args:
        code: Of the diagnostic; empty where it may run.
        why: Why it may not, as a sentence part behind the name of the distribution.
        permission: What the user allowed, where it may run.
    """

    __slots__ = ("code", "permission", "why")

    def __init__(self, code: str, why: str, permission: Permission | None = None) -> None:
        self.code = code
        self.why = why
        self.permission = permission


def permission_of(name: str, permissions: Mapping[str, Permission]) -> Permission | None:
    """Return what the user allowed of a distribution, however its name is spelled."""
    wanted = metadata.key(name)
    return next((one for told, one in permissions.items() if metadata.key(told) == wanted), None)


def of_distribution(offer: Offer | None, permission: Permission | None, folders: Sequence[str]) -> State:
    """
    Return the state of a distribution.

    Args:
        offer: As it is installed; None where it is not.
        permission: What the user allowed under its name; None for nothing.
        folders: Those of the project (`exitgate.plugins.project`).
    """
    if offer is None:
        return State(NOT_OFFERED, "is not installed outside the project, or offers no extractor")
    if offer.problem:
        return State(PROBLEM, offer.problem)
    if permission is None:
        return State(NOT_ALLOWED, "is not allowed")
    why = permission.why_not(folders)
    if not why and (permission.root, permission.points) != (offer.root, offer.points):
        why = "is another one than you allowed"
    return State(CHANGED, why) if why else State("", "", permission)


def others_with(id: str, offer: Offer, offers: Sequence[Offer]) -> tuple[str, ...]:
    """Return the names of the other distributions that offer an extractor of the same id."""
    return tuple(one.distribution for one in offers if one is not offer and id in one.points)
