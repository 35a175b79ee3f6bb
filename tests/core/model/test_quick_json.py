"""JSON and digests without the packages: the same texts, values and refusals."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.system.digest import hex_digest
from exitgate.core.system.quick_json import dumps, dumps_finite, loads

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(SCALARS, lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=20)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_the_same_text_and_value(value: object) -> None:
    text = json.dumps(value, separators=(",", ":"))
    assert dumps(value) == text
    assert loads(text) == json.loads(text)
    assert loads(f" \n{json.dumps(value, indent=1)}\t".encode()) == json.loads(text)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='{}[]":,0123456789.eE+-truefalsn \\\n\x01u', max_size=12) | st.binary(max_size=6))
def test_the_same_refusals(text: str | bytes) -> None:
    def outcome(read: object) -> object:
        try:
            return repr(read(text))  # type: ignore[operator]
        except ValueError:
            return ValueError

    if isinstance(text, bytes) and (
        text[:3] == b"\xef\xbb\xbf" or b"\0" in text or text[:2] in (b"\xff\xfe", b"\xfe\xff")
    ):
        return  # `json` reads further encodings from bytes; ours is UTF-8
    assert outcome(loads) == outcome(json.loads)


def test_what_is_no_json() -> None:
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="Circular"):
        dumps(circle)
    for value in (object(), {1, 2}, b"x"):
        with pytest.raises(TypeError):
            dumps(value)
    with pytest.raises(ValueError, match="float"):
        dumps_finite([float("inf")])
    assert dumps([float("inf")]) == "[Infinity]"


@given(st.binary())
def test_the_digest_is_blake2b(content: bytes) -> None:
    assert hex_digest(content) == hashlib.blake2b(content, digest_size=16).hexdigest()
