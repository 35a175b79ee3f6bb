"""Calculation is exact: held against fractions, on the way from the text of a condition to its truth."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations
from statistics import median, pvariance

import pytest
import yaml
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from typed import leaf

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.closures import Compilation, compile_node
from exitgate.core.language.evaluation.kleene import COMPARISONS
from exitgate.core.language.literals import duration, number, shown
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse
from exitgate.core.model.exact import BITS, MOST, Ratio, calculate, exact, pair, recorded
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import COUNT, NUMBER, PERCENT, Unknown, micro
from exitgate.core.policy.values import from_text, from_yaml

FACTS = {"done": COUNT, "total": COUNT, "x": NUMBER, "share": PERCENT}
SCOPE = Scope({name: FactSpec(name, type_, "") for name, type_ in FACTS.items()}, {}, {})
SIGNS = (">=", "<=", ">", "<", "==", "!=")

decimals = st.builds(
    lambda digits, places: shown(float(Fraction(digits, 10**places))),
    st.integers(0, 99999),
    st.integers(0, 6),
)
floats = st.floats(allow_nan=False, allow_infinity=False)
numbers = st.one_of(floats, st.integers(-(10**20), 10**20), decimals.map(float))


def held(left: Fraction, sign: str, right: Fraction) -> bool:
    """Return whether a comparison of exact numbers holds."""
    return {
        ">=": left >= right, "<=": left <= right, ">": left > right, "<": left < right,
        "==": left == right, "!=": left != right,
    }[sign]  # fmt: skip


def answers(text: str, **facts: object) -> object:
    """Return the truth of a condition, on which both evaluators agree."""
    tree = check(parse(text), SCOPE)
    value, other = compile_node(tree, {}, {})((facts,)), evaluate(tree, (facts,), {}, {})
    assert isinstance(value, Unknown) == isinstance(other, Unknown), text
    assert isinstance(value, Unknown) or value is other, text
    return value


@st.composite
def sums(draw: st.DrawFn, depth: int = 3) -> tuple[str, Fraction | None]:
    """A sum in the language and what it comes to; None where it divides by zero."""
    if depth == 0 or not draw(st.integers(0, 3)):
        text = draw(decimals)
        return text, Fraction(text)
    sign = draw(st.sampled_from("+-*/"))
    (one, a), (other, b) = draw(sums(depth - 1)), draw(sums(depth - 1))
    text = f"({one} {sign} {other})"
    if a is None or b is None or (sign == "/" and b == 0):
        return text, None
    return text, a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b


@settings(max_examples=200, deadline=None)
@given(sums(), st.sampled_from(SIGNS), sums())
def test_a_comparison_of_calculated_numbers_is_that_of_fractions(one, sign, other):
    (left, a), (right, b) = one, other
    text = f"x * 0 + {left} {sign} x * 0 + {right}"  # a fact, so that nothing is refused as constant
    try:
        found = answers(text, x=0)
    except LanguageError as error:
        assert {problem.code for problem in error.problems} == {"EP422"}, text
        return
    if a is None or b is None:
        assert isinstance(found, Unknown)
    else:
        assert found is held(a, sign, b), text


@settings(max_examples=200, deadline=None)
@given(st.lists(st.decimals(0, 1000, places=6), min_size=1, max_size=50))
def test_money_adds_to_what_it_is(amounts):
    """In a condition, over a history, and as a total that grows from iteration to iteration."""
    exactly = sum(map(Fraction, amounts))
    history = tuple({"x": float(amount)} for amount in amounts)
    tree = check(parse("sum(x, last 50)"), SCOPE, None)
    assert compile_node(tree, {}, {})(history) == evaluate(tree, history, {}, {}) == float(exactly)
    total: float = 0
    for amount in amounts:
        total = micro(total + micro(float(amount)))
    assert total == float(exactly)
    assert Fraction(repr(total)) == exactly


@settings(max_examples=100, deadline=None)
@given(st.lists(st.decimals(-1000, 1000, places=4), min_size=1, max_size=30), st.integers(0, 1000))
def test_values_by_size_are_those_of_statistics(amounts, tenths):
    """Held against the definitions: sorted, by nearest rank, and a root between two squares."""
    history = tuple({"x": float(amount)} for amount in amounts)
    share = shown(tenths / 10)
    texts = ("min(x, last 30)", "max(x, last 30)", "median(x)", f"percentile(x, {share}%)", "deviation(x)")
    found = []
    for text in texts:
        tree = check(parse(text), SCOPE, None)
        found.append(Compilation({}, {}).closure(tree)(history))
        assert recorded(found[-1]) == evaluate(tree, history, {}, {}), text
    ordered, size = sorted(map(Fraction, amounts)), len(amounts)
    enough = [one for at, one in enumerate(ordered, 1) if at * 1000 >= tenths * size]
    exactly = [Fraction(*pair(value)) for value in found]
    assert exactly[:3] == [ordered[0], ordered[-1], median(ordered)]
    assert exactly[3] == enough[0]
    half = Fraction(1, 2 * 10**6)
    assert max(0, exactly[4] - half) ** 2 <= pvariance(ordered) < (exactly[4] + half) ** 2


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 10**9), st.sampled_from(SIGNS))
def test_a_recorded_percentage_is_that_of_its_counts(done, total, sign):
    found = answers(f"share {sign} 100 * done / total", done=done, total=total, share=100 * done / total)
    assert found is (sign in (">=", "<=", "=="))


@settings(max_examples=200, deadline=None)
@given(*[st.integers(0, 10**12)] * 2, *[st.integers(1, 10**12)] * 2, st.sampled_from(SIGNS))
def test_quotients_compare_by_multiplication(a, b, c, d, sign):
    found = answers(f"done / {c} {sign} total / {d}", done=a, total=b)
    assert found is held(Fraction(a, c), sign, Fraction(b, d))


@given(numbers, numbers, st.sampled_from(SIGNS))
def test_an_exact_number_compares_as_its_decimal(a, b, sign):
    """With another exactly, with a float as the float that it would be recorded as."""
    one, other = exact(a), exact(b)
    left, right = (Fraction(repr(v)) if isinstance(v, float) else Fraction(v) for v in (a, b))
    if isinstance(one, Ratio):
        compared = COMPARISONS[sign]
        assert compared(one, other) is held(left, sign, right)
        assert compared(one, float(b)) is held(Fraction(float(left)), sign, Fraction(float(b)))
        assert compared(float(b), one) is held(Fraction(float(b)), sign, Fraction(float(left)))
    assert (one == other) is (left == right)
    assert one != other or hash(one) == hash(other)


@given(floats)
def test_a_float_is_its_shortest_decimal_and_comes_back(value):
    assert Fraction(*pair(value)) == Fraction(repr(value))
    assert Fraction(*pair(recorded(exact(value)))) == Fraction(repr(value))
    # above that floats do not hold every whole number, and compare with whole ones as the floats they are
    assert recorded(exact(value)) == value or abs(value) > 2**53


@given(numbers, numbers)
def test_signs_sizes_and_wholes(a, b):
    difference = calculate("sub", a, b)
    if isinstance(difference, Unknown):
        return
    exactly = Fraction(*pair(difference))
    assert Fraction(*pair(-difference)) == -exactly  # type: ignore[operator]
    assert Fraction(*pair(abs(difference))) == abs(exactly)  # type: ignore[arg-type]
    assert int(difference) == int(exactly)  # type: ignore[call-overload]
    assert isinstance(difference, int) is (exactly.denominator == 1)


@each("order", list(permutations(range(3))))
def test_values_that_are_equal_to_a_third_are_equal(order):
    """A third, what differs from it by less than a float can tell, and the float of both."""
    near = {"done": 3333333333333333, "total": 10**16}
    values = ({"done": 1, "total": 3}, near, {"x": 1 / 3})
    history = tuple(values[at] for at in order)
    for text in (
        "distinct((done / total) or else x, last 3) == 1",
        "((done / total) or else x) repeats 3 times",
    ):
        tree = check(parse(text), SCOPE)
        assert compile_node(tree, {}, {})(history) is True
        assert evaluate(tree, history, {}, {}) is True
    tree = check(parse("distinct(done / total, last 2) == 2"), SCOPE)
    assert compile_node(tree, {}, {})(values[:2]) is True  # without a float they differ
    assert evaluate(tree, values[:2], {}, {}) is True


def test_no_calculation_grows_without_end():
    value: object = 1.1
    for _ in range(64):
        value = calculate("mul", value, value)
        if isinstance(value, Unknown):
            break
        over, under = pair(value)
        assert abs(over) <= MOST * under
        assert max(over.bit_length(), under.bit_length()) <= BITS
    assert value == Unknown("number out of range", "mul")


@each("value", (float("inf"), float("-inf"), float("nan")))
@pytest.mark.parametrize("sign", ["add", "sub", "mul", "div"])
def test_what_is_not_finite_is_out_of_range(value, sign):
    assert calculate(sign, 1, value) == calculate(sign, value, 1) == Unknown("number out of range", sign)


# Written forms

_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": Fraction(1, 1000)}
amounts = st.decimals(0, 99999, places=4).map(lambda v: shown(float(v)))
durations = st.lists(st.sampled_from(tuple(_UNITS)), min_size=1, max_size=5, unique=True).flatmap(
    lambda units: st.tuples(*(st.tuples(amounts, st.just(u)) for u in sorted(units, key=tuple(_UNITS).index)))
)


@settings(max_examples=150, deadline=None)
@given(amounts, st.sampled_from(("", "%", " USD")))
def test_a_written_number_is_the_same_in_every_form(text, unit):
    tree = parse(text + unit)
    value = tree.args[0]
    assert Fraction(repr(value)) == Fraction(text)
    assert unparse(tree) == text + unit
    assert parse(unparse(tree)) == tree
    assert json.loads(json.dumps(value)) == yaml.safe_load(yaml.safe_dump(value)) == value
    if not unit:
        assert from_yaml(NUMBER, yaml.safe_load(text), text) == from_text(NUMBER, text) == value


@settings(max_examples=150, deadline=None)
@given(durations)
def test_a_written_duration_is_the_sum_of_its_parts(parts):
    text = "".join(amount + unit for amount, unit in parts)
    seconds = duration(text, 0)
    exactly = sum(Fraction(amount) * _UNITS[unit] for amount, unit in parts)
    assert seconds == float(exactly)
    tree = parse(text)
    assert parse(unparse(tree)) == tree == leaf("duration", seconds, text)
    assert json.loads(json.dumps(seconds)) == seconds


@each("text", ("0.1234567890123456789", "999999999999999.99", "0.30000000000000004000001"))
def test_a_number_of_which_a_digit_would_be_lost_is_refused(text):
    with pytest.raises(LanguageError) as caught:
        number(text, 3)
    (problem,) = caught.value.problems
    assert (problem.code, problem.start, problem.end) == ("EP312", 3, 3 + len(text))
    assert problem.help == f"write `{shown(float(text))}`"
    assert number(shown(float(text)), 0) == float(text)
