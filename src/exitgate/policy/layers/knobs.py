"""Parameters with the values of every layer, and who set each."""

from __future__ import annotations

from exitgate.model.place import Place
from exitgate.model.value import Value
from exitgate.policy.layers.elsewhere import PARAMETERS
from exitgate.policy.layers.places import COMMAND_LINE, ENVIRONMENT, POLICY, PROFILE, SET_PREFIX, variables
from exitgate.policy.layers.sections import SECTION, parameters_in
from exitgate.policy.layers.written_for import foreign_keys
from exitgate.policy.parameters import RESERVED, apply_profile, apply_settings, read_parameters
from exitgate.policy.provenance import Setting
from exitgate.policy.scalars import resolve
from exitgate.policy.suggestion import suggestion
from exitgate.policy.values import wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.model.type import Type
    from exitgate.policy.compiled import Parameter
    from exitgate.policy.findings import Findings
    from exitgate.policy.layers.elsewhere import Elsewhere
    from exitgate.policy.layers.places import Asked
    from exitgate.policy.layers.scopes import Scope
    from exitgate.policy.part import Part
    from exitgate.policy.provenance import Chain


class Knobs(Value):
    """Parameters with effective values, the names of those with errors, and the chain of each."""

    __slots__ = ("broken", "chains", "parameters")

    def __init__(
        self, parameters: Mapping[str, Parameter], broken: set[str], chains: Mapping[str, Chain]
    ) -> None:
        self.parameters = parameters
        self.broken = broken
        self.chains = chains


def settle_parameters(
    root: Part,
    scopes: Sequence[Scope],
    profile: tuple[str, int] | None,
    asked: Asked,
    elsewhere: Elsewhere,
    findings: Findings,
    lost: frozenset[str] = frozenset(),
) -> Knobs:
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
            now = _kept(PROFILE, now, applied, chains)
        if scope is None:
            break
        known = _known(scope, declared, broken, policy, elsewhere, findings)
        applied = apply_profile(now, scope.section.with_fields(known), findings, broken)
        now = _kept(scope.kind, now, applied, chains)
    for variable, name, text in _from_environment(asked, declared, broken, policy, elsewhere, findings):
        origin = f"<environment {variable}>"
        now = _kept(ENVIRONMENT, now, apply_settings(now, {name: text}, findings, broken, origin), chains)
    now = _kept(COMMAND_LINE, now, apply_settings(now, asked.settings, findings, broken), chains)
    return Knobs(now, broken, {name: tuple(chain) for name, chain in chains.items()})


def _kept(
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
) -> dict[str, Part]:
    """Return the short keys of a scope that name parameters and have a value; report the others."""
    found: dict[str, Part] = {}
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


def _is_plain(key: str, part: Part, type: Type, findings: Findings) -> bool:
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


def _note(key: str, owner: str, policy: str, place: Place, help: str, findings: Findings) -> None:
    findings.note("EP485", f"`{key}` is a parameter of `{owner}`, not of `{policy}`", place, help)


def _from_environment(
    asked: Asked,
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
        place = Place(f"<environment {variable}>")
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
