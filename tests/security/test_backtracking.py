"""No pattern that Python's `re` runs on what others wrote can take long on any text."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

from backtracking import explodes
from cases import each

from exitgate.core.facts import registry

ROOT = Path(__file__).parents[2]
KNOWN = {
    "^(a+)+$": True,
    "(a*)*b": True,
    "(ab|[a-c]b)*$": True,
    r"(\w+\s?)+$": True,
    r"^(?:\.?[^.]+)*$": True,
    "x(?!(b+)*c)": True,
    r"(a[^b]?){2,}b": True,
    "^a+$": False,
    "^[a-z]+([_-][a-z0-9]+)*$": False,
    r"^(/([^~/]|~0|~1)*)*$": False,
    r"^(\.[^.]+)*$": False,
    "a.*b.*c": False,
    "(ab|ac)*": False,
}


@each("pattern", KNOWN)
def test_the_judge_knows_what_explodes(pattern: str) -> None:
    assert explodes(pattern) == KNOWN[pattern]


def in_schema(schema: object) -> Iterator[str]:
    """Yield the patterns of a JSON Schema, those of keys included."""
    if isinstance(schema, list):
        for one in schema:
            yield from in_schema(one)
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        yield from schema.get("patternProperties", {})
        for key, one in schema.items():
            if key not in ("examples", "default", "defaultSnippets"):
                yield from in_schema(one)


def in_code() -> Iterator[str]:
    """Yield the patterns that are written in calls of `re`."""
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "re." not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
                continue
            if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield first.value


def test_no_pattern_of_ours_explodes() -> None:
    schemas = [json.loads(path.read_text()) for path in (ROOT / "schemas").glob("*.json")]
    schemas += [dict(registry.load(id).OPTIONS) for id in registry.names()]
    patterns = {*in_schema(schemas), *in_code()}
    assert len(patterns) > 30
    assert sorted(one for one in patterns if explodes(one)) == []
