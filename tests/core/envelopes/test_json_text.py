"""JSON that is not quite JSON: control characters, wrong backslashes, cut ends, absurd depth and numbers."""

from __future__ import annotations

import json

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.envelopes.json_text import cut, right_escapes, scanned, whole

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_json_is_read_as_the_package_reads_it(value):
    text = json.dumps(value)
    read = whole(text)
    assert (read.value, read.fixed, read.cut) == (value, False, False)


def test_control_characters_are_part_of_their_string():
    assert whole('{"a": "one\ttwo\nthree\x00"}').value == {"a": "one\ttwo\nthree\x00"}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r'{"a": "C:\work\x"}', "C:\\work\\x"),
        (r'{"a": "a \d+ b"}', "a \\d+ b"),
        (r'{"a": "\u12 and \uzzzz"}', "\\u12 and \\uzzzz"),
        (r'{"a": "kept \\n, \u00e9, \" and \q"}', 'kept \\n, é, " and \\q'),
    ],
)
def test_a_backslash_before_no_escape_is_one(text, meant):
    read = whole(text)
    assert (read.value, read.fixed) == ({"a": meant}, True)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_right_escapes_are_left_alone(value):
    assert right_escapes(json.dumps(value)) == json.dumps(value)


def test_a_cut_object_holds_what_is_there():
    text = json.dumps(
        {"type": "result", "list": [1, {"k": "v"}], "result": 'a "b"\nEXIT \\ é', "n": 12, "t": True}
    )
    for end in range(1, len(text)):
        found = cut(text[:end])
        assert found is not None, text[:end]
        assert found.cut
        for name, value in found.value.items():
            full = json.loads(text)[name]
            if isinstance(value, str):
                assert full.startswith(value)
            elif name != "list":
                assert value == full
    assert cut(text[:20]).value == {"type": "result"}
    assert cut('{"result": "half a li').value == {"result": "half a li"}


@each("text", ['{"a": 1}', '{"a" 1', "plain", "", '"', "}{", "]", '{"a": 1}}', "1,2", '{"a":]'])
def test_what_is_whole_or_wrong_is_not_cut(text):
    assert cut(text) is None or cut(text).value in ({}, {"a": 1})
    if text.endswith("}") or not text.startswith("{"):
        assert cut(text) is None


def test_absurd_numbers_are_nothing():
    read = whole('{"a": ' + "9" * 100_000 + ', "b": NaN, "c": -Infinity, "d": 7, "e": 1.5}')
    assert read.value == {"a": None, "b": None, "c": None, "d": 7, "e": 1.5}


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_absurd_depth_is_no_json(opening):
    assert scanned(opening * 100_000) is None
    assert whole(opening * 100_000) is None
    assert cut(opening * 100_000) is None
