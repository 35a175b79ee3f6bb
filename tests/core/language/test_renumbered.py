"""A text that differs from another in digits only: its tree without the parser is the parser's own."""

from __future__ import annotations

import re

from cases import each
from hypothesis import given
from hypothesis import strategies as st
from trees import trees

from exitgate.core.language.literals import renumbered
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse

ROW = re.compile("[0-9]+")
DIGITS = st.text("0123456789", min_size=1, max_size=20)


def same_as_parsed(before: str, after: str) -> bool:
    """Return whether a tree was found; it is then the parser's, places included."""
    found = renumbered(parse(before).to_json(), before, after)
    if found is not None:
        assert found == parse(after).to_json()
    return found is not None


@given(trees, st.data())
def test_it_is_the_tree_that_the_parser_makes(tree: object, data: st.DataObject) -> None:
    before = unparse(tree)  # type: ignore[arg-type]
    after = ROW.sub(lambda row: data.draw(st.one_of(st.just(row[0]), DIGITS)), before)
    same_as_parsed(before, after)


@each(
    "before, after",
    [
        ("run.iterations > 1001", "run.iterations > 7"),
        ("at least 3 of last 5 where (a.b > 0)", "at least 12 of last 500 where (a.b > 1)"),
        ("signature repeats 3 times and a < 10", "signature repeats 4 times and a < 9"),
        ("count(p, last 5 per a) >= 2", "count(p, last 50 per a) >= 20"),
        ("@c and (x unchanged for 10 iterations)", "@c and (x unchanged for 9 iterations)"),
        ("a > 007", "a > 8"),
    ],
)
def test_whole_numbers_need_no_parser(before: str, after: str) -> None:
    assert same_as_parsed(before, after)


@each(
    "before, after",
    [
        ("a1.b > 2", "a2.b > 2"),
        ("x is 'v1'", "x is 'v2'"),
        ('x contains "10"', 'x contains "11"'),
        ("x >= 70%", "x >= 71%"),
        ("x >= 0.5", "x >= 0.7"),
        ("x > 30m", "x > 31m"),
        ("x > 5 USD", "x > 6 USD"),
        ("x > 1", "x > 99999999999999999999"),
        ("@c1 and x > 2", "@c2 and x > 3"),
        ("x > $m1", "x > $m2"),
    ],
)
def test_all_else_is_left_to_the_parser(before: str, after: str) -> None:
    try:
        plain = parse(before).to_json()
    except LanguageError:
        return  # not a text that is ever kept
    assert renumbered(plain, before, after) is None
