"""What another package says of its options and facts: taken as the contract has it, or refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from backtracking import explodes
from cases import each
from hypothesis import example, given
from hypothesis import strategies as st
from installing import POLICY, Place, install
from jsonschema import Draft202012Validator

from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import Type
from exitgate.core.plugins import ask
from exitgate.core.plugins.permissions import Unfit
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.policy.sections import plugged, plugged_checks
from exitgate.core.policy.yaml.node import YamlNode

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(
        [10**4000, -1, 0, 1.0, "", "a", "n.m", "count", "enum", "list", "percent", "USD", "\u017f"]
    ),
    st.text(max_size=3),
)
JSON = st.recursive(
    SCALARS, lambda d: st.lists(d, max_size=3) | st.dictionaries(st.text(max_size=3), d, max_size=3)
)
WORDS = [
    *Draft202012Validator.VALIDATORS, "$id", "$defs", "$anchor", "$dynamicAnchor", "$vocabulary",
    "$recursiveRef", "definitions", "dependencies", "contentSchema", "if", "then", "else", "minContains",
    "title", "description", "default", "examples", "$comment", "deprecated", "unevaluatedItems", "$schema",
]  # fmt: skip
SCHEMAS = st.recursive(
    st.dictionaries(st.sampled_from(WORDS), SCALARS | JSON, max_size=3),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["array", "object", "string", ["integer", "null"]]),
            "items": inner,
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "additionalProperties": inner | st.booleans(),
            "required": st.lists(st.sampled_from("ab"), unique=True),
            "enum": st.lists(SCALARS, min_size=1, max_size=3),
            "uniqueItems": st.booleans(),
            "minimum": st.integers(-2, 2),
            "maxItems": st.integers(0, 2),
        },
    ),
    max_leaves=4,
)
#: Within the contract, by themselves.
GOOD = {
    "type": ["string", "array"], "enum": ["a", 1, None], "const": 1.5, "required": ["a"], "minLength": 0,
    "maxLength": 3, "minItems": 0, "maxItems": 3, "minProperties": 0, "maxProperties": 9, "minimum": -1,
    "maximum": 9.5, "exclusiveMinimum": 0, "exclusiveMaximum": 1, "uniqueItems": True,
    "items": {"type": "null"}, "properties": {"a": {"items": {}}}, "additionalProperties": {"maximum": 3},
    "title": "t", "description": "d", "default": [{}], "examples": [1], "$comment": "c", "deprecated": True,
}  # fmt: skip


def test_each_keyword_is_known_by_name_or_refused() -> None:
    assert tuple(sorted(GOOD)) == plugged_checks.keywords()
    for word in {*WORDS, *GOOD}:
        schema: dict[str, object] = {word: GOOD.get(word, {})}
        if word in GOOD:
            assert plugged_checks.checked_schemas({"a": schema})
            continue
        with pytest.raises(Unfit, match="uses `") as caught:
            plugged_checks.checked_schemas({"a": schema})
        assert f"`{word}`" in str(caught.value)


@given(SCHEMAS, JSON)
@example({"enum": ["a", True, 1]}, True)
@example({"uniqueItems": True}, [1, True, 1.0])
def test_a_schema_that_is_taken_is_one_and_finds_what_json_schema_finds(schema: Any, data: Any) -> None:
    try:
        plugged_checks.checked_schemas({"option": schema})
    except Unfit:
        return
    Draft202012Validator.check_schema(schema)
    found = Findings()
    _, fits = check_schema(_part(data), schema, found)
    assert fits == Draft202012Validator(schema).is_valid(data) or found.errors() > 0


def _part(data: Any) -> YamlNode:
    from exitgate.core.model.diagnostic import Location as At

    if isinstance(data, dict):
        return YamlNode({key: _part(value) for key, value in data.items()}, At("f", 1, 1))
    if isinstance(data, list):
        return YamlNode(tuple(_part(value) for value in data), At("f", 1, 1))
    return YamlNode(data, At("f", 1, 1))


def nested(levels: int) -> dict[str, object]:
    schema: dict[str, object] = {}
    for _ in range(levels - 1):
        schema = {"items": schema}
    return schema


def test_levels_choices_and_characters_are_bounded() -> None:
    for schema, why in (
        (nested(plugged_checks.LEVELS + 1), "levels"),
        ({"enum": list(range(plugged_checks.CHOICES + 1))}, "`enum`"),
        ({"description": "x" * plugged_checks.CHARACTERS}, "characters"),
        ({"maximum": float("nan")}, "`maximum`"),
        ({"minLength": 10**4000}, "`minLength`"),
        ({"enum": [[1]]}, "`enum`"),
    ):
        with pytest.raises(Unfit, match=why):
            plugged_checks.checked_schemas({"a": schema})
    assert plugged_checks.checked_schemas({"a": nested(plugged_checks.LEVELS)})
    assert plugged_checks.checked_schemas({"a": {"enum": list(range(plugged_checks.CHOICES))}})


@given(JSON)
@example([{"name": "n", "type": ["count"]}])
@example([{"name": "n", "type": "list", "item": ["text"]}])
@example([{"name": "n", "type": "money", "currency": "A1B"}])
@example([{"name": "n", "type": "enum", "members": ["\u017f"]}])
@example([{"name": "n", "type": "count", "low": float("nan")}])
@example([{"name": "n", "type": "number", "high": 10**4000}])
@example([{"name": 5, "type": "count"}])
@example([{"name": ["n"], "type": "count"}])
def test_any_description_of_facts_is_specs_or_refused(told: object) -> None:
    described = told if isinstance(told, list) else [told]
    try:
        plain: Any = plugged_checks.checked_facts(described)
    except Unfit as unfit:
        assert str(unfit)
        return
    for one in json.loads(json.dumps(plain)):
        FactSpec(**{**one, "type": Type.from_json(one["type"])})


RANGES = {
    "reversed": ("number", 5, 1),
    "below 0": ("count", -1, None),
    "no time": ("duration", -5, -1),
    "a debt": ("money", -1, 5),
    "above 100": ("percent", 10, 101),
    "beyond 100": ("percent", 150, None),
    "no order": ("bool", 0, 1),
    "no order of texts": ("text", None, 3),
}


@each("wrong", RANGES)
def test_a_range_that_holds_nothing_is_refused(wrong: str) -> None:
    kind, low, high = RANGES[wrong]
    with pytest.raises(Unfit, match="`low` and `high` of its fact `n`"):
        plugged_checks.checked_facts(
            [{"name": "n", "type": kind, "low": low, "high": high, "currency": "USD"}]
        )
    assert plugged_checks.checked_facts([{"name": "n", "type": "number", "low": 1, "high": 1}])


@given(st.binary(max_size=40) | JSON.map(lambda one: json.dumps(one).encode()))
@example(b'{"answer": ' + b"[" * 5000 + b"]" * 5000 + b"}")
@example(b'{"answer": ' + b"[" * 40 + b"]" * 40 + b"}")
@example(b'{"answer": "\\ud800"}')
@example(b'{"answer": {"\\udfff": 1}}')
@example(b'{"answer": NaN}')
@example(b'{"fault": 3}')
@example(b'{"answer": ' + b"9" * 5000 + b"}")
def test_any_bytes_of_a_process_are_an_answer_or_none(out: bytes) -> None:
    try:
        found = ask._read(out)
    except Unfit as unfit:
        assert str(unfit).encode()
        return
    json.dumps(found, allow_nan=False).encode()


SLOW = """\
CONTRACT = 1
SOURCE = 'response'
OPTIONS = {'of': {'type': 'string', 'pattern': '^(a+)+$'}}
def facts(options): return [{'name': 'issues', 'type': 'count'}]
def extract(source, options): return {}
"""


def test_no_pattern_of_a_package_runs_here(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take longer than the world has been there."""
    assert explodes("^(a+)+$")
    place = Place(tmp_path, monkeypatch)
    install(place.site, SLOW)
    place.allow()
    place.write(POLICY.replace("from: response", f"from: response, of: {'a' * 60}b"))
    told = place.refused()
    assert told.startswith("EP894")
    assert "option `of` uses `pattern`" in told


def test_options_without_a_good_contract_are_refused() -> None:
    good = {"contract": 1, "source": "response", "options": {}}
    assert plugged.checked_options(good) == ({}, "response")
    for wrong in ({"source": "A b"}, {"source": "x\n"}, {"contract": True}, {"contract": 1.5}):
        with pytest.raises(Unfit):
            plugged.checked_options({**good, **wrong})
