"""Schema errors in words, for forms that the policy schema itself does not have."""

from __future__ import annotations

import pytest

from exitgate.core.policy.findings import Findings
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.policy.shipped import schema
from exitgate.core.policy.yaml.document import load_yaml

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
