"""A test of `max` or `min` over iterations and what the analysis takes it for come out the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.analysis.space.extremes import over_iterations
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import COUNT, NUMBER, Unknown

SCOPE = Scope({"x": FactSpec("x", NUMBER, "")}, {"n": COUNT}, {})
values = st.one_of(st.sampled_from((0, 1, 1.0, 1.5, 2, 3)), st.just(Unknown("not found", "x")))
limits = st.sampled_from(("0", "1", "1.5", "2", "$n"))
tests = st.one_of(
    st.builds("{}(x, last {}) {} {}".format, st.sampled_from(("max", "min")), st.integers(1, 4),
              st.sampled_from((">=", "<=", ">", "<", "==", "!=", "is", "is not")), limits),
    st.builds("{3} {2} {0}(x, last {1})".format, st.sampled_from(("max", "min")), st.integers(1, 4),
              st.sampled_from((">=", "<=", ">", "<", "==", "!=")), limits),
    st.builds("{}(x, last {}) between {} and 2".format, st.sampled_from(("max", "min")), st.integers(1, 4),
              st.sampled_from(("0", "1", "1.5", "2"))),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(tests, st.lists(values, min_size=1, max_size=5))
def test_they_come_out_the_same(text, series):
    node = check(parse(text), SCOPE)
    other = over_iterations(node)
    assert other is not None, text
    history = [{"x": value} for value in series]
    one, two = (compile_node(tree, {"n": 1}, {})(history) for tree in (node, other))
    assert isinstance(one, Unknown) if isinstance(two, Unknown) else one is two, text


def test_what_is_calculated_or_compared_with_a_fact_is_left_alone():
    for text in ("max(x / 3, last 2) > 1", "max(x, last 2) > x", "median(x, last 2) > 1", "max(x, 2) > 1"):
        assert over_iterations(check(parse(text), SCOPE)) is None, text
