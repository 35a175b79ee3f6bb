"""Exceptions with a last day. On the path of a check: it only compares texts."""

from __future__ import annotations

from exitgate.model.diagnostic import WARNING, Diagnostic
from exitgate.model.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.compiled import CompiledPolicy


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
            where = Place.from_json(place) if place is not None else None
            found.append(Diagnostic("EP479", message, where, help, WARNING))
    return tuple(found)
