"""The reference page of a schema names everything in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import each

from exitgate.report.formats.json_schema import schema_page, type_words

SCHEMAS = sorted((Path(__file__).parents[3] / "schemas").glob("*.schema.json"))


def keys(schema: object) -> set[str]:
    """Return every key that a schema declares anywhere."""
    if isinstance(schema, list):
        return set().union(*map(keys, schema))
    if not isinstance(schema, dict):
        return set()
    own = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return own.union(*(keys(part) for name, part in schema.items() if name not in {"examples", "if"}))


@each("path", SCHEMAS, ids=lambda p: p.name.partition(".")[0])
def test_a_page_names_every_key_and_links_nowhere_else(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    page = schema_page(schema)
    named = {part.split("`")[0].rpartition(".")[2] for part in page.split("\n| `")[1:]}
    assert keys(schema) - named == set()
    headings = {line[3:] for line in page.splitlines() if line.startswith("## ")}
    links = {part.split(")")[0] for part in page.split("](#")[1:]}
    assert links <= headings


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"enum": ["a", 1]}, '`"a"`, `1`'),
        ({"const": True}, "`true`"),
        ({"$ref": "#/$defs/rule"}, "[rule](#rule)"),
        ({"type": "array", "items": {"$ref": "#/$defs/rule"}}, "list of [rule](#rule)"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "mapping of integer"),
        (
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "string or list of string",
        ),
        ({"oneOf": [{"required": ["a"]}]}, "anything"),
    ],
)
def test_types_in_words(schema: dict[str, object], words: str) -> None:
    assert type_words(schema) == words


def test_a_page_as_a_whole() -> None:
    page = schema_page(
        {
            "title": "a format", "description": "What it is.", "$id": "https://example.org/a",
            "type": "object", "required": ["a"],
            "properties": {"a": {"description": "A | b.", "type": "integer", "default": 3, "minimum": 1}},
            "examples": [{"a": 4}],
        }
    )  # fmt: skip
    assert page == (
        "# A format\n\nWhat it is.\n\nSchema: `https://example.org/a` (JSON Schema 2020-12).\n\n"
        "| key | type | meaning |\n|---|---|---|\n"
        "| `a` (required) | integer | A \\| b. Default: `3`. At least 1. |\n\n"
        'Example:\n\n```json\n{\n  "a": 4\n}\n```\n'
    )
