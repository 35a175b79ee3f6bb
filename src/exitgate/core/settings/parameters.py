"""Parameters with the values of every layer, and who set each."""

from __future__ import annotations

from exitgate.core.model.diagnostic import Location
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import Value
from exitgate.core.policy.extending.overrides import change_list
from exitgate.core.policy.sections.parameters import RESERVED, apply_profile, apply_settings, read_parameters
from exitgate.core.policy.values import wanted
from exitgate.core.policy.yaml.scalars import resolve
from exitgate.core.settings.elsewhere import LISTS, PARAMETERS, foreign_keys
from exitgate.core.settings.files import COMMAND_LINE, ENVIRONMENT, POLICY, PROFILE, SET_PREFIX, variables
from exitgate.core.settings.provenance import Setting
from exitgate.core.settings.sections import SECTION, parameters_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.model.value import Type
    from exitgate.core.policy.compiled import Parameter
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode
    from exitgate.core.settings.choose import Scope
    from exitgate.core.settings.elsewhere import Elsewhere
    from exitgate.core.settings.files import SettingsRequest
    from exitgate.core.settings.provenance import Chain


class LayeredParameters(Value):
    """Parameters with effective values, the names of those with errors, and the chain of each."""

    __slots__ = ("broken", "chains", "parameters")

    def __init__(
        self, parameters: Mapping[str, Parameter], broken: set[str], chains: Mapping[str, Chain]
    ) -> None:
        self.parameters = parameters
        self.broken = broken
        self.chains = chains


def settle_parameters(
    root: YamlNode,
    scopes: Sequence[Scope],
    profile: tuple[str, int] | None,
    asked: SettingsRequest,
    elsewhere: Elsewhere,
    findings: Findings,
    lost: frozenset[str] = frozenset(),
) -> LayeredParameters:
    """
    Return the parameters of a merged policy as the layers set them.

    Args:
        root: The merged policy.
        scopes: Settings of the files, from low to high.
        profile: Name of the profile in force and the scope below which its values are, or None.
            Every other profile is checked, too.
        asked: Has the environment and what was typed.
        elsewhere: Knows what other policies declare.
        findings: Takes EP468 and EP469, EP485 (note) and EP489.
        lost: Names of what could not be read in the policy, parameters as `$name`.
    """
    declared, broken = read_parameters(root.get("parameters"), findings)
    broken |= {name[1:] for name in lost if name.startswith("$")}
    chains = {name: [Setting(POLICY, p.value, p.place)] for name, p in declared.items()}
    now: Mapping[str, Parameter] = declared
    section = root.get("profiles")
    profiles = section.fields if section is not None else {}
    for part in profiles.values():
        apply_profile(declared, part, findings, broken)
    policy = root.fields["policy"].text
    for number, scope in enumerate([*scopes, None]):
        if profile is not None and profile[1] == number and profile[0] in profiles:
            applied = apply_profile(now, profiles[profile[0]], findings, broken)
            now = _apply_layer(PROFILE, now, applied, chains)
        if scope is None:
            break
        known = _known(scope, declared, broken, policy, elsewhere, findings)
        applied = apply_profile(now, scope.section.with_fields(known), findings, broken)
        now = _apply_layer(scope.kind, now, applied, chains)
    for variable, name, text in _from_environment(asked, declared, broken, policy, elsewhere, findings):
        origin = f"<environment {variable}>"
        now = _apply_layer(
            ENVIRONMENT, now, apply_settings(now, {name: text}, findings, broken, origin), chains
        )
    now = _apply_layer(COMMAND_LINE, now, apply_settings(now, asked.settings, findings, broken), chains)
    return LayeredParameters(now, broken, {name: tuple(chain) for name, chain in chains.items()})


def _apply_layer(
    kind: str,
    before: Mapping[str, Parameter],
    after: Mapping[str, Parameter],
    chains: Mapping[str, list[Setting]],
) -> Mapping[str, Parameter]:
    """Add to the chains what a layer changed; return the parameters after it."""
    for name, parameter in after.items():
        if parameter is not before[name]:
            chains[name].append(Setting(kind, parameter.value, parameter.place))
    return after


def _known(
    scope: Scope,
    declared: Mapping[str, Parameter],
    broken: set[str],
    policy: str,
    elsewhere: Elsewhere,
    findings: Findings,
) -> dict[str, YamlNode]:
    """Return the short keys of a scope that name parameters and have a value; report the others."""
    found: dict[str, YamlNode] = {}
    foreign = foreign_keys(scope, declared, policy, elsewhere, findings)
    for key, part in parameters_in(scope.section):
        if key in foreign:
            continue
        if key in declared:
            if _is_plain(key, part, declared[key].type, findings):
                found[key] = part
            continue
        if key in broken:
            continue
        owner = elsewhere.owner(PARAMETERS, key)
        if owner:
            help = f"it applies if `{owner}` decides; put it under `policies: {{{owner}: ...}}` to say so"
            _note(key, owner, policy, part.label, help, findings)
        else:
            help = suggestion(key, [*declared, *RESERVED], f"parameters of `{policy}` and keys")
            message = f"`{SECTION}:` has no key `{key}`, and `{policy}` no such parameter"
            findings.error("EP468", message, part.label, help)
    return found


def _is_plain(key: str, part: YamlNode, type: Type, findings: Findings) -> bool:
    """Report a missing value, and a number in quotes."""
    if part.value is None:
        help = f"write {wanted(type)}, or remove the key"
        findings.error("EP469", f"`{key}` has no value", part.place, help)
        return False
    quoted = part.written is not None and part.written.style in ("'", '"')
    if quoted and type.kind in ("count", "number", "percent") and not isinstance(resolve(part.text), str):
        message = f"the value of `{key}` is in quotes, which makes it a text"
        findings.error("EP469", message, part.place, f"write it without quotes: `{part.text}`")
        return False
    return True


def _note(key: str, owner: str, policy: str, place: Location, help: str, findings: Findings) -> None:
    findings.note("EP485", f"`{key}` is a parameter of `{owner}`, not of `{policy}`", place, help)


def _from_environment(
    asked: SettingsRequest,
    declared: Mapping[str, Parameter],
    broken: set[str],
    policy: str,
    elsewhere: Elsewhere,
    findings: Findings,
) -> list[tuple[str, str, str]]:
    """Return variable, parameter and text of each variable that sets a parameter, names in any case."""
    found: dict[str, tuple[str, str, str]] = {}
    for variable, text in variables(asked.environment).items():
        name = variable[len(SET_PREFIX) :].lower()
        place = Location(f"<environment {variable}>")
        if name in found:
            message = f"`{found[name][0]}` and `{variable}` both set `{name}`"
            findings.error("EP489", message, place, "unset one of them")
        elif name in declared:
            found[name] = (variable, name, text)
        elif name not in broken:
            owner = elsewhere.owner(PARAMETERS, name)
            if owner:
                _note(name, owner, policy, place, f"it applies if `{owner}` decides", findings)
                continue
            help = suggestion(name, declared, f"parameters of `{policy}`")
            message = f"`{variable}` is set, but `{policy}` has no parameter `{name}`"
            findings.error("EP468", message, place, help)
    return list(found.values())


# What layers change in the named lists of a policy.


def settle_lists(
    root: YamlNode, scopes: Sequence[Scope], elsewhere: Elsewhere, findings: Findings
) -> tuple[YamlNode, dict[str, Chain]]:
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


def _items(part: YamlNode) -> tuple[object, ...]:
    return tuple(item.plain() for item in part.items)
