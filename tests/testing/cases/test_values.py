from __future__ import annotations

import re

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, PERCENT, SIGNATURE, TEXT, Type, Unknown
from exitgate.testing.cases.values import MisfitError, read, read_fact, same, write

STATE = Type("enum", members=("CLOSED", "OPEN"))
DOLLARS = Type("money", currency="USD")
NAMES = Type("list", item=TEXT)


@each(
    ("raw", "type_", "want"),
    [
        (True, BOOL, True),
        ("false", BOOL, False),
        (3, COUNT, 3),
        ("3", COUNT, 3),
        ("0.5", NUMBER, 0.5),
        ("70%", PERCENT, 70),
        (66.7, PERCENT, 66.7),
        ("30m", DURATION, 1800),
        ("1.5h", DURATION, 5400),
        ("250ms", DURATION, 0.25),
        ("22h30m", DURATION, 81_000),
        ("1d0.5s", DURATION, 86_400.5),
        (90, DURATION, 90),
        ("5 USD", DOLLARS, 5),
        (0.25, DOLLARS, 0.25),
        ("open", STATE, "OPEN"),
        ("7", TEXT, "7"),
        (7, SIGNATURE, "7"),
        ({"text": "unknown"}, TEXT, "unknown"),
        (["a", "b"], NAMES, ("a", "b")),
        ("[a,b]", NAMES, ("a", "b")),
        ("[]", NAMES, ()),
    ],
)
def test_values(raw: object, type_: Type, want: object) -> None:
    found = read(raw, type_)
    assert found == want
    assert type(found) is type(want)


def test_unknown_with_its_reason() -> None:
    assert isinstance(read("unknown", COUNT), Unknown)
    reasoned = read({"unknown": "no plan"}, COUNT)
    assert isinstance(reasoned, Unknown)
    assert reasoned.reason == "no plan"


@each(
    ("raw", "type_"),
    [
        (1, BOOL),
        ("yes", BOOL),
        (True, COUNT),
        (-1, COUNT),
        (1.5, COUNT),
        ("1_000", COUNT),
        ("many", NUMBER),
        ("nan", NUMBER),
        ("inf", NUMBER),
        ("30x", DURATION),
        ("30m1h", DURATION),
        ("1h30", DURATION),
        ("1h-30m", DURATION),
        ("٣h30m", DURATION),
        ("5 EUR", DOLLARS),
        ("AJAR", STATE),
        (True, TEXT),
        ("a", NAMES),
        ({"text": "a"}, COUNT),
        ({"a": 1}, COUNT),
    ],
)
def test_misfits(raw: object, type_: Type) -> None:
    with pytest.raises(MisfitError):
        read(raw, type_)


TYPES = st.sampled_from([BOOL, COUNT, NUMBER, PERCENT, DURATION, TEXT, SIGNATURE, STATE, DOLLARS, NAMES])
RAW = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
    max_leaves=4,
)


@given(RAW, TYPES)
@settings(max_examples=300, deadline=None)
def test_what_is_read_is_written_and_read_again(raw: object, type_: Type) -> None:
    try:
        value = read(raw, type_)
    except MisfitError:
        return
    assert same(read(write(value, type_), type_), value)


@pytest.mark.parametrize(
    ("left", "right", "want"),
    [
        (66.666666, 66.67, True),
        (66.67, 66.68, False),
        (1, True, False),
        (0, False, False),
        (Unknown("a"), Unknown("b"), True),
        (Unknown("a"), 0, False),
        ("OPEN", "OPEN", True),
        (80, 80.0, True),
    ],
)
def test_same(left: object, right: object, want: bool) -> None:
    assert same(left, right) is want


NARROW = FactSpec("n", PERCENT, "", low=10, high=90)


@each(
    ("raw", "why"),
    [
        (5, "`5%` is below its smallest value, 10%"),
        ({"least": 5, "most": 50}, "`5%` is below its smallest value, 10%"),
        ({"least": 5}, "`5%` is below its smallest value, 10%"),
        ({"least": 20, "most": 95}, "`95%` is above its largest value, 90%"),
        ({"most": "9%"}, "`9%` is below its smallest value, 10%"),
        ({"least": 91}, "`91%` is above its largest value, 90%"),
    ],
)
def test_bounds_are_within_the_range_of_the_fact(raw: object, why: str) -> None:
    with pytest.raises(MisfitError, match=re.escape(why)):
        read_fact(raw, NARROW)


@each(
    "raw", [10, "90%", {"least": 10, "most": 90}, {"least": 10}, {"most": 90}, "unknown", {"unknown": "no"}]
)
def test_what_is_within_it_is_read_as_without_one(raw: object) -> None:
    assert read_fact(raw, NARROW) == read(raw, PERCENT)
