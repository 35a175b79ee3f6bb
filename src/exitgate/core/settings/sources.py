"""What layers say under `sources:`: where files are looked for when the command line names none."""

from __future__ import annotations

from exitgate.core.facts.extractors.clock import fault_of
from exitgate.core.model.spelling import nearest_name, suggestion
from exitgate.core.settings.provenance import Setting
from exitgate.core.system.folders import leads_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode
    from exitgate.core.settings.choose import Scope
    from exitgate.core.settings.documents import Layer
    from exitgate.core.settings.provenance import Chain


SOURCES = "sources"
CIRCUIT = "circuit"
#: Sources that every check looks for, no matter what the policy reads.
ALWAYS = ("response", "plan", "task")
#: Sources that a check makes itself, or takes out of the response.
MADE = ("clock", "day", "git", "output", "result", "run", "tampering", "tool_calls", "tool_results")

_HELP = "write a path below the project, such as `docs/TODO.md`"


def with_circuit(root: YamlNode, scope: Scope, findings: Findings) -> YamlNode:
    """Return the merged policy with the file of a breaker that something else keeps, as a scope names it."""
    part = _sources(scope).get(CIRCUIT)
    if part is None:
        return root
    circuit = root.get(CIRCUIT)
    if circuit is None or "from" not in circuit.fields:
        message = f"`{root.fields['policy'].text}` reads no breaker from a file"
        findings.note("EP485", message, part.label, "it applies if a policy has `circuit: {from: FILE}`")
        return root
    if part.items:
        findings.error("EP203", "expected one path, got a list", part.place, "write the path itself")
        return root
    changed = circuit.with_fields({**circuit.fields, "from": part})
    return root.with_fields({**root.fields, CIRCUIT: changed})


def sources_of(root: YamlNode) -> frozenset[str]:
    """Return the sources that the entries under `facts:` name with `from:`."""
    section = root.get("facts")
    entries = section.fields.values() if section is not None else ()
    return frozenset(entry.fields["from"].text for entry in entries if "from" in entry.fields)


def settle_sources(
    scopes: Sequence[Scope], policy: str, read: Collection[str], findings: Findings
) -> dict[str, Chain]:
    """
    Return source -> who said where it is; values are tuples of paths from the root of the project.

    Args:
        scopes: Settings from low to high.
        policy: Name of the policy, for messages.
        read: The sources that its facts are read from.
        findings: Takes EP444 for paths that lead out of the project, EP487 and EP485 (note) for
            sources that the policy does not read.
    """
    found: dict[str, Chain] = {}
    for scope in scopes:
        for name, part in _sources(scope).items():
            paths = part.items or (part,)
            for path in paths:
                if leads_out(path.text):
                    findings.error("EP444", f"`{path.text}` leads out of the project", path.place, _HELP)
            if name == CIRCUIT:
                continue
            if name in MADE:
                message = f"source `{name}` is not read from a file"
                help = "a check computes it, or takes it from the response"
                findings.error("EP487", message, part.label, help)
            elif name not in ALWAYS and name not in read:
                _report(name, part, policy, read, findings)
            setting = Setting(scope.kind, tuple(path.text for path in paths), part.place)
            found[name] = (*found.get(name, ()), setting)
    return found


def _sources(scope: Scope) -> Mapping[str, YamlNode]:
    part = scope.section.get(SOURCES)
    return part.fields if part is not None else {}


def _report(name: str, part: YamlNode, policy: str, read: Collection[str], findings: Findings) -> None:
    names = sorted({*read, *ALWAYS, CIRCUIT}.difference(MADE))
    message = f"no fact of `{policy}` is read from a source `{name}`"
    if nearest_name(name, names) is not None:
        findings.error("EP487", message, part.label, suggestion(name, names, "sources"))
    else:
        findings.note("EP485", message, part.label, f"sources: {', '.join(f'`{one}`' for one in names)}")


# What layers say under `zone:`: the time zone of facts that name none of their own.

ZONE = "zone"
#: Extractors whose facts depend on the time zone.
LOCAL = ("clock", "day")


def settle_zone(scopes: Sequence[Scope], findings: Findings) -> Chain:
    """
    Return who named the time zone, from low to high; nothing where no layer did.

    Args:
        scopes: Settings from low to high.
        findings: Takes EP507 for a name that no time zone has.
    """
    chain: Chain = ()
    for scope in scopes:
        part = scope.section.get(ZONE)
        if part is None:
            continue
        fault = fault_of(part.text)
        if fault is not None:
            findings.error("EP507", fault[0], part.place, fault[1])
        chain = (*chain, Setting(scope.kind, part.text, part.place))
    return chain


def with_zone(policy: CompiledPolicy, chain: Chain) -> CompiledPolicy:
    """Return the policy with the zone in force in each entry that depends on one and names none."""
    if not chain:
        return policy
    zone = chain[-1].value
    extractions = tuple(
        entry.but(options={**entry.options, ZONE: zone})
        if entry.extractor in LOCAL and ZONE not in entry.options
        else entry
        for entry in policy.extractions
    )
    return policy.but(extractions=extractions)


# What the layers say of agent hooks: whether sessions here are loops, and how often a stop is held back.

HOOKS = "hooks"


def hooks_of(layers: Sequence[Layer]) -> dict[str, object]:
    """
    Return the settings under `hooks:`, key by key from the highest layer that has it.

    Keys and values are as `schemas/config.schema.json` says; empty where no layer speaks of hooks.
    """
    return {key: chain[-1].value for key, chain in chains_of(layers).items()}


def chains_of(layers: Sequence[Layer]) -> dict[str, Chain]:
    """Return key -> what the layers say of it below `hooks:`, from low to high."""
    found: dict[str, Chain] = {}
    for layer in layers:
        part = layer.section.get(HOOKS)
        for key, inner in part.fields.items() if part is not None else ():
            if not key.startswith("x-"):
                value = tuple(item.text for item in inner.items) if inner.items else inner.value
                setting = Setting(layer.read.layer, value, inner.place)
                found[key] = (*found.get(key, ()), setting)
    return found
