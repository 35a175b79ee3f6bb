"""How far back a condition reads, what it costs, which facts it names; limits; order of conditions."""

import pytest
from cases import each
from golden import SCOPE

from exitgate.core.language.checker.check import check, limits
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.measure import (
    COST_LIMIT,
    circle,
    facts_of,
    lookback,
    measures,
    names_in,
    parameters_of,
    reachable,
    sizes_of,
)
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse

CONDITIONS = {
    "still": parse("tasks.done unchanged for 4 iterations"),
    "very": parse("(@still) for 3 consecutive iterations"),
}
LOOKBACK = {
    "a > 3": 0,
    "a unchanged for 3 iterations": 3,
    "a unchanged for $n iterations": 7,
    "(p) for 3 consecutive iterations": 2,
    "(p) for 1 consecutive iteration": 0,
    "at least 3 of last 5 where (p)": 4,
    "any of last $n where (p)": 6,
    "a declined by 70% over last 3": 3,
    "a rose by 70%": 1,
    "a repeats 3 times": 2,
    "a repeats 3 times within last 5": 4,
    "streak(p) > 2": 49,
    "streak(p, last 9) > 2": 8,
    "streak(p) skipping (a unchanged for 2 iterations) > 2": 51,
    "count(p, last 5) > 2": 4,
    "repeats(a) > 2": 49,
    "previous(a) > 2": 1,
    "first(a, last 4) > 2": 3,
    "distinct(a) > 2": 49,
    "occurrences(a) > 2": 49,
    "occurrences(a, last 5) > 2": 4,
    "cycles(a, last $n) > 2": 6,
    "(a unchanged for 3 iterations) for 2 consecutive iterations": 4,
    "previous(previous(a)) > 2": 2,
    "a unchanged for 3 iterations or b repeats 9 times": 8,
    "@still": 4,
    "@very and p": 6,
    "count(@very, last 5) > 1": 10,
    "@missing": 0,
}


@each("text", LOOKBACK)
def test_lookback(text):
    assert lookback(parse(text), {"n": 7}, CONDITIONS) == LOOKBACK[text]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("p", 1),
        ("a > 3", 3),
        ("a > 3 and p", 5),
        ("count(p, last 5) > 2", 13),
        ("@still", 12),
        ("@still or @still", 25),
    ],
)
def test_cost(text, want):
    """A node is 1; under a history form children count for each iteration it reads."""
    assert measures(parse(text), {}, CONDITIONS)[1] == want


def test_facts_and_parameters_by_way_of_conditions():
    tree = parse("@very and a.b > $x or $y is c")
    assert facts_of(tree, CONDITIONS) == {"tasks.done", "a.b", "c"}
    assert parameters_of(tree, CONDITIONS) == {"x", "y"}
    sizes = sizes_of(parse("a repeats $n times within last 5 or count(p, last $m) > 2"))
    assert [unparse(size) for size in sizes] == ["$n", "5", "$m"]


def chain(length):
    conditions = {"c0": parse("progress.made")}
    for i in range(1, length):
        conditions[f"c{i}"] = parse(f"not @c{i - 1} or @c{i - 1}")
    return conditions


def test_long_chains_and_wide_ones_are_measured_without_walking_them_out():
    conditions = chain(3000)
    tree = parse("@c2999")
    assert len(reachable(tree, conditions)) == 3000
    _, cost, depth = measures(tree, {}, conditions)
    assert depth > 3000
    assert cost > 2**2999
    with pytest.raises(LanguageError) as caught:
        check(tree, Scope(SCOPE.facts, {}, conditions))
    assert [problem.code for problem in caught.value.problems] == ["EP418", "EP419"]


def test_order_and_circles():
    conditions = {
        "a": parse("@b and @c"),
        "b": parse("@c"),
        "c": parse("p"),
        "d": parse("@d2"),
        "d2": parse("@d"),
    }
    assert reachable(parse("@a"), conditions) == ("c", "b", "a")
    assert names_in(parse("@b or @a or @b")) == ("b", "a")
    assert circle({name: conditions[name] for name in "abc"}) == ()
    assert circle(conditions) == ("d", "d2", "d")
    assert circle({"x": parse("not @x")}) == ("x", "x")
    assert set(reachable(parse("@d"), conditions)) == {"d", "d2"}


def test_limits_by_the_values_of_parameters():
    tree = check(parse("tasks.done unchanged for $stagnation_loops iterations"), SCOPE)

    def codes(value):
        return [problem.code for problem in limits(tree, {"stagnation_loops": value}, {})]

    assert codes(3) == codes(1000) == []
    assert codes(0) == codes(2.5) == ["EP414"]
    assert codes(1001) == ["EP416"]
    nested = check(
        parse("count((progress.made) for $stagnation_loops consecutive iterations, last 100) > 1"), SCOPE
    )
    assert limits(nested, {"stagnation_loops": 9}, {}) == ()
    (dear,) = limits(nested, {"stagnation_loops": 900}, {})
    assert dear.code == "EP418"
    assert str(COST_LIMIT) in dear.message


def test_a_tree_tells_what_it_uses_from_left_to_right_each_once_and_again() -> None:
    tree = parse("(b > $n or a > 3 or @c) and not (@d or @c) and b unchanged for $n iterations and a < $m")
    for _ in range(2):
        uses = tree.uses()
        assert uses["fact"] == ("b", "a")
        assert uses["parameter"] == ("n", "m")
        assert uses["condition"] == names_in(tree) == ("c", "d")
        assert uses.keys() == {part.op for part in tree.walk()}
    assert (tree.but(op="or").uses()["or"], tree) == ((), parse(unparse(tree)))
