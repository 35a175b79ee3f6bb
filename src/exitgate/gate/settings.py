"""The policy of a request, with the layers of settings applied. On the path of every check."""

from __future__ import annotations

from exitgate.gate.discover import DEFAULT_POLICY
from exitgate.model.diagnostic import WARNING, Diagnostic
from exitgate.policy.layers.places import Asked
from exitgate.policy.layers.recall import recall_settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.request import Request
    from exitgate.policy.compiled import CompiledPolicy


def asked_of(request: Request) -> Asked:
    """Return what a request asks of the layers; the environment is the process's own."""
    return Asked(DEFAULT_POLICY, request.policy, request.settings, request.root)


def policy_of(request: Request) -> CompiledPolicy:
    """
    Return the policy that decides on a request, from the user's cache where nothing has changed.

    Raises:
        ExitgateError: 65, with everything that is wrong in the layers and in the policy.
    """
    return recall_settled(asked_of(request)).policy


def remarks_on(policy: CompiledPolicy, now: float) -> tuple[str, ...]:
    """Return what a user should know about the layers: warnings on them, exceptions out of date."""
    if not policy.warnings and not policy.layers.get("until"):
        return ()
    from exitgate.policy.layers.codes import CODES
    from exitgate.policy.layers.exceptions import expired

    found = [
        warning
        for warning in policy.warnings
        if isinstance(warning, Diagnostic) and warning.severity == WARNING and warning.code in CODES
    ]
    return tuple(
        f"{one.place}: {one.message}" if one.place is not None else one.message
        for one in (*found, *expired(policy, now))
    )
