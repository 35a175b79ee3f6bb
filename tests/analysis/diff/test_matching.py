"""Which rules of a chain moved: as few as can be."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.analysis.diff.matching import between, moved

CASES = [
    ("abc", "abc", ""),
    ("abc", "cab", "c"),
    ("abcd", "bcda", "a"),
    ("abcd", "dcba", "dcb"),
    ("abc", "axbyc", ""),
    ("abc", "c", ""),
    ("", "ab", ""),
]


@pytest.mark.parametrize(("before", "after", "wanted"), CASES)
def test_which_names_move(before: str, after: str, wanted: str) -> None:
    assert "".join(moved(before, after)) == wanted


@settings(max_examples=50, deadline=None)
@given(st.permutations("abcdef"), st.integers(0, 6))
def test_what_stays_is_in_order_and_no_fewer_could_move(after: list[str], count: int) -> None:
    before = "abcdef"[:count]
    gone = moved(before, after)
    staying = [name for name in after if name in before and name not in gone]
    assert staying == sorted(staying)
    shared = [name for name in after if name in before]
    longest = max(
        n for n in range(len(shared) + 1) for pick in combinations(shared, n) if list(pick) == sorted(pick)
    )
    assert len(staying) == longest


def test_a_place_is_told_by_the_rule_before() -> None:
    assert [between(["a", "b"], name) for name in "ab"] == ["first", "after `a`"]
