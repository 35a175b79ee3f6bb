"""Which settings a key of the settings file means: one, all below it, or none that a layer wrote."""

from __future__ import annotations

from exitgate.policy.layers.places import PRESET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from exitgate.policy.provenance import Settled
    from exitgate.report.config_entries import Entry

SECTION = "exit_decision"
#: Keys whose entries go by another name: the mode of a rule by the rule's.
_OF_RULE = ("mode", "disabled", "why", "until")
_NAMED = {"rules": "rule", "lists": "list"}


def below(key: str, every: Sequence[Entry]) -> list[Entry]:
    """Return the entries that a key of the settings file means, in order; none where no layer wrote one."""
    key = _short(key)
    if key == SECTION:
        return list(every)
    if key.startswith("project"):
        return [entry for entry in every if entry.kind == "profile"]
    return [entry for entry in every if _is_below(key, entry)]


def _short(key: str) -> str:
    return key.removeprefix(SECTION + ".")


def _is_below(key: str, entry: Entry) -> bool:
    if f"{entry.name}.".startswith(f"{key}."):
        return True
    first, dot, rest = key.partition(".")
    if _NAMED.get(first) != entry.kind:
        return False
    return not dot or rest in (entry.name, *(f"{entry.name}.{one}" for one in _OF_RULE))


def unset(key: str, settled: Settled) -> str:
    """Return what is known of a key of the settings file that is in force nowhere, one sentence."""
    first, *rest = _short(key).split(".")
    if first == "policies":
        other = rest[0] if rest else "NAME"
        return (
            f"what is below `policies` counts while that policy decides: `exitgate config --policy {other}`"
        )
    presets = [one.file for one in settled.read if one.layer == PRESET]
    if first == "preset" and presets:
        return f"the preset is `{presets[-1]}`"
    return f"no layer sets `{key}`"


def documented(key: str, settled: Settled) -> str | None:
    """Return what the settings file says of a key, empty where it says nothing; None for a key it has not."""
    from exitgate.policy.layers.project_schema import project_schema

    whole: Any = project_schema(settled)
    parts = ["project"] if key == "project.type" else key.split(".")
    if parts[0] not in whole["properties"]:
        parts = [SECTION, *parts]
    found = [whole]
    for part in parts:
        found = [inner for one in found for inner in _inner(part, one, whole)]
    said = (str(one.get("description") or "") for one in found)
    return next(filter(None, said), "") if found else None


def _inner(part: str, schema: Any, whole: Any) -> Iterator[Any]:
    """Yield the schemas of the value under a key, where a schema allows that key."""
    for one in _alternatives(schema, whole):
        properties = one.get("properties", {})
        more = one.get("additionalProperties", False if properties else one.get("type") == "object")
        if part in properties:
            yield properties[part]
        elif isinstance(more, dict):
            yield more
        elif more and isinstance(more, bool):
            yield {}


def _alternatives(schema: Any, whole: Any) -> Iterator[Any]:
    """Yield a schema and those it is made of."""
    if not isinstance(schema, dict):
        return
    yield schema
    if "$ref" in schema:
        yield from _alternatives(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    for word in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(word, ()):
            yield from _alternatives(one, whole)
