"""Schema errors in words, for forms that the policy schema itself does not have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from exitgate.core.policy.findings import Findings
from exitgate.core.policy.schema import messages
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.policy.shipped import schema
from exitgate.core.policy.yaml.document import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
LEXICON = "lexicon: a\nformat: 1\ntitle: t\n"


def told(text: str, rules: dict[str, object]) -> list[tuple[str, str, str]]:
    findings = Findings()
    _, fits = check_schema(load_yaml(text, "x.yaml").root, rules, findings)
    assert not fits
    assert all(f.help for f in findings.sorted())
    return [
        (f.code, f"{f.place.line}:{f.place.column}" if f.place else "", f.message) for f in findings.sorted()
    ]


@pytest.mark.parametrize(
    ("text", "code", "place", "message"),
    [
        (LEXICON, "EP202", "1:1", "one of `entries`, `guards` is missing"),
        (LEXICON + "entries: [{id: x, examples: [y]}]\n", "EP202", "4:11",
         "one of `phrase`, `words`, `pattern` is missing"),
        (LEXICON + "entries: [{id: x, phrase: a, pattern: b, examples: [y]}]\n", "EP202", "4:11",
         "`phrase` and `pattern` together"),
        (LEXICON + "guards: {negatd: {reach: 3}}\n", "EP204", "4:10", "`negatd` cannot be a key here"),
        (LEXICON + "guards: {negated: {reach: far}}\n", "EP203", "4:27", "`far` is not allowed here"),
    ],
)  # fmt: skip
def test_lexicons(text: str, code: str, place: str, message: str) -> None:
    assert (code, place, message) in told(text, schema("lexicon"))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"multipleOf": 2}, "the format does not allow this value (multipleOf)"),
        ({"maximum": 2}, "`3` is too large"),
        ({"exclusiveMinimum": 3}, "`3` is too small"),
        ({"exclusiveMaximum": 3}, "`3` is too large"),
    ],
)
def test_numbers(rule: dict[str, object], message: str) -> None:
    ((code, place, found),) = told("a: 3\n", {"properties": {"a": rule}})
    assert (place, found) == ("1:4", message)
    assert code == ("EP200" if "multipleOf" in rule else "EP205")


def test_unknown_keys_are_taken_out_and_the_rest_fits() -> None:
    findings = Findings()
    rules = {
        "properties": {
            "b": {"type": "array", "items": {"properties": {"c": True}, "additionalProperties": False}}
        }
    }
    root, fits = check_schema(load_yaml("b: [{c: 1, zzz: 2}, {c: 3}]\n", "x.yaml").root, rules, findings)  # type: ignore[arg-type]
    assert fits
    assert findings.errors() == 1
    assert root.plain() == {"b": [{"c": 1}, {"c": 3}]}


NAMES, PATHS, VERSION = "^[a-z][a-z", ("^(?!/)", "^(-|(?![/~", "^(?![/~"), "^(0|"


def patterns(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (one for key, one in schema.items() if key == "pattern" and isinstance(one, str))
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from patterns(inner)


@pytest.mark.parametrize("name", ["config", "policy", "lexicon", "tests"])
def test_what_does_not_match_a_pattern_is_said_in_words_of_its_own(name: str) -> None:
    """A pattern of a new form would else be reported as one of names."""
    schema = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
    found = {one for one in patterns(schema) if one.startswith("^") and one != r"^\$"}
    assert found
    assert {one for one in found if not one.startswith((NAMES, *PATHS, VERSION))} <= messages._FORMS.keys()
