"""Which parts of a condition are leaves, and how far back each is asked."""

from __future__ import annotations

import pytest
from cases import each

from exitgate.analysis.coverage.sites import leaves, may_be_unknown, reaches
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse

#: Condition -> its leaves.
LEAVES = {
    "a.b": ["a.b"],
    "not a.b": ["a.b"],
    "a.b and c.d > 3": ["a.b", "c.d > 3"],
    "a.b or (c.d and not @e)": ["a.b", "c.d"],
    "@e": [],
    "true": [],
    "$p or a.b is true": ["$p", "a.b is true"],
    "(a.b or else false) and @e": ["a.b"],
    "a.b is known and a.b": ["a.b is known", "a.b"],
    "a.b in [X, Y] or c.d between 1 and 5": ["a.b in [X, Y]", "c.d between 1 and 5"],
    "(not a.b) for 3 consecutive iterations": ["(not a.b) for 3 consecutive iterations", "a.b"],
    "streak(a.b and c.d > 1) skipping (e.f) >= 2": [
        "streak(a.b and c.d > 1) skipping (e.f) >= 2", "a.b", "c.d > 1", "e.f",
    ],
    "any of last 4 where (a.b)": ["any of last 4 where (a.b)", "a.b"],
    "count(@e, last 5) >= 1": ["count(@e, last 5) >= 1"],
    "a.b unchanged for 3 iterations": ["a.b unchanged for 3 iterations"],
    "a.b repeats 3 times within last 5": ["a.b repeats 3 times within last 5"],
    "previous(a.b)": ["previous(a.b)"],
    "previous(a.b) > 2 and nothing is known": ["previous(a.b) > 2", "nothing is known"],
    '(a.b > 2) is unknown': ["(a.b > 2) is unknown", "a.b > 2"],
    'a.b matches "^x" and a.b contains "y"': ['a.b matches "^x"', 'a.b contains "y"'],
}  # fmt: skip


@each("text", LEAVES)
def test_leaves(text: str) -> None:
    tree = parse(text)
    assert [unparse(leaf) for leaf in leaves(tree)] == [unparse(parse(leaf)) for leaf in LEAVES[text]]


def test_a_formula_has_only_tests_for_leaves() -> None:
    assert [unparse(leaf) for leaf in leaves(parse("a.b + 2 * c.d"), is_condition=False)] == []


BACK = {
    "a.b": {"a.b": 0},
    "(a.b) for 3 consecutive iterations": {"(a.b) for 3 consecutive iterations": 0, "a.b": 2},
    "(a.b) for $n consecutive iterations": {"(a.b) for $n consecutive iterations": 0, "a.b": 3},
    "at least 2 of last 5 where (any of last 3 where (a.b))": {
        "at least 2 of last 5 where (any of last 3 where (a.b))": 0,
        "any of last 3 where (a.b)": 4,
        "a.b": 6,
    },
    "a.b and count(a.b, last 6) > 1": {"a.b": 5, "count(a.b, last 6) > 1": 0},
    "@inner": {"inner: c.d": 0},
    "@inner or count(@inner, last 3) > 1": {"count(@inner, last 3) > 1": 0, "inner: c.d": 2},
    "(@outer) for 2 consecutive iterations": {
        "(@outer) for 2 consecutive iterations": 0,
        "outer: count(@inner, last 4) > 1": 1,
        "inner: c.d": 4,
    },
}


@pytest.mark.parametrize("text", BACK)
def test_how_far_back_a_leaf_is_asked(text: str) -> None:
    conditions = {"inner": parse("c.d"), "outer": parse("count(@inner, last 4) > 1")}
    found = reaches(parse(text), {"n": 4}, conditions)
    assert {
        f"{name}: {unparse(leaf)}" if name else unparse(leaf): n for (name, leaf), n in found.items()
    } == BACK[text]


@each(
    ("text", "may"),
    [
        ("a.b", True),
        ("a.b > 3", True),
        ("a.b is known", False),
        ("(a.b > 3) is unknown", False),
        ("score >= 50", False),
        ("score >= a.b", True),
        ("nothing is known", False),
        ("$p", False),
        ("score / 0 > 1", True),
        ("count(@inner, last 3) > 1", True),
    ],
)
def test_what_can_come_out_unknown(text: str, may: bool) -> None:
    assert may_be_unknown(parse(text), frozenset({"score"}), {"inner": parse("c.d")}) is may
