"""Short keys of a layer that was written for another policy, in which they mean something else."""

from __future__ import annotations

from exitgate.policy.layers.places import DEFAULT
from exitgate.policy.layers.sections import SECTION, parameters_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.policy.compiled import Parameter
    from exitgate.policy.findings import Findings
    from exitgate.policy.layers.choose import Chosen
    from exitgate.policy.layers.elsewhere import Elsewhere
    from exitgate.policy.layers.scopes import Scope

#: Policies in which the keys of the first scheme's file of settings are documented to work as they are.
FAMILY = ("recommended", "bb3")
#: Those keys.
KEYS = ("min_confidence", "min_completion", "max_errors", "stagnation_loops")
#: Types of values that mean nothing without the scale of their policy.
_SCALES = ("percent", "number")

_FAITHFUL = "-faithful"


def foreign_keys(
    scope: Scope, declared: Mapping[str, Parameter], policy: str, elsewhere: Elsewhere, findings: Findings
) -> frozenset[str]:
    """
    Return the short keys of a scope that do not count, because they mean something else here; warn of each.

    A key counts where the policy that decides is the one its layer was written for, and where that one
    has no such parameter, or one of the same meaning: of a share or a score that is said by its
    description, and counts, times and budgets mean the same in every policy.

    Args:
        scope: Settings of one layer.
        declared: The parameters of the policy that decides.
        policy: Its name.
        elsewhere: Knows the parameters of other policies.
        findings: Takes EP448 (warning).
    """
    found: set[str] = set()
    for key, part in parameters_in(scope.section) if scope.written_for is not None else ():
        parameter = declared.get(key)
        other = elsewhere.parameter(str(scope.written_for), key) if parameter is not None else None
        if parameter is None or other is None or _family(other.policy) == _family(policy):
            continue
        kind = parameter.type.kind
        if kind == other.kind and (kind not in _SCALES or parameter.doc == other.doc):
            continue
        found.add(key)
        message = f"`{key}` was set for `{other.policy}`, but means something else in `{policy}`"
        help = f"it has no effect here; to set it, write `policies: {{{policy}: {{{key}: ...}}}}`"
        findings.warning("EP448", message, part.label, help)
    return frozenset(found)


def note_on_family(scopes: Sequence[Scope], chosen: Chosen, findings: Findings) -> None:
    """Note that a section with nothing but the first scheme's keys does not choose that scheme (EP449)."""
    if len(chosen.chain) > 1 or chosen.chain[0].layer != DEFAULT or chosen.reference != FAMILY[0]:
        return
    for scope in scopes:
        keys = [key for key, _ in parameters_in(scope.section)]
        if len(keys) > 1 and set(keys) <= set(KEYS) and scope.section.fields.keys() == set(keys):
            message = f"these are parameters of `{FAMILY[0]}`, which decides if no `policy:` is named"
            help = f"write `policy: {FAMILY[1]}` under `{SECTION}:` for the rules of `{FAMILY[1]}`"
            findings.note("EP449", message, scope.section.label, help)


def _family(policy: str) -> str:
    """Return what two policies share whose parameters of one name mean the same."""
    name = policy.removesuffix(_FAITHFUL)
    return FAMILY[0] if name in FAMILY else name
