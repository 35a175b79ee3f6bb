"""The stand-in for a policy that cannot be used: settings are checked with it, so no fault waits."""

from __future__ import annotations

import os

from exitgate.policy import shipped
from exitgate.policy.findings import Findings
from exitgate.policy.library import Library, is_path
from exitgate.policy.merged import Merged, read_merged
from exitgate.policy.part import Part
from exitgate.policy.suggestion import nearest_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.layers.choose import Chosen
    from exitgate.policy.layers.places import Asked

#: Codes of layers of which nothing at all could be used.
UNREADABLE = frozenset((
    "EP100", "EP101", "EP102", "EP103", "EP104", "EP108", "EP109", "EP111", "EP114", "EP811",
))  # fmt: skip
#: Codes on rules, lists, facts and profiles that a policy must have.
_ENTRIES = frozenset(("EP448", "EP449", "EP455", "EP456", "EP473", "EP478", "EP484", "EP485", "EP487"))
#: Codes on names and types in conditions and messages.
_MEANING = frozenset((
    "EP401", "EP402", "EP403", "EP405", "EP407", "EP408", "EP409", "EP410", "EP411", "EP445", "EP454",
    "EP458", "EP459", "EP462", "EP464", "EP471", "EP474", "EP481",
))  # fmt: skip
#: Codes that say something only about settings for a policy of which every name is known.
ABOUT_NAMES = _ENTRIES | _MEANING | {"EP468"}


def stand_in(chosen: Chosen, rest: Merged | None, asked: Asked, findings: Findings) -> Merged:
    """
    Return the stand-in that settings are checked with if a policy cannot be used.

    That is what can be used of it, or the shipped policy of the nearest name, or else the default one.
    Findings take nothing any more that may be false of the policy that is meant.

    Args:
        chosen: Who named which policy.
        rest: What is left of the policy, None where it does not exist.
        asked: Names the default policy.
        findings: Has the reason already.
    """
    if rest is not None:
        findings.leave_out(_ENTRIES)
        return rest if "policy" in rest.root.fields else _named(rest)
    named = str(chosen.chain[-1].value)
    near = None if is_path(named) else nearest_name(named, shipped.policies())
    if near is None:
        # Where a name was given, a shipped policy is meant, and keys of all of them are known.
        findings.leave_out(ABOUT_NAMES if is_path(named) else ABOUT_NAMES - {"EP468", "EP473", "EP487"})
    reference = near or (asked.default if asked.default in shipped.policies() else "recommended")
    merged = read_merged(reference, Library(Findings()), Findings())
    assert merged is not None
    return merged


def _named(rest: Merged) -> Merged:
    """Return what is left of a policy whose own name is missing or bad, under the name of its file."""
    file = os.path.basename(rest.file)
    name = Part(os.path.splitext(file)[0], rest.root.place)
    root = rest.root.with_fields({"policy": name, **rest.root.fields})
    return Merged(rest.file, root, rest.rules, rest.broken)
