"""What layers change in the named lists of a policy."""

from __future__ import annotations

from exitgate.policy.layers.elsewhere import LISTS
from exitgate.policy.layers.places import POLICY
from exitgate.policy.lists import change_list
from exitgate.policy.provenance import Setting
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.layers.elsewhere import Elsewhere
    from exitgate.policy.layers.scopes import Scope
    from exitgate.policy.part import Part
    from exitgate.policy.provenance import Chain


def settle_lists(
    root: Part, scopes: Sequence[Scope], elsewhere: Elsewhere, findings: Findings
) -> tuple[Part, dict[str, Chain]]:
    """
    Return the merged policy with its lists as the layers change them, and who set each.

    Findings take EP460, EP461 and EP473, and EP485 (note) for a list that only another policy has.
    """
    policy = root.fields["policy"].text
    section = root.get("lists")
    lists = dict(section.fields) if section is not None else {}
    chains = {name: [Setting(POLICY, _items(part), part.place)] for name, part in lists.items()}
    for scope in scopes:
        changes = scope.section.get("lists")
        for name, change in changes.fields.items() if changes is not None else ():
            if name in lists:
                lists[name] = change_list(lists[name], change, findings)
                chains[name].append(Setting(scope.kind, _items(lists[name]), change.place))
                continue
            owner = elsewhere.owner(LISTS, name)
            if owner:
                message = f"`{name}` is a list of `{owner}`, not of `{policy}`"
                findings.note("EP485", message, change.label, f"it applies if `{owner}` decides")
            else:
                help = suggestion(name, lists, f"lists of `{policy}`")
                findings.error("EP473", f"`{policy}` has no list `{name}`", change.label, help)
    if section is not None:
        root = root.with_fields({**root.fields, "lists": section.with_fields(lists)})
    return root, {name: tuple(chain) for name, chain in chains.items()}


def _items(part: Part) -> tuple[object, ...]:
    return tuple(item.plain() for item in part.items)
