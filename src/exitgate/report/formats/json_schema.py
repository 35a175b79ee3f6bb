"""A JSON Schema as a reference page in Markdown: every key, its type, default, limits and examples."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

Schema = Mapping[str, object]


LIMITS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("minProperties", "at least {} keys"),
    ("maxProperties", "at most {} keys"),
    ("pattern", "matches `{}`"),
)
#: Keywords that hold alternatives or parts of the same value.
PARTS = ("then", "else", "anyOf", "oneOf", "allOf")


def schema_page(schema: Schema) -> str:
    """
    Return the page of a 2020-12 schema.

    The document itself comes first, then each of its `$defs` under a heading of its own name; a
    reference is a link to that heading. Keywords without a line here (`if`, `not`) only steer validation.
    """
    title = str(schema.get("title", schema.get("$id", "Format")))
    lines = [f"# {title[:1].upper()}{title[1:]}", ""]
    lines += [str(schema["description"]), ""] if schema.get("description") else []
    lines += [f"Schema: `{schema['$id']}` (JSON Schema 2020-12).", ""] if "$id" in schema else []
    lines += _body(schema)
    defs = schema.get("$defs", {})
    assert isinstance(defs, dict)
    for name, part in defs.items():
        lines += [f"## {name}", ""]
        lines += [str(part["description"]), ""] if part.get("description") else []
        lines += _body(part)
    return "\n".join(lines).rstrip("\n") + "\n"


def _body(schema: Schema) -> list[str]:
    lines: list[str] = []
    facts = _facts(schema, "properties" not in schema)
    if facts:
        lines += [facts, ""]
    rows = list(property_rows(schema))
    if rows:
        lines += ["| key | type | meaning |", "|---|---|---|", *rows, ""]
    lines += _examples(schema)
    return lines


def property_rows(schema: Schema, path: str = "") -> Iterator[str]:
    """Yield a row for each key; keys of a mapping described in place follow as ``pending[].form``."""
    required = _list(schema.get("required"))
    for name, part in _properties(schema):
        must = " (required)" if name in required else ""
        extra = [str(part.get("description", "")), _facts(part, False), _samples(part)]
        meaning = " ".join(text for text in extra if text)
        yield f"| `{path}{name}`{must} | {_cell(type_words(part))} | {_cell(meaning)} |"
        items = part.get("items")
        yield from property_rows(part, f"{path}{name}.")
        if isinstance(items, dict):
            yield from property_rows(items, f"{path}{name}[].")
    other = schema.get("additionalProperties")
    if isinstance(other, dict) and not path:
        described = _cell(str(other.get("description", "")))
        yield f"| any other key | {_cell(type_words(other))} | {described} |"


def _properties(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the keys of a mapping, those of its alternatives included, each once."""
    seen: set[str] = set()
    waiting: list[object] = [schema]
    while waiting:
        part = waiting.pop(0)
        if not isinstance(part, dict):
            continue
        for name, inner in part.get("properties", {}).items():
            if name not in seen and isinstance(inner, dict):
                seen.add(name)
                yield name, inner
        for name, inner in part.get("patternProperties", {}).items():
            if isinstance(inner, dict) and name not in seen:
                seen.add(name)
                yield name, inner
        for keyword in PARTS:
            found = part.get(keyword)
            waiting += found if isinstance(found, list) else [found]


def type_words(schema: Schema) -> str:
    """Return in a few words what values a schema allows; a reference is a link."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        return f"[{name}](#{name})"
    if "const" in schema:
        return code(schema["const"])
    if "enum" in schema:
        return ", ".join(code(value) for value in _list(schema["enum"]))
    if schema.get("type") == "array":
        items = schema.get("items")
        return f"list of {type_words(items)}" if isinstance(items, dict) else "list"
    if isinstance(schema.get("additionalProperties"), dict) and "properties" not in schema:
        return f"mapping of {type_words(schema['additionalProperties'])}"  # type: ignore[arg-type]
    kinds = schema.get("type")
    if kinds is not None:
        return " or ".join({"object": "mapping", "array": "list"}.get(k, k) for k in map(str, _list(kinds)))
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            words = [type_words(part) for part in _list(schema[keyword]) if isinstance(part, dict)]
            return " or ".join(dict.fromkeys(word for word in words if word != "anything")) or "anything"
    return "mapping" if "properties" in schema else "anything"


def code(value: object) -> str:
    """Return a JSON value as a code span."""
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _facts(schema: Schema, with_type: bool) -> str:
    parts = []
    if with_type and type_words(schema) != "anything":
        parts.append(f"Type: {type_words(schema)}.")
    if "default" in schema:
        parts.append(f"Default: {code(schema['default'])}.")
    limits = [_limit(key, text, schema[key]) for key, text in LIMITS if key in schema]
    names = schema.get("propertyNames")
    if isinstance(names, dict) and "pattern" in names:
        limits.append(f"names match `{names['pattern']}`")
    if limits:
        text = ", ".join(limits)
        parts.append(text[:1].upper() + text[1:] + ".")
    return " ".join(parts)


def _limit(key: str, text: str, bound: object) -> str:
    if bound == 1 and key.startswith("min") and key != "minimum":
        return "not empty"
    return text.format(bound)


def _samples(schema: Schema) -> str:
    examples = _list(schema.get("examples"))
    return "For example " + ", ".join(code(e) for e in examples[:3]) + "." if examples else ""


def _examples(schema: Schema) -> list[str]:
    lines: list[str] = []
    for example in _list(schema.get("examples")):
        text = json.dumps(example, indent=2, ensure_ascii=False)
        lines += ["Example:", "", "```json", text, "```", ""]
    return lines


def _list(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
