"""What is known stays so: no value for anything unknown changes an answer that was definite."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import product
from math import sqrt

import pytest
from bounded import ends_of
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from typed import FACTS, SCOPE, conditions, parameters, records, values

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.functions import ON_UNKNOWN
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import Unknown

EXAMPLES = int(os.environ.get("EXITGATE_EXAMPLES", "200"))
thorough = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


def exempt(node) -> bool:
    return any(part.op in ON_UNKNOWN for part in node.walk())


@st.composite
def filled(draw, history):
    """The same records with values for some, or all, of what is unknown."""
    every = draw(st.booleans())
    found = []
    for record in history:
        known = dict(record)
        for name, (_kind, pool) in FACTS.items():
            value = known.get(name, Unknown(""))
            if isinstance(value, Unknown) and (every or draw(st.booleans())):
                inside = [v for v in pool if value.least is None or value.least <= v <= value.most]
                known[name] = draw(st.sampled_from(inside))
        found.append(known)
    return tuple(found)


def typed(node, want_bool=True):
    try:
        return check(node, SCOPE) if want_bool else check(node, SCOPE, None)
    except LanguageError:
        assume(False)


@thorough
@given(conditions().filter(lambda node: not exempt(node)), records(strays=False), parameters, st.data())
def test_conditions(node, history, settings_, data):
    tree = typed(node)
    answers = (
        compile_node(tree, settings_, SCOPE.conditions)(history),
        evaluate(tree, history, settings_, SCOPE.conditions),
    )
    assume(not isinstance(answers[0], Unknown))
    for _ in range(4):
        more = data.draw(filled(history))
        assert compile_node(tree, settings_, SCOPE.conditions)(more) is answers[0], unparse(tree)
        assert evaluate(tree, more, settings_, SCOPE.conditions) is answers[1], unparse(tree)


@thorough
@given(st.sampled_from(("count", "number", "percent", "duration", "money", "text", "enum")), st.data())
def test_values(kind, data):
    tree = typed(data.draw(values(kind, 3).filter(lambda node: not exempt(node))), want_bool=False)
    history, settings_ = data.draw(records(strays=False)), data.draw(parameters)
    answer = compile_node(tree, settings_, SCOPE.conditions)(history)
    assume(not isinstance(answer, Unknown))
    more = data.draw(filled(history))
    assert compile_node(tree, settings_, SCOPE.conditions)(more) == answer, unparse(tree)
    assert evaluate(tree, more, settings_, SCOPE.conditions) == answer, unparse(tree)


U = Unknown("not found")
#: Form -> what it is asked about, as texts; values of the fact; how long a series is looked at.
COUNTS = {
    "streak(flag.a)": ("flag.a", (True, False), 5),
    "streak(flag.a, last 3)": ("flag.a", (True, False), 4),
    "count(flag.a, last 3)": ("flag.a", (True, False), 4),
    "repeats(g.a)": ("g.a", ("a", "b", "c"), 4),
    "repeats(g.a, last 4)": ("g.a", ("a", "b", "c"), 4),
    "distinct(g.a, last 4)": ("g.a", ("a", "b", "c", "d"), 4),
    "occurrences(g.a, last 4)": ("g.a", ("a", "b", "c"), 4),
    "occurrences(l.a, last 3)": ("l.a", ((), ("a",), ("b", "c"), ("a", "b")), 3),
    "cycles(g.a, last 6)": ("g.a", ("a", "b"), 6),
}


@pytest.mark.parametrize("text", COUNTS)
def test_bounds_hold_every_count_that_values_for_the_unknown_can_give(text):
    name, pool, length = COUNTS[text]
    node = check(parse(text), SCOPE, None)
    bounds = ends_of(node)
    exact = {}
    for series in product(pool, repeat=length):
        least, most = bounds([{name: value} for value in series])
        assert least == most
        exact[series] = least
    for series in product((U, *pool[:2]), repeat=length):
        ways = product(*(pool if value is U else (value,) for value in series))
        counts = {exact[way] for way in ways}
        least, most = bounds([{name: value} for value in series])
        assert least <= min(counts), series
        assert most >= max(counts), series
        assert least == most if U not in series else most == max(counts) or "l.a" in text, series


RANKED = (
    "max(x.a, last 4)",
    "min(x.a, last 4)",
    "median(x.a, last 3)",
    "median(x.a, last 4)",
    "percentile(x.a, 30%, last 4)",
    "percentile(x.a, 50%, last 4)",
    "percentile(x.a, 75%, last 4)",
    "deviation(x.a, last 3)",
)


@pytest.mark.parametrize("text", RANKED)
def test_a_value_by_size_lies_between_what_values_for_the_unknown_can_give(text):
    node = check(parse(text), SCOPE, None)
    bounds = ends_of(node)
    pool, far = (1, 2.5, 4), 10**6
    length = 3 if "last 3" in text else 4
    for series in product((U, *pool), repeat=length):
        ways = product(*((-far, *pool, 1.75, far) if value is U else (value,) for value in series))
        found = [bounds([{"x.a": value} for value in way]) for way in ways]
        assert all(least == most for least, most in found)
        values_ = [least for least, _ in found]
        least, most = bounds([{"x.a": value} for value in series])
        if least is None:
            assert min(values_) < -far / 4, series
        elif "deviation" in text:
            assert least <= min(values_), series
        else:
            assert least == min(values_), series
        if most is None:
            assert max(values_) > far / 4, series
        else:
            assert most == max(values_), series


@pytest.mark.parametrize("text", RANKED)
def test_a_value_by_size_lies_between_what_values_within_their_bounds_can_give(text):
    node = check(parse(text), SCOPE, None)
    ends, length = ends_of(node), 3 if "last 3" in text else 4
    inside = {
        Unknown("open", "x.a", 1, 3): (1, 2, 3),
        Unknown("open", "x.a", 2.5, float("inf")): (2.5, 9, 10**6),
    }
    for series in product((*inside, 2, 4), repeat=length):
        ways = product(*(inside.get(value, (value,)) for value in series))
        values_ = [ends([{"x.a": value} for value in way])[0] for way in ways]
        least, most = ends([{"x.a": value} for value in series])
        if "deviation" in text:
            assert least <= min(values_), series
            assert most is None or most >= max(values_), series
            continue
        assert least == min(values_), series
        assert most == max(values_) or (most is None and max(values_) > 10**5), series


SPANS = st.tuples(st.integers(0, 9), st.integers(0, 6), st.sampled_from("==== -+*"))
FAR = float("inf")


def deviation(values: Iterable[float]) -> float:
    """The standard deviation of a whole population, by its definition."""
    found = [*values]
    center = sum(found) / len(found)
    return sqrt(sum((value - center) ** 2 for value in found) / len(found))


@settings(max_examples=100)
@given(st.lists(SPANS, min_size=1, max_size=4), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_a_deviation_lies_between_what_values_within_their_bounds_can_give(
    spans: list[tuple[int, int, str]], shares: list[float]
) -> None:
    ends = ends_of(check(parse("deviation(x.a, last 4)"), SCOPE, None))
    pairs = [
        (low, low)
        if kind == "="
        else (-FAR if kind in "-*" else low, FAR if kind in "+*" else low + width + 1)
        for low, width, kind in spans
    ]
    series = [low if low == high else Unknown("open", "x.a", low, high) for low, high in pairs]
    least, most = ends([{"x.a": value} for value in series])
    if len(pairs) == 1:
        assert (least, most) == ((0, 0) if spans[0][2] != "*" else (0, None))
        return
    assert (most is None) == any(kind in "-+*" for _, _, kind in spans)
    within = [(max(low, -99), min(high, 99)) for low, high in pairs]
    drawn = [low + share * (high - low) for (low, high), share in zip(within, shares, strict=False)]
    for values_ in (drawn, *product(*within)):
        assert least - 1e-6 <= deviation(values_) <= (FAR if most is None else most) + 1e-6
    # the least is the least there is: where all of up to 4 values lie as near as they can to some k/12
    nearest = (deviation(min(max(at / 12, low), high) for low, high in pairs) for at in range(16 * 12 + 1))
    assert abs(least - min(nearest)) < 2e-6
    if all(low == high for low, high in pairs):
        assert least == most


def test_the_outermost_percentiles_are_the_smallest_and_the_largest_value_of_any_window():
    pairs = (("percentile(x.a, 0%, {})", "min(x.a, {})"), ("percentile(x.a, 100%, {})", "max(x.a, {})"))
    for (text, other), window in product(pairs, ("last 3", "last 1m", "last 3 per g.a", "last 1m per g.a")):
        bounds = [ends_of(check(parse(one.format(window)), SCOPE, None)) for one in (text, other)]
        for times, keys in product(product((U, 0, 30), (60,)), product((U, "a"), ("a", U))):
            history = [
                {"x.a": value, "clock.elapsed": time, "g.a": key}
                for value, time, key in zip((3, 1), times, keys, strict=True)
            ]
            assert bounds[0](history) == bounds[1](history), (text, window, times, keys)


def test_a_streak_is_bounded_over_both_values_of_an_unknown_skipping():
    node = check(parse("streak(flag.a) skipping (flag.b)"), SCOPE, None)
    bounds = ends_of(node)
    pairs = list(product((True, False, U), repeat=2))
    for series in product(pairs, repeat=3):
        ways = product(
            *(
                product((True, False) if a is U else (a,), (True, False) if b is U else (b,))
                for a, b in series
            )
        )
        counts = [bounds([{"flag.a": a, "flag.b": b} for a, b in way])[0] for way in ways]
        assert bounds([{"flag.a": a, "flag.b": b} for a, b in series]) == (min(counts), max(counts)), series


@pytest.mark.parametrize("text", ["x.a declined by 50% over last 2", "x.a rose by 50% over last 2"])
def test_a_move_is_open_only_while_an_unknown_value_can_change_it(text):
    node = check(parse(text), SCOPE)
    test = compile_node(node, {}, {})
    pool = (-3, -1, 0, 1, 2, 3, 4, 8)
    for series in product((U, -1, 0, 2, 4), repeat=3):
        ways = product(*(pool if value is U else (value,) for value in series))
        answers = [test([{"x.a": value} for value in way]) for way in ways]
        answer = test([{"x.a": value} for value in series])
        if not isinstance(answer, Unknown):
            assert all(one is answer for one in answers), series
