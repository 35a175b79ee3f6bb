"""Any text gives a tree or problems with places in it, in bounded time; any tree checks or is refused."""

from cases import each
from hypothesis import example, given, settings
from hypothesis import strategies as st
from steps import Steps
from trees import nearly, trees
from typed import SCOPE

from exitgate.core.language.checker.check import check
from exitgate.core.language.codes import CODES
from exitgate.core.language.measure import LENGTH_LIMIT
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse


def reads(text):
    """Parse; return the tree or None; problems must be fit to be shown."""
    try:
        return parse(text)
    except LanguageError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.code in CODES
            assert 0 <= problem.start <= problem.end <= len(text)
            assert problem.message
            assert not problem.message.endswith(".")
            assert problem.message != "the condition cannot be read"
        return None


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
@example("\ud800 > 3")
@example("x > ²")
@example("x > ٣")
@example("'")
@example("x\x0b> 3")
@example("x\u00a0> 3")
@example("¼%")
def test_any_text(text):
    reads(text)


@settings(max_examples=400, deadline=None)
@given(nearly)
def test_texts_that_nearly_read(text):
    tree = reads(text)
    if tree is not None:
        assert parse(unparse(tree)) == tree


@settings(max_examples=200, deadline=None)
@given(trees, st.data())
def test_a_text_with_a_piece_cut_out(tree, data):
    text = unparse(tree)
    at = data.draw(st.integers(0, len(text)))
    reads(text[:at] + text[at + data.draw(st.integers(1, 6)) :])


@settings(max_examples=200, deadline=None)
@given(trees)
def test_any_tree_is_checked_or_refused(tree):
    try:
        typed = check(tree, SCOPE)
    except LanguageError as error:
        assert {problem.code for problem in error.problems} <= set(CODES)
    else:
        assert all(node.type is not None for node in typed.walk())
        assert all(node.type.kind != "broken" for node in typed.walk())
        assert check(parse(unparse(typed)), SCOPE) == typed


@each(
    "piece", ["(", ")", "a ", "and ", "= ", "x.y", "1", '"', "not ", "a > 3 b ", "[", "min(", "-", "between "]
)
def test_hostile_texts_take_bounded_time(piece):
    text = (piece * LENGTH_LIMIT)[:LENGTH_LIMIT]
    with Steps(most=3_000_000):
        reads(text)
