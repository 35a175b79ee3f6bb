"""Which tests `-k` selects, and what is said of an expression that cannot be read."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.testing.keyword import select

NAME = "policies/ours/tests.yaml Stagnation after three iterations (x3) [tasks.done 7]"


@each(
    ("text", "selected"),
    [
        ("stagnation", True),
        ("STAGNATION", True),
        ("ours/tests", True),
        ("breaker", False),
        ("not breaker", True),
        ("not not breaker", False),
        ("breaker or stagnation", True),
        ("breaker or other", False),
        ("stagnation and three", True),
        ("stagnation and four", False),
        ("breaker and other or stagnation", True),
        ("stagnation or breaker and other", True),
        ("(stagnation or breaker) and other", False),
        ("not (stagnation and other)", True),
        ("not stagnation or three", True),
        ("'after three'", True),
        ('"after four"', False),
        ("'(x3)' and [tasks.done", True),
        ("'and'", False),
        ("stagnation and(not other)", True),
        ("STAGNATIONand", False),
    ],
)
def test_selected(text: str, selected: bool) -> None:
    assert select(text)(NAME) is selected


@each(
    ("text", "column", "part"),
    [
        ("", 1, "a word is missing"),
        ("a and", 6, "a word is missing"),
        ("and a", 1, "a word is missing"),
        ("a or or b", 6, "a word is missing"),
        ("(a or b", 8, "`)` is missing"),
        ("a)", 2, "`)` has no opening parenthesis"),
        ("a b", 3, "`and` or `or` is missing"),
        ("a 'b c'", 3, "`and` or `or` is missing"),
        ("()", 2, "a word is missing"),
        ("a or 'b", 6, "never closed"),
        ("''", 1, "the quotes are empty"),
        ("not", 4, "a word is missing"),
        ("(" * 60 + "a" + ")" * 60, 51, "more than 50"),
        ("not " * 60 + "a", 201, "more than 50"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, column: int, part: str) -> None:
    with pytest.raises(ExitgateError) as caught:
        select(text)
    (problem,) = caught.value.diagnostics
    assert caught.value.exit_code == 64
    assert problem.code == "EP500"
    assert part in problem.message
    assert problem.place is not None
    assert problem.place.column == column
    assert problem.source == text


WORDS = st.sampled_from(["ab", "bc", "cd", "xy"])


def expressions() -> st.SearchStrategy[str]:
    return st.recursive(
        WORDS,
        lambda inner: st.one_of(
            inner.map("not {}".format),
            inner.map("({})".format),
            st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
        ),
        max_leaves=8,
    )


@settings(max_examples=50, deadline=None)
@given(expressions(), st.text("abcdxy", max_size=5))
def test_it_means_what_python_means(text: str, name: str) -> None:
    """Words stand for whether they are in the name; the rest is Python's own grammar."""
    words = {word: word in name for word in ("ab", "bc", "cd", "xy")}
    assert select(text)(name) is bool(eval(text, {}, words))


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert select(text)("any name") in (True, False)
    except ExitgateError as error:
        assert error.exit_code == 64
