"""A JSON Schema of draft 2020-12 as one of draft-07, for editors and catalogues that know no later one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
