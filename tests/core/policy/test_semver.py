"""Ranges of versions that `extends:` accepts."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.policy.extending.semver import accepts, version

VERSIONS = st.tuples(*[st.integers(0, 12)] * 3)


@each(
    ("wanted", "yes", "no"),
    [
        ("1.2.3", ["1.2.3"], ["1.2.4", "1.3.3"]),
        ("=1.2", ["1.2.0", "1.2.9"], ["1.3.0"]),
        ("1", ["1.0.0", "1.9.9"], ["2.0.0", "0.9.0"]),
        ("*", ["0.0.0", "9.9.9"], []),
        ("^1", ["1.0.0", "1.9.9"], ["2.0.0", "0.9.9"]),
        ("^1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0"]),
        ("^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0", "0.2.2"]),
        ("^0.0.3", ["0.0.3"], ["0.0.4"]),
        ("^0", ["0.0.0", "0.9.0"], ["1.0.0"]),
        ("^0.0", ["0.0.9"], ["0.1.0"]),
        ("~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0", "1.2.2"]),
        ("~1", ["1.9.0"], ["2.0.0"]),
        (">=1.2 <2", ["1.2.0", "1.9.9"], ["2.0.0", "1.1.9"]),
        (">1.2.3 <=1.2.5", ["1.2.4", "1.2.5"], ["1.2.3", "1.2.6"]),
    ],
)
def test_ranges(wanted: str, yes: list[str], no: list[str]) -> None:
    assert [found for found in (*yes, *no) if accepts(wanted, found)] == yes


@each("wanted", ["", "latest", "^", "1.2.3.4", "^^1", "1.x", "-1", "\u0661", "1..2", "=>1"])
def test_no_range(wanted: str) -> None:
    with pytest.raises(ValueError):
        accepts(wanted, "1.0.0")


@pytest.mark.parametrize("text", ["1", "1.2", "1.2.3.4", "a.b.c", "1.2.-3", "", "1.2.9999999999"])
def test_no_version(text: str) -> None:
    with pytest.raises(ValueError):
        version(text)


@given(VERSIONS, VERSIONS)
def test_caret_never_reaches_another_major(low: tuple[int, ...], found: tuple[int, ...]) -> None:
    a, b = (".".join(map(str, numbers)) for numbers in (low, found))
    if accepts("^" + a, b):
        assert b == a or (low <= found and low[0] == found[0])
    assert accepts("^" + a, a)
