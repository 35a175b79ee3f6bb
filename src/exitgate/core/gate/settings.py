"""The policy of a request, with the layers of settings applied. On the path of every check."""

from __future__ import annotations

from exitgate.core.model.diagnostic import WARNING, Diagnostic, Location
from exitgate.core.policy.cache import load
from exitgate.core.settings.files import SettingsRequest, bare, texts
from exitgate.core.state.discover import DEFAULT_POLICY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.cache import Loaded, Seen
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.settings.files import SettingsRequest
    from exitgate.core.state.request import Request


def asked_of(request: Request) -> SettingsRequest:
    """Return what a request asks of the layers; the environment is the process's own."""
    return SettingsRequest(
        DEFAULT_POLICY, request.policy, request.settings, request.root, layer=request.layer
    )


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
    from exitgate.core.settings.provenance import CODES

    found = [
        warning
        for warning in policy.warnings
        if isinstance(warning, Diagnostic) and warning.severity == WARNING and warning.code in CODES
    ]
    return tuple(
        f"{one.place}: {one.message}" if one.place is not None else one.message
        for one in (*found, *expired(policy, now))
    )


# A policy with all layers applied, from the user's cache where nothing it was made of has changed.


def recall_settled(asked: SettingsRequest) -> Loaded:
    """
    Return the policy of `exitgate.core.settings.load.load_settled`, and how it was had.

    The files of all layers count as read, and the places where there was none as looked at.

    Raises:
        ExitgateError: As `load_settled`.
    """

    nothing_at = bare(asked)

    def make(seen: Seen) -> CompiledPolicy:
        from exitgate.core.settings.load import load_settled

        policy = load_settled(asked, seen).policy
        if nothing_at:
            seen.leave_out(nothing_at)
        return policy

    # what is read where no folder matters is there for all of them
    return load(["bare" if nothing_at else "layers", *texts(asked, folder=not nothing_at)], make)


# Exceptions with a last day. On the path of a check: it only compares texts.


def expired(policy: CompiledPolicy, now: float) -> tuple[Diagnostic, ...]:
    """
    Return a warning for each change of a rule whose last day has passed.

    It still holds: a date never changes a decision.

    Args:
        policy: Its `layers` say which changes have a last day.
        now: Seconds since the epoch; days are those of UTC.
    """
    entries = policy.layers.get("until", [])
    if not entries:
        return ()
    from time import gmtime

    year, month, day = gmtime(now)[:3]
    today = f"{year:04}-{month:02}-{day:02}"
    assert isinstance(entries, list)
    found = []
    for rule, until, mode, place in entries:
        if until < today:
            what = "is disabled" if mode == "disabled" else f"is in mode `{mode}`"
            message = f"rule `{rule}` {what} until {until}, which has passed; it is still in force"
            help = "remove the exception, or give it a new date and reason"
            where = Location.from_json(place) if place is not None else None
            found.append(Diagnostic("EP479", message, where, help, WARNING))
    return tuple(found)
