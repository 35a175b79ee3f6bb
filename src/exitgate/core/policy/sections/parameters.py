"""Parameters: their types, defaults, bounds and effective values."""

from __future__ import annotations

from exitgate.core.model.diagnostic import Location
from exitgate.core.model.json_object import number_of
from exitgate.core.model.spelling import nearest_name, suggestion
from exitgate.core.model.value import Type, is_number, range_fault
from exitgate.core.policy.compiled import Parameter
from exitgate.core.policy.values import Unfit, ask_about_value, from_text, from_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode


COMMAND_LINE = "<command line>"
#: Keys of a project's settings that are not parameters, so no parameter can have one for its name.
RESERVED = (
    "policy", "profile", "preset", "rules", "lists", "facts", "conditions", "lexicons", "views", "sources",
    "policies", "mode", "hooks", "zone", "probes",
    "notify",
)  # fmt: skip

_NO_MEMBERS = frozenset(("KNOWN", "UNKNOWN"))


def read_parameters(section: YamlNode | None, findings: Findings) -> tuple[dict[str, Parameter], set[str]]:
    """
    Return the parameters a policy declares, with their defaults, and the names of those with errors.

    Args:
        section: The merged mapping under `parameters:`.
        findings: Takes EP202, EP467, EP469 and EP475.
    """
    found: dict[str, Parameter] = {}
    broken: set[str] = set()
    entries = section.fields if section is not None else {}
    for name, entry in entries.items():
        parameter = _parameter(name, entry, entries, findings)
        if parameter is None:
            broken.add(name)
        else:
            found[name] = parameter
    return found, broken


def _parameter(
    name: str, entry: YamlNode, entries: Mapping[str, YamlNode], findings: Findings
) -> Parameter | None:
    before = findings.errors()
    if name in RESERVED:
        message = f"a parameter cannot be called `{name}`: it is a key of a project's settings"
        findings.error("EP475", message, entry.label, f"give it another name, such as `run_{name}`")
    for key in ("type", "default"):
        if key not in entry.fields:
            message = f"parameter `{name}` has no `{key}`"
            near = nearest_name(name, [other for other in entries if "type" in entries[other].fields])
            help = f"did you mean `{near}`?" if near is not None and near != name else f"add `{key}: ...`"
            findings.error("EP202", message, entry.label, help)
    if findings.errors() > before:
        return None
    type_ = type_of(entry, findings)
    if type_ is None:
        return None
    default = _value(type_, entry.fields["default"], findings)
    bounds = [_bound(type_, entry.get(key), findings) for key in ("min", "max")]
    if findings.errors() > before:
        return None
    low, high = bounds
    part = entry.fields["default"]
    if (low is not None or high is not None) and range_fault(type_.kind, low, high) is not None:
        message = f"`min` of parameter `{name}` is larger than its `max`"
        findings.error("EP467", message, entry.fields["min"].place, "swap them")
        return None
    doc = entry.fields["doc"].text if "doc" in entry.fields else ""
    parameter = Parameter(name, type_, default, default, low, high, doc, part.place)
    problem = out_of_bounds(parameter, default, entry)
    if problem:
        findings.error(
            "EP467", f"the default of `{name}` is {problem}", part.place, "change the default or the bound"
        )
        return None
    return parameter


def type_of(entry: YamlNode, findings: Findings) -> Type | None:
    """Return the type that `type`, `members`, `item` and `currency` of an entry describe, or None."""
    kind = entry.fields["type"].text
    for key, owner in (("members", "enum"), ("item", "list"), ("currency", "money")):
        if key in entry.fields and kind != owner:
            message = f"`{key}:` belongs to type `{owner}`, this is `{kind}`"
            findings.error("EP467", message, entry.fields[key].label, f"remove it, or write `type: {owner}`")
            return None
    if kind == "enum":
        return _enum(entry, findings)
    if kind == "list":
        return Type("list", item=Type(entry.fields["item"].text if "item" in entry.fields else "text"))
    if kind == "money":
        if "currency" not in entry.fields:
            findings.error(
                "EP202", "`currency` is missing", entry.fields["type"].place, "add `currency: USD`"
            )
            return None
        return Type("money", currency=entry.fields["currency"].text)
    return Type(kind)


def _enum(entry: YamlNode, findings: Findings) -> Type | None:
    members = entry.get("members")
    if members is None:
        findings.error(
            "EP202", "`members` is missing", entry.fields["type"].place, "add `members: [ONE, OTHER]`"
        )
        return None
    names = [item.text.upper() for item in members.items]
    for number, item in enumerate(members.items):
        plain = item.text.replace("_", "")
        if not (plain.isascii() and plain.isalnum() and item.text[:1].isalpha()):
            help = "use letters, digits and `_`, a letter first"
            findings.error("EP467", f"`{item.text}` cannot be a member", item.place, help)
            return None
        if names[number] in _NO_MEMBERS:
            message = f"`{item.text}` cannot be a member: it is a word of the language"
            findings.error("EP467", message, item.place, "choose another word, such as `NOT_SAID`")
            return None
        if names[number] in names[:number]:
            findings.error(
                "EP467", f"member `{item.text}` is written twice", item.place, "remove one of them"
            )
            return None
    return Type("enum", members=tuple(names))


def _value(type: Type, part: YamlNode, findings: Findings) -> object:
    try:
        value = from_yaml(type, part.plain(), part.text)
    except Unfit as error:
        findings.error("EP469", str(error), part.place, error.help)
        return None
    ask_about_value(type, value, part.text, part.place, findings)
    return value


def _bound(type: Type, part: YamlNode | None, findings: Findings) -> float | None:
    if part is None:
        return None
    fault = range_fault(type.kind, None, None, "`min` and `max`")
    if fault is not None:
        findings.error("EP467", fault[0], part.label, fault[1])
        return None
    value = _value(type, part, findings)
    return number_of(value)


def out_of_bounds(parameter: Parameter, value: object, entry: YamlNode | None = None) -> str:
    """Return ``below its `min` 3`` or ``above its `max` 9``, or the empty text when the value is within."""
    if not is_number(value):
        return ""
    texts = {
        key: entry.fields[key].text for key in ("min", "max") if entry is not None and key in entry.fields
    }
    if parameter.low is not None and value < parameter.low:
        return f"below its `min` {texts.get('min', parameter.low)}"
    if parameter.high is not None and value > parameter.high:
        return f"above its `max` {texts.get('max', parameter.high)}"
    return ""


def apply_profile(
    parameters: Mapping[str, Parameter], profile: YamlNode, findings: Findings, broken: set[str]
) -> dict[str, Parameter]:
    """Return the parameters with the values of a profile; report EP468 and EP469."""
    changed = dict(parameters)
    for name, part in profile.fields.items():
        parameter = parameters.get(name)
        if parameter is None:
            if name not in broken:
                help = suggestion(name, parameters, "parameters")
                findings.error("EP468", f"there is no parameter `{name}`", part.label, help)
            continue
        before = findings.errors()
        value = _value(parameter.type, part, findings)
        if findings.errors() == before:
            changed[name] = _set(parameter, value, part.place, findings)
    return changed


def apply_settings(
    parameters: Mapping[str, Parameter],
    settings: Mapping[str, str],
    findings: Findings,
    broken: set[str],
    origin: str = COMMAND_LINE,
) -> dict[str, Parameter]:
    """Return the parameters with values given as texts, at the place `origin`; report EP446, EP468, EP469."""
    changed = dict(parameters)
    for name, text in settings.items():
        place = Location(origin)
        parameter = parameters.get(name)
        if parameter is None:
            if name not in broken:
                help = suggestion(name, parameters, "parameters")
                findings.error("EP468", f"there is no parameter `{name}`", place, help)
            continue
        try:
            value = from_text(parameter.type, text)
        except Unfit as error:
            findings.error("EP469", f"`{name}`: {error}", place, error.help)
            continue
        ask_about_value(parameter.type, value, text, place, findings)
        changed[name] = _set(parameter, value, place, findings)
    return changed


def _set(parameter: Parameter, value: object, place: Location, findings: Findings) -> Parameter:
    problem = out_of_bounds(parameter, value)
    if problem:
        message = f"the value of `{parameter.name}` is {problem}"
        findings.error("EP469", message, place, "write a value within its bounds")
        return parameter
    return Parameter(
        parameter.name, parameter.type, value, parameter.default, parameter.low, parameter.high,
        parameter.doc, place,
    )  # fmt: skip
