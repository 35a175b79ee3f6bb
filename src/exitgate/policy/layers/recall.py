"""A policy with all layers applied, from the user's cache where nothing it was made of has changed."""

from __future__ import annotations

from exitgate.policy.cache import load
from exitgate.policy.layers.places import bare, texts

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

    nothing_at = bare(asked)

    def make(seen: Seen) -> CompiledPolicy:
        from exitgate.policy.layers.load import load_settled

        policy = load_settled(asked, seen).policy
        if nothing_at:
            seen.leave_out(nothing_at)
        return policy

    # what is read where no folder matters is there for all of them
    return load(["bare" if nothing_at else "layers", *texts(asked, folder=not nothing_at)], make)
