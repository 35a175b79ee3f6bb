"""The JSON Schema of the project file while one policy decides: its real parameters, rules and lists."""

from __future__ import annotations

from copy import deepcopy

from exitgate.core.language.unparse import exact_text
from exitgate.core.model.value import Type
from exitgate.core.policy import shipped
from exitgate.core.policy.compiled import CompiledPolicy, Parameter
from exitgate.core.policy.extending.overrides import KINDS
from exitgate.core.policy.extending.rule_chain import EFFECTS
from exitgate.core.policy.sections.parameters import RESERVED
from exitgate.core.policy.values import wanted
from exitgate.core.settings.provenance import Settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_KINDS = {"bool": "boolean", "count": "integer", "number": "number", "text": "string", "signature": "string"}

#: How such values are written as texts, as `grammar.lark` reads them.
_NUMBER = "[0-9]+(\\.[0-9]+)?"
_PERCENT = f"^{_NUMBER}%$"
#: What is under a name that the policy does not have.
_OWN_RULE: dict[str, object] = {
    "description": "Your own rule: a condition and its effect.",
    "$ref": "#/$defs/rule_change",
    "required": ["when"],
    "oneOf": [{"required": [effect]} for effect in EFFECTS],
}
_OWN_FACT: dict[str, object] = {
    "description": "Your own fact.",
    "$ref": "#/$defs/fact",
    "oneOf": [{"required": [kind]} for kind in KINDS],
}
_DURATION = f"^({_NUMBER}(ms|s|m|h|d))+$"


def project_schema(settled: Settled) -> dict[str, object]:
    """
    Return the schema of `.bb3/config.yaml` for the policy in force (2020-12, common subset of editors).

    Parameters have their type, bounds, default and description; rules that are locked are left out, and
    what is a new rule or fact says so whole; settings for other policies stay as free as in
    the general schema.
    """
    plain: Any = deepcopy(shipped.schema("config"))
    policy = settled.policy
    section = plain["$defs"]["section"]
    keys = section["properties"]
    section["properties"] = {**_parameters(policy), **keys, **_own(settled, keys)}
    section["additionalProperties"] = False
    section["description"] = f"The section of exitgate while `{policy.name}` decides."
    examples = {name: _written(p.default, p.type) for name, p in policy.parameters.items()}
    return {
        **plain,
        "$id": f"urn:exitgate:schema:config:{policy.name}:{policy.version}",
        "title": f"exitgate settings for {policy.name} {policy.version}",
        "description": f"Settings of a project while `{policy.name}` decides. {policy.title}".rstrip(),
        "examples": [{"exit_decision": examples}],
    }


def _own(settled: Settled, keys: dict[str, Any]) -> dict[str, Any]:
    """Return the reserved keys that name things of the policy."""
    rules = {
        rule.id: {"$ref": "#/$defs/rule_change", "description": rule.text}
        for rule in settled.policy.rules
        if not rule.locked
    }
    for name in settled.rules.keys() - {rule.id for rule in settled.policy.rules}:
        rules[name] = {"$ref": "#/$defs/rule_change", "description": "Currently disabled."}
    lists = {name: {"$ref": "#/$defs/list_change"} for name in settled.lists}
    policies = {name: {"$ref": "#/$defs/policy_settings"} for name in shipped.policies()}
    facts = {path.split(".")[1]: {"$ref": "#/$defs/fact"} for path in settled.changes if path[:6] == "facts."}
    lexicons = {name: {"$ref": "#/$defs/lexicon_change"} for name in settled.lexicons}
    locked = [rule.id for rule in settled.policy.rules if rule.locked]
    names = {**keys["rules"]["propertyNames"], **({"not": {"enum": locked}} if locked else {})}
    changed = {
        "rules": {
            **keys["rules"],
            "propertyNames": names,
            "properties": rules,
            "additionalProperties": _OWN_RULE,
        },
        "facts": {**keys["facts"], "properties": facts, "additionalProperties": _OWN_FACT},
        "lexicons": {**keys["lexicons"], "properties": lexicons},
        "lists": {**keys["lists"], "properties": lists, "additionalProperties": False},
        "policies": {**keys["policies"], "properties": policies},
        "policy": {**keys["policy"], "examples": list(shipped.policies())},
    }
    if settled.profiles:
        changed["profile"] = {**keys["profile"], "enum": list(settled.profiles)}
    else:
        changed["profile"] = {"not": {}, "description": f"`{settled.policy.name}` has no profiles."}
    for key in ("rules", "lists", "facts", "lexicons"):
        changed[key].pop("examples", None)
    return changed


def _parameters(policy: CompiledPolicy) -> dict[str, Any]:
    return {name: parameter_schema(p) for name, p in policy.parameters.items() if name not in RESERVED}


def parameter_schema(parameter: Parameter) -> dict[str, Any]:
    """Return the schema of one parameter's value as it is written in YAML."""
    words = f"{parameter.doc} Write {wanted(parameter.type)}.".strip()
    return {
        "title": parameter.name,
        "description": words,
        "default": _written(parameter.default, parameter.type),
        **value_schema(parameter.type, parameter.low, parameter.high),
    }


def value_schema(type: Type, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    """Return the schema of a value of a type; bounds hold where the value is written as a number."""
    kind = type.kind
    if kind == "enum":
        return {"enum": [*type.members, *(m.lower() for m in type.members if m.lower() != m)]}
    if kind == "list":
        return {"type": "array", "items": value_schema(type.item) if type.item is not None else {}}
    if kind == "duration":
        return {"type": ["string", "integer"], "pattern": _DURATION, "minimum": 0, "maximum": 0}
    if kind == "money":
        pattern = f"^{_NUMBER}[ \\t]*{type.currency}$"
        return {"type": ["string", "integer"], "pattern": pattern, "minimum": 0, "maximum": 0}
    if kind in ("count", "percent"):
        low = 0 if low is None else low
    if kind == "percent":
        high = 100 if high is None else high
    bounds = {"minimum": low, "maximum": high}
    limits = {key: bound for key, bound in bounds.items() if bound is not None}
    if kind == "percent":
        return {"type": ["number", "string"], "pattern": _PERCENT, **limits}
    return {"type": _KINDS[kind], **limits}


def _written(value: object, type: Type) -> object:
    """Return a run-time value as it is written in YAML."""
    if isinstance(value, tuple):
        return [_written(item, type.item) if type.item is not None else item for item in value]
    return exact_text(value, type) if type.kind in ("duration", "money") else value


# A JSON Schema of draft 2020-12 as one of draft-07, for editors and catalogues that know no later one.

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
#: Keywords whose values are data or words, not schemas.
_DATA = frozenset(("examples", "default", "enum", "const", "required", "defaultSnippets", "enumDescriptions"))


def draft_07(schema: dict[str, Any]) -> dict[str, object]:
    """
    Return the twin of a schema that keeps to what both drafts can say, as ours do; the same documents fit.

    `$defs` becomes `definitions`. In draft-07 nothing counts beside a `$ref`: where something does, the
    reference moves into an `allOf`.
    """
    found = _turned(schema)
    assert isinstance(found, dict)
    return {**found, "$schema": DRAFT_07}


def _turned(value: object) -> object:
    if isinstance(value, list):
        return [_turned(one) for one in value]
    if not isinstance(value, dict):
        return value
    turned: dict[str, object] = {}
    for key, part in value.items():
        if key == "$defs":
            turned["definitions"] = _each(part)
        elif key in ("properties", "patternProperties"):
            turned[key] = _each(part)
        elif key == "$ref":
            turned[key] = part.replace("#/$defs/", "#/definitions/")
        else:
            turned[key] = part if key in _DATA else _turned(part)
    if "$ref" in turned and len(turned) > 1:
        reference = {"$ref": turned.pop("$ref")}
        parts = turned.pop("allOf", [])
        assert isinstance(parts, list)
        turned["allOf"] = [reference, *parts]
    return turned


def _each(parts: object) -> dict[str, object]:
    assert isinstance(parts, dict)
    return {name: _turned(part) for name, part in parts.items()}
