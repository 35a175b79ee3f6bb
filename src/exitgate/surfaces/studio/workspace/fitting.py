"""A draft whose text has changed: what it says of names that the text no longer has is left out."""

from __future__ import annotations

from msgspec import structs

from exitgate.surfaces.studio.workspace.policies import LARGEST, Draft, Origin
from exitgate.surfaces.studio.workspace.refusal import refusal


def check_size(text: str) -> None:
    """Raise `ExitgateError` (65) for a text that is too large for a policy's file."""
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
        raise refusal(f"the text has more than {LARGEST} bytes", "make it shorter")


def fitting(origin: Origin, draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """
    Return the draft without what names a parameter or rule that its text does not have, and those names.

    Raises:
        ExitgateError: With all that is wrong with the text; it is too large.
    """
    if draft.text is not None:
        check_size(draft.text)
    said = [*draft.values, *draft.before, *draft.before.values(), *draft.disabled, *draft.shadow]
    if draft.text is None or not said:
        return draft, ()
    policy = origin.settled(Draft(text=draft.text)).policy
    rules = {rule.id for rule in policy.rules}
    fits = Draft(
        {name: value for name, value in draft.values.items() if name in policy.parameters},
        {rule: other for rule, other in draft.before.items() if {rule, other} <= rules},
        tuple(rule for rule in draft.disabled if rule in rules),
        tuple(rule for rule in draft.shadow if rule in rules),
        draft.text,
    )
    if structs.astuple(fits) == structs.astuple(draft):
        return draft, ()
    known = rules | set(policy.parameters)
    return fits, tuple(dict.fromkeys(name for name in said if name not in known))
