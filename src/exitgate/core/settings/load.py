"""From what a caller asks for and what the layers say to a policy that can decide: `load_settled`."""

from __future__ import annotations

from exitgate.core.model.diagnostic import Diagnostic
from exitgate.core.policy.cache import Seen
from exitgate.core.policy.compile import compile_merged, look_over
from exitgate.core.policy.extending.merged import Merged, read_as_far
from exitgate.core.policy.extending.rule_chain import id_of
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import Library
from exitgate.core.settings.choose import (
    ABOUT_NAMES,
    UNREADABLE,
    choose_policy,
    choose_profile,
    scopes_of,
    stand_in,
)
from exitgate.core.settings.documents import layers_given, read_alone, read_layers
from exitgate.core.settings.elsewhere import Elsewhere, declared_by, note_on_family
from exitgate.core.settings.files import PRESET, SettingsRequest, variables
from exitgate.core.settings.overlay import lexicon_chains, overlay
from exitgate.core.settings.parameters import settle_lists, settle_parameters
from exitgate.core.settings.probes import check_named, probes_of
from exitgate.core.settings.provenance import Settled
from exitgate.core.settings.rules import changes_of, settle_rules
from exitgate.core.settings.sections import report_stray
from exitgate.core.settings.sources import (
    chains_of,
    hooks_of,
    settle_sources,
    settle_zone,
    sources_of,
    with_zone,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.policy.yaml.node import YamlNode
    from exitgate.core.settings.choose import Chosen, Scope
    from exitgate.core.settings.documents import Layer
    from exitgate.core.settings.provenance import Chain


def load_settled(asked: SettingsRequest, seen: Seen | None = None) -> Settled:
    """
    Return the policy that decides, with all layers applied, and who set what.

    Args:
        asked: What the caller asks for, and where to look for layers.
        seen: Receives the files that were read, and missing ones.

    Raises:
        ExitgateError: With every diagnostic found in the layers and in the policy, exit code 65.
    """
    findings = Findings()
    seen = seen if seen is not None else Seen()
    return _load(asked, read_layers(asked, findings, seen), findings, seen)


def settled_as_written(reference: str, settings: Mapping[str, str], layer: str, root: str) -> Settled:
    """
    Return a policy that is named, which no file of settings changes, with a layer applied.

    Args:
        reference: Name of a shipped policy, or a path.
        settings: Parameter -> text, as ``--set`` takes them; above the layer.
        layer: Text of the layer; the empty text for none.
        root: Folder of the project.

    Raises:
        ExitgateError: With every diagnostic, exit code 65.
    """
    findings, seen = Findings(), Seen()
    asked = SettingsRequest(reference, reference, settings, root, {}, layer=layer)
    return _load(asked, layers_given(asked, findings), findings, seen)


def problems_of(path: str, default: str) -> tuple[Diagnostic, ...]:
    """
    Return warnings and notes on one file of settings, as if it were the project's and the only one.

    Args:
        path: The file.
        default: The policy when the file names none.

    Raises:
        ExitgateError: With every diagnostic, exit code 65.
    """
    policy = settled_alone(path, default).policy
    return tuple(found for found in policy.warnings if isinstance(found, Diagnostic))


def settled_alone(path: str, default: str) -> Settled:
    """Return what one file of settings makes of its policy, as `problems_of` reads it; raises as it does."""
    findings, seen = Findings(), Seen()
    asked = SettingsRequest(default, environment={})
    return _load(asked, read_alone(path, asked, findings), findings, seen)


def _load(asked: SettingsRequest, layers: Sequence[Layer], findings: Findings, seen: Seen) -> Settled:
    lost = findings.errors() > 0 and any(found.code in UNREADABLE for found in findings.sorted())
    chosen = choose_policy(asked, layers, findings)
    library = Library(findings, None, seen)
    library.project = (asked.root,)
    for layer in layers:
        library.names_in(layer.read.file, layer.read.path)
        if layer.fetched is not None:
            library.fetched[layer.read.file] = layer.fetched
    merged = rest = None
    if chosen.reference is not None:
        merged, rest = read_as_far(chosen.reference, library, findings, chosen.place)
        look_over(rest, library, findings)
    if merged is None:
        merged = stand_in(chosen, rest, asked, findings)
    elif lost and asked.policy is None:
        findings.leave_out(ABOUT_NAMES)  # the file that cannot be read may name another policy
    return _settle(asked, layers, chosen, merged, library, findings, seen)


def _settle(
    asked: SettingsRequest,
    layers: Sequence[Layer],
    chosen: Chosen,
    merged: Merged,
    library: Library,
    findings: Findings,
    seen: Seen,
) -> Settled:
    declared = declared_by(merged)
    elsewhere = Elsewhere(chosen.others)
    scopes = scopes_of(layers, declared.policy, _written_for(chosen), findings)
    note_on_family(scopes, chosen, findings)
    profile, at = choose_profile(asked, scopes, declared.profiles, findings)
    chosen_profile = (str(profile[-1].value), at) if profile else None
    report_stray(layers, declared.parameters, findings)
    root, lists = settle_lists(merged.root, scopes, elsewhere, findings)
    over = overlay(Merged(merged.file, root, merged.rules), scopes, elsewhere, findings)
    root = over.merged.root
    known = frozenset(declared.rules)
    own = {id_of(rule): _layer_of(rule, scopes) for rule in over.merged.rules if id_of(rule) not in known}
    changed = settle_rules(over.merged.rules, declared.policy, scopes, elsewhere, findings, own)
    broken = merged.broken.union(*(layer.broken for layer in layers))
    knobs = settle_parameters(root, scopes, chosen_profile, asked, elsewhere, findings, broken)
    for layer in layers:
        if layer.fetched is None:
            library.stands_in(layer.read.file, layer.read.path)
    sources = settle_sources(scopes, declared.policy, sources_of(root), findings)
    probes = probes_of(layers, findings)
    policy = compile_merged(
        Merged(merged.file, root, changed.rules, broken), library, knobs.parameters, knobs.broken,
        _digested(asked, layers, profile), findings, _layers(layers, changed.chains, sources, probes),
    )  # fmt: skip
    zone = settle_zone(scopes, findings)
    if policy is not None:
        check_named(policy, probes, knobs.chains, findings)
        _check_setters(policy, knobs.chains, library, findings)
    findings.raise_errors()
    assert policy is not None
    policy = with_zone(policy, zone)
    said = {f"sources.{name}": chain for name, chain in sources.items()} | ({"zone": zone} if zone else {})
    said |= {f"probes.{name}": chain for name, chain in probes.items()}
    changes = {**over.chains, **lexicon_chains(scopes, merged.root, library), **said}
    return Settled(
        policy, chosen.chain, profile, changed.mode, knobs.chains, changed.chains, lists,
        declared.profiles, tuple(layer.read for layer in layers), dict(seen.states()),
        chains_of(layers), changes, tuple(sorted(library.lexicons_read())),
    )  # fmt: skip


def _check_setters(
    policy: CompiledPolicy, chains: Mapping[str, Chain], library: Library, findings: Findings
) -> None:
    """Report names of probes that a preset from elsewhere sets (EP846)."""
    if not library.fetched:
        return
    from exitgate.core.facts.registry import ASKING
    from exitgate.core.policy.locked.limits import report

    names = {name for one in policy.extractions if one.extractor in ASKING for name in one.parameters}
    for name in sorted(names & chains.keys()):
        for setting in chains[name]:
            if setting.layer == PRESET and setting.place and setting.place.file in library.fetched:
                report(f"`{name}` names probes, and its value is from elsewhere", setting.place, findings)


def _written_for(chosen: Chosen) -> tuple[str | None, ...]:
    """Return for each layer the policy that it takes for the one that decides; None where it is that one."""
    return tuple(None if reference == chosen.reference else reference for reference in chosen.seen)


def _digested(asked: SettingsRequest, layers: Sequence[Layer], profile: Chain) -> list[str]:
    """Return the texts that tell one policy with its settings from another, beside the policy's files."""
    found = [f"profile={profile[-1].value}"] if profile else []
    found += [f"layer={layer.read.layer}:{layer.read.digest}" for layer in layers if _speaks(layer)]
    found += [f"{name}={text}" for name, text in variables(asked.environment).items()]
    return found + [f"{name}={text}" for name, text in sorted(asked.settings.items())]


def _speaks(layer: Layer) -> bool:
    return bool(layer.section.fields)


def _layer_of(rule: YamlNode, scopes: Sequence[Scope]) -> str:
    """Return the kind of layer that a rule was written in."""
    names = [scope.kind for scope in scopes if id_of(rule) in dict(changes_of(scope))]
    return names[0]


def _layers(
    layers: Sequence[Layer],
    rules: Mapping[str, Chain],
    sources: Mapping[str, Chain],
    probes: Mapping[str, Chain],
) -> dict[str, object]:
    """Return what a compiled policy keeps of its layers, as plain JSON."""
    until = [
        [name, chain[-1].until, str(chain[-1].value), chain[-1].place.to_json() if chain[-1].place else None]
        for name, chain in rules.items()
        if chain[-1].until
    ]
    read = [[layer.read.layer, layer.read.file, layer.read.digest] for layer in layers if _speaks(layer)]
    found: dict[str, object] = {"read": read, "until": until}
    hooks = hooks_of(layers)
    if sources:
        found["sources"] = {name: list(_paths(chain)) for name, chain in sources.items()}
    if probes:
        found["probes"] = {name: chain[-1].value for name, chain in probes.items()}
    return {**found, "hooks": hooks} if hooks else found


def _paths(chain: Chain) -> tuple[str, ...]:
    """Return the paths in force for a source."""
    paths = chain[-1].value
    assert isinstance(paths, tuple)
    return paths
