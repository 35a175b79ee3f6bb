"""The quick answer on whether a document fits its schema, held to `jsonschema`."""

from __future__ import annotations

import json
from pathlib import Path

from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from exitgate.core.policy.schema import check
from exitgate.core.policy.schema.fits import fits

ROOT = Path(__file__).parents[3]
SCHEMAS = {
    name: json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())
    for name in ("policy", "lexicon", "config", "tests")
}
DOCUMENTS = [
    *((path, "policy") for path in ROOT.glob("policies/*/policy.yaml")),
    *((path, "lexicon") for path in ROOT.glob("policies/lexicons/*.yaml")),
]
NAMES = st.sampled_from(["a", "b", "x-1"])
SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([0.5, 1.0, "", "a", "x-1", "B"])
DATA = st.recursive(
    SCALARS, lambda d: st.lists(d, max_size=3) | st.dictionaries(NAMES, d, max_size=3), max_leaves=6
)
LEAVES = st.one_of(
    st.booleans(),
    st.just({}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null"])}
    ),
    st.fixed_dictionaries({"type": st.just(["string", "number"])}),
    st.fixed_dictionaries({"enum": st.lists(SCALARS, min_size=1, max_size=3)}),
    st.fixed_dictionaries({"const": SCALARS}),
    st.fixed_dictionaries({"minLength": st.integers(0, 2), "maxLength": st.integers(0, 2)}),
    st.fixed_dictionaries(
        {"minItems": st.integers(0, 2), "maxItems": st.integers(0, 2), "uniqueItems": st.booleans()}
    ),
    st.fixed_dictionaries({"minimum": st.integers(-1, 1), "maximum": st.integers(0, 2)}),
    st.fixed_dictionaries({"minProperties": st.integers(0, 2), "maxProperties": st.integers(0, 2)}),
    st.fixed_dictionaries({"pattern": st.sampled_from(["^a", "-"])}),
    st.fixed_dictionaries({"required": st.lists(NAMES, max_size=2)}),
    st.just({"$ref": "#/$defs/a"}),
)


def grown(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    several = st.lists(inner, min_size=1, max_size=2)
    return st.one_of(
        st.fixed_dictionaries(
            {"properties": st.dictionaries(NAMES, inner, max_size=2), "additionalProperties": inner}
        ),
        st.fixed_dictionaries(
            {"patternProperties": st.dictionaries(st.just("^x-"), inner), "additionalProperties": inner}
        ),
        st.fixed_dictionaries({"propertyNames": inner}),
        st.fixed_dictionaries({"items": inner}),
        st.fixed_dictionaries({"if": inner, "then": inner, "else": inner}),
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"anyOf": several}),
        st.fixed_dictionaries({"allOf": several}),
        st.fixed_dictionaries({"oneOf": several}),
    )


SCHEMA = st.recursive(LEAVES, grown, max_leaves=5)


@settings(max_examples=600, deadline=None)
@given(SCHEMA, st.lists(DATA, min_size=1, max_size=4))
def test_a_yes_is_a_yes(schema: object, documents: list[object]) -> None:
    root = {"allOf": [schema], "$defs": {"a": {"type": ["string", "object"]}}}
    for data in documents:
        valid = Draft202012Validator(root).is_valid(data)
        if fits(data, root):
            assert valid
        elif valid:
            # only where it says that it is not sure
            assert (
                "1.0" in json.dumps(data)
                or "enum" in str(schema)
                or "const" in str(schema)
                or "unique" in str(schema)
            )


@each(("path", "name"), DOCUMENTS, ids=lambda value: str(getattr(value, "name", value)))
def test_shipped_documents_fit_without_jsonschema(path: Path, name: str) -> None:
    assert fits(_plain(path), SCHEMAS[name])


def _plain(path: Path) -> object:
    from exitgate.core.policy.yaml.document import load_yaml

    return load_yaml(path.read_text(), path.name).data


def test_what_is_not_known_here_is_no_yes() -> None:
    assert not fits(1, {"multipleOf": 1})
    assert not fits(1, {"$ref": "other.json"})
    assert not fits([1, 1.0], {"uniqueItems": True})


def test_spoilt_documents_do_not_fit() -> None:
    for path, name in DOCUMENTS:
        document = _plain(path)
        assert isinstance(document, dict)
        for key in document:
            for other in (None, 1, [[]], {"no such key": 1}, {**document, "no_such_key": 1}):
                spoilt = other if isinstance(other, dict) and len(other) > 1 else {**document, key: other}
                if fits(spoilt, SCHEMAS[name]):
                    assert Draft202012Validator(SCHEMAS[name]).is_valid(spoilt)


@given(st.lists(DATA, max_size=5))
def test_equal_items_are_those_that_json_schema_finds(items: list[object]) -> None:
    schema = {"uniqueItems": True}
    assert (not list(check._not_unique(None, True, items, schema))) == Draft202012Validator(schema).is_valid(
        items
    )


def test_the_items_of_a_long_list_are_not_compared_a_pair_at_a_time() -> None:
    """Ten thousand million comparisons would take hours, even of items that do not sort."""
    items: list[object] = [one for number in range(100_000) for one in (number, str(number))]
    assert fits(items, {"uniqueItems": True})
    assert not fits([*items, True, "7"], {"uniqueItems": True})
    mixed = [*items, {}]
    assert list(check._not_unique(None, True, mixed, {})) == []
    assert len(list(check._not_unique(None, True, [*mixed, {}], {}))) == 1
