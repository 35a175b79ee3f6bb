"""Which policy decides, and which of its profiles."""

from __future__ import annotations

import os

from exitgate.core.model.diagnostic import Location
from exitgate.core.model.spelling import nearest_name, suggestion
from exitgate.core.model.value import Value
from exitgate.core.policy import shipped
from exitgate.core.policy.extending.merged import Merged, read_merged
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import Library, is_path
from exitgate.core.policy.locked.reference import Unfit, is_remote
from exitgate.core.policy.sections.parameters import COMMAND_LINE as TYPED
from exitgate.core.policy.sections.parameters import apply_profile, read_parameters
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.core.settings.files import COMMAND_LINE, DEFAULT, PROJECT, shown
from exitgate.core.settings.provenance import Setting
from exitgate.core.settings.sections import OUTER, SHARED, parameters_in
from exitgate.core.system import portable
from exitgate.core.system.folders import is_within, reach_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode
    from exitgate.core.settings.documents import Layer
    from exitgate.core.settings.files import SettingsRequest
    from exitgate.core.settings.provenance import Chain


class Chosen(Value):
    """
    The policy that decides.

    Args:
        reference: Name or path as `exitgate.core.policy.compile.load_policy` takes it; None after an error.
        chain: Who named one.
        others: References of policies that lower layers named.
        seen: For each layer the policy that decides as far as it and those below it say.
        place: Where a layer names the one of a package or repository; None for others.
    """

    __slots__ = ("chain", "others", "place", "reference", "seen")

    def __init__(
        self,
        reference: str | None,
        chain: Chain,
        others: tuple[str, ...],
        seen: tuple[str | None, ...],
        place: Location | None = None,
    ) -> None:
        self.reference = reference
        self.seen = seen
        self.place = place
        self.chain = chain
        self.others = others


def choose_policy(asked: SettingsRequest, layers: Sequence[Layer], findings: Findings) -> Chosen:
    """
    Return the policy that the highest layer names; report a missing one (EP810).

    A path in a file starts from that file's folder, one that was typed from the working directory.
    """
    chain = [Setting(DEFAULT, asked.default, None)]
    references: list[str | None] = [asked.default]
    seen: list[str | None] = []
    for layer in layers:
        part = layer.section.get("policy")
        if part is not None:
            chain.append(Setting(layer.read.layer, part.text, part.place))
            references.append(_reference(part, layer, asked))
        seen.append(references[-1])
    if asked.policy is not None:
        chain.append(Setting(COMMAND_LINE, asked.policy, Location(TYPED)))
        references.append(asked.policy)
    elif len(references) > 1 and references[-1] is None:
        part, layer = _last(layers)
        _report_missing(part, layer, asked, findings)
    others = tuple(reference for reference in references[:-1] if reference is not None)
    last = references[-1]
    named = None if asked.policy is not None or last is None or not is_remote(last) else chain[-1].place
    return Chosen(last, tuple(chain), others, tuple(seen), named)


def _last(layers: Sequence[Layer]) -> tuple[YamlNode, Layer]:
    found = [layer for layer in layers if layer.section.get("policy") is not None]
    return found[-1].section.fields["policy"], found[-1]


def _path(part: YamlNode, layer: Layer) -> str:
    return os.path.abspath(os.path.join(layer.folder, os.path.expanduser(part.text)))


def _reference(part: YamlNode, layer: Layer, asked: SettingsRequest) -> str | None:
    """Return the arguments for `load_policy`, or None if there is nothing to load."""
    if is_remote(part.text):
        return part.text  # what loads it says what is wrong with it
    if is_path(part.text) and layer.fetched is not None:
        return _beside(part, layer)
    if not is_path(part.text):
        return part.text if part.text in shipped.policies() else None
    path = _path(part, layer)
    if not os.path.exists(path) or _leads_out(path, layer, asked):
        return None
    name = shown(path, asked.root)
    return name if is_path(name) and not name.startswith("~") else path


def _beside(part: YamlNode, layer: Layer) -> str | None:
    """Return the reference of a policy that a preset from elsewhere has beside it; None where it has none."""
    assert layer.fetched is not None
    unpacked, name = layer.fetched
    try:
        return unpacked.entry.named(unpacked.beside(name, part.text))
    except Unfit:
        return None


def _leads_out(path: str, layer: Layer, asked: SettingsRequest) -> bool:
    """Return whether the project's own settings name a file outside its repository."""
    return layer.read.layer == PROJECT and not is_within(path, reach_of(layer.folder, asked.root))


def _report_missing(part: YamlNode, layer: Layer, asked: SettingsRequest, findings: Findings) -> None:
    if not is_path(part.text):
        help = suggestion(part.text, shipped.policies(), "shipped policies")
        if os.path.isfile(_path(part, layer)):
            help = f"a path has a `/`: write `./{part.text}`"
        findings.error("EP810", f"there is no policy `{part.text}`", part.place, help)
        return
    if layer.fetched is not None:
        help = "a path in a preset from elsewhere means a file that was fetched with it"
        findings.error("EP810", f"there is no policy `{part.text}` beside the preset", part.place, help)
        return
    path = _path(part, layer)
    if _leads_out(path, layer, asked):
        help = "move the policy into the repository, or name it on the command line"
        findings.error("EP444", f"`{part.text}` leads out of the project", part.place, help)
        return
    help = f"a path is relative to the folder of this file; looked for it at `{shown(path, asked.root)}`"
    from_above = os.path.join(os.path.dirname(layer.folder), os.path.expanduser(part.text))
    if os.path.isfile(from_above):
        right = portable.relative(from_above, layer.folder)
        help = f"a path is relative to the folder of this file: write `{right}`"
    findings.error("EP810", f"there is no policy file `{part.text}`", part.place, help)


def choose_profile(
    asked: SettingsRequest, scopes: Sequence[Scope], profiles: Sequence[str], findings: Findings
) -> tuple[Chain, int]:
    """
    Return who chose the profile, and the scope of its values.

    The chain goes from low to high; the last is in force, none when it is empty. The values of a
    profile rank below the settings of the scope that chose it, and above all lower ones. A typed
    one ranks above all scopes.

    `project.type` counts where the policy has a profile of that name, and gives way to `profile:` of
    the same layer. Reports a profile that the policy does not have (EP478).
    """
    chain: list[Setting] = []
    at = 0
    for number, scope in enumerate(scopes):
        before = len(chain)
        if scope.type is not None and scope.type.text in profiles:
            chain.append(Setting(scope.kind, scope.type.text, scope.type.place))
        part = scope.section.get("profile")
        if part is not None:
            chain.append(Setting(scope.kind, part.text, part.place))
        at = number if len(chain) > before else at
    if asked.profile is not None:
        chain.append(Setting(COMMAND_LINE, asked.profile, Location(TYPED)))
        at = len(scopes)
    if chain and chain[-1].value not in profiles:
        name = str(chain[-1].value)
        help = suggestion(name, profiles, "profiles")
        findings.error("EP478", f"the policy has no profile `{name}`", chain[-1].place, help)
    return tuple(chain), at


# The stand-in for a policy that cannot be used: settings are checked with it, so no fault waits.

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


def stand_in(chosen: Chosen, rest: Merged | None, asked: SettingsRequest, findings: Findings) -> Merged:
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
    other = is_path(named) or is_remote(named)
    near = None if other else nearest_name(named, shipped.policies())
    if near is None:
        # Where a name was given, a shipped policy is meant, and keys of all of them are known.
        findings.leave_out(ABOUT_NAMES if other else ABOUT_NAMES - {"EP468", "EP473", "EP487"})
    reference = near or (asked.default if asked.default in shipped.policies() else "recommended")
    merged = read_merged(reference, Library(Findings()), Findings())
    assert merged is not None
    return merged


def _named(rest: Merged) -> Merged:
    """Return what is left of a policy whose own name is missing or bad, under the name of its file."""
    file = os.path.basename(rest.file)
    name = YamlNode(os.path.splitext(file)[0], rest.root.place)
    root = rest.root.with_fields({"policy": name, **rest.root.fields})
    return Merged(rest.file, root, rest.rules, rest.broken)


# The settings that count while one policy decides, from low to high.


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
        self, kind: str, section: YamlNode, type: YamlNode | None = None, written_for: str | None = None
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


def _look_at(part: YamlNode, policy: str, findings: Findings) -> None:
    """Warn of parameters set for a shipped policy that is not in force, which it would refuse."""
    own = Findings()
    merged = read_merged(policy, Library(own), own)
    assert merged is not None
    declared, broken = read_parameters(merged.root.get("parameters"), own)
    apply_profile(declared, part.with_fields(dict(parameters_in(part))), own, broken)
    for found in own.sorted():
        help = f"{found.help}; it counts if `{policy}` decides" if found.help else ""
        findings.warning(found.code, found.message, found.place, help)


def _type(layer: Layer) -> YamlNode | None:
    shared = layer.root.get(SHARED)
    part = shared.get("type") if shared is not None and layer.read.layer == PROJECT else None
    return part if part is not None and part.is_text else None
