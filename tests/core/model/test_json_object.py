"""Typed reads of JSON objects, held to a naive spec over any members."""

from __future__ import annotations

import copy
import json
import pickle

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.json_object import (
    JsonObject,
    as_object,
    kind_of,
    number_of,
    object_of,
    object_or_none,
    whole_of,
)
from exitgate.core.system.quick_json import dumps

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4).map(JsonObject)
    ),
    max_leaves=12,
)
OTHERWISE = object()


def same(one: object, other: object) -> bool:
    """Equal, of one type, and NaN is NaN: reads give back the very value."""
    return type(one) is type(other) and (one is other or one == other)


def kind(value: object) -> str:
    """The name JSON has for a value."""
    kinds = {type(None): "null", bool: "bool", int: "whole", float: "number", str: "text"}
    kinds |= {list: "array", tuple: "array", dict: "object", JsonObject: "object"}
    return kinds[type(value)]


@settings(max_examples=300, deadline=None)
@given(value=VALUES)
def test_a_read_gives_what_is_of_its_type_and_else_its_default(value: object) -> None:
    found = JsonObject(there=value, null=None)
    scalars = {
        found.text: ("text",),
        found.flag: ("bool",),
        found.whole: ("whole",),
        found.number: ("whole", "number"),
    }
    for read, kinds in scalars.items():
        fits = kind(value) in kinds
        assert same(read("there"), value if fits else None)
        assert same(read("there", OTHERWISE), value if fits else OTHERWISE)
        assert read("null", OTHERWISE) is OTHERWISE
        assert read("missing") is None
    items = list(value) if isinstance(value, list | tuple) else []
    texts = tuple(item for item in items if type(item) is str)
    assert list(map(id, found.array("there"))) == list(map(id, items))
    assert found.texts("there") == texts
    assert found.one_or_more("there") == ((value,) if type(value) is str else texts)
    assert repr(found.objects("there")) == repr([item for item in items if isinstance(item, dict)])
    assert repr(found.object("there")) == repr(value if isinstance(value, dict) else {})
    for nothing in ("null", "missing"):
        assert (found.array(nothing), found.texts(nothing), found.one_or_more(nothing)) == ((), (), ())
        assert (found.objects(nothing), found.object(nothing)) == ([], {})


@settings(max_examples=100, deadline=None)
@given(value=VALUES)
def test_values_that_are_in_no_object_are_read_alike(value: object) -> None:
    found = JsonObject(there=value)
    assert same(whole_of(value), found.whole("there"))
    assert same(number_of(value), found.number("there"))
    assert repr(object_of(value)) == repr(found.object("there"))
    assert (object_or_none(value) is None) == (kind(value) != "object")
    names = {"bool": "boolean", "whole": "number", "text": "string"}
    assert kind_of(value) == names.get(kind(value), kind(value))
    assert kind_of(OTHERWISE) == ""
    assert all(type(one) is JsonObject for one in (object_of(value), *found.objects("there")))


@settings(max_examples=100, deadline=None)
@given(members=st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
def test_it_is_a_dict_to_all_else(members: dict[str, object]) -> None:
    made = as_object(members)
    assert repr(made) == repr(members)
    assert dumps(made) == dumps(members)
    assert json.dumps(made) == json.dumps(members)
    assert repr(made.own_texts()) == repr([one for one in members.values() if type(one) is str])
    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert type(again) is JsonObject
        assert repr(again) == repr(made)
    assert as_object(made) is made
    assert object_of(made) is made
    made["another"] = 1
    assert "another" not in members
