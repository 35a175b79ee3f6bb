"""A policy with all layers applied, from the user's cache where nothing it was made of has changed."""

from __future__ import annotations

from exitgate.policy.cache import load
from exitgate.policy.layers.places import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.cache import Loaded
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.layers.places import Asked
    from exitgate.policy.seen import Seen


def recall_settled(asked: Asked) -> Loaded:
    """
    Return the policy of `exitgate.policy.layers.load.load_settled`, and how it was had.

    The files of all layers count as read, and the places where there was none as looked at.

    Raises:
        ExitgateError: As `load_settled`.
    """

    def make(seen: Seen) -> CompiledPolicy:
        from exitgate.policy.layers.load import load_settled

        return load_settled(asked, seen).policy

    return load(["layers", *texts(asked)], make)
