"""What layers say under `sources:`: where files are looked for when the command line names none."""

from __future__ import annotations

from exitgate.policy.provenance import Setting
from exitgate.policy.reach import leads_out
from exitgate.policy.suggestion import nearest_name, suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.layers.scopes import Scope
    from exitgate.policy.part import Part
    from exitgate.policy.provenance import Chain

SOURCES = "sources"
CIRCUIT = "circuit"
#: Sources that every check looks for, no matter what the policy reads.
ALWAYS = ("response", "plan", "task")
#: Sources that a check makes itself, or takes out of the response.
MADE = ("clock", "day", "git", "output", "result", "run", "tool_calls", "tool_results")

_HELP = "write a path below the project, such as `docs/TODO.md`"


def with_circuit(root: Part, scope: Scope, findings: Findings) -> Part:
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


def sources_of(root: Part) -> frozenset[str]:
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


def _sources(scope: Scope) -> Mapping[str, Part]:
    part = scope.section.get(SOURCES)
    return part.fields if part is not None else {}


def _report(name: str, part: Part, policy: str, read: Collection[str], findings: Findings) -> None:
    names = sorted({*read, *ALWAYS, CIRCUIT}.difference(MADE))
    message = f"no fact of `{policy}` is read from a source `{name}`"
    if nearest_name(name, names) is not None:
        findings.error("EP487", message, part.label, suggestion(name, names, "sources"))
    else:
        findings.note("EP485", message, part.label, f"sources: {', '.join(f'`{one}`' for one in names)}")
