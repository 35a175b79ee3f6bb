"""The settings that count while one policy decides, from low to high."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy import shipped
from exitgate.policy.findings import Findings
from exitgate.policy.layers.places import PROJECT
from exitgate.policy.layers.sections import OUTER, SHARED, parameters_in
from exitgate.policy.library import Library
from exitgate.policy.merged import read_merged
from exitgate.policy.parameters import apply_profile, read_parameters
from exitgate.policy.part import Part
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.layers.documents import Layer


class Scope(Value):
    """
    Settings of one layer.

    Args:
        kind: Its kind.
        section: The mapping.
        type: The project's type where it says one.
        written_for: Reference of the policy that decides as far as this layer and those below it say,
            where that is another than the one that does; None for settings of one policy, too.
    """

    __slots__ = ("kind", "section", "type", "written_for")

    def __init__(
        self, kind: str, section: Part, type: Part | None = None, written_for: str | None = None
    ) -> None:
        self.kind = kind
        self.section = section
        self.type = type
        self.written_for = written_for


def scopes_of(
    layers: Sequence[Layer], policy: str, written_for: Sequence[str | None], findings: Findings
) -> tuple[Scope, ...]:
    """
    Return the settings of every layer, and behind each those it has for `policy` alone.

    Args:
        layers: From low to high.
        policy: Name of the policy that decides.
        written_for: For each layer the policy that it takes for that one, None where it is right.
        findings: Takes EP201 for keys that settings for one policy cannot have, and EP485 for names
            of unknown policies.
    """
    found: list[Scope] = []
    for layer, other in zip(layers, written_for, strict=True):
        found.append(Scope(layer.read.layer, layer.section, _type(layer), other))
        policies = layer.section.get("policies")
        for name, part in policies.fields.items() if policies is not None else ():
            for key in OUTER & part.fields.keys():
                message = f"`{key}` is not allowed in settings for one policy"
                findings.error("EP201", message, part.fields[key].label, "move it up, beside `policies:`")
            if name == policy:
                rest = {key: inner for key, inner in part.fields.items() if key not in OUTER}
                found.append(Scope(layer.read.layer, part.with_fields(rest)))
            elif name in shipped.policies():
                _look_at(part, name, findings)
            else:
                names = [policy, *shipped.policies()]
                message = f"settings for `{name}`, which is neither shipped nor the policy in force"
                findings.warning("EP485", message, part.label, suggestion(name, names, "policies"))
    return tuple(found)


def _look_at(part: Part, policy: str, findings: Findings) -> None:
    """Warn of parameters set for a shipped policy that is not in force, which it would refuse."""
    own = Findings()
    merged = read_merged(policy, Library(own), own)
    assert merged is not None
    declared, broken = read_parameters(merged.root.get("parameters"), own)
    apply_profile(declared, part.with_fields(dict(parameters_in(part))), own, broken)
    for found in own.sorted():
        help = f"{found.help}; it counts if `{policy}` decides" if found.help else ""
        findings.warning(found.code, found.message, found.place, help)


def _type(layer: Layer) -> Part | None:
    shared = layer.root.get(SHARED)
    part = shared.get("type") if shared is not None and layer.read.layer == PROJECT else None
    return part if part is not None and isinstance(part.value, str) else None
