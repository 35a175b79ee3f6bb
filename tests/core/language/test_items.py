"""Conditions on the items of a list: the limit, what they cost, values of wrong types, how they are shown."""

from __future__ import annotations

from itertools import product

from cases import each
from typed import SCOPE

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.evaluation.unknowns import unknowns
from exitgate.core.language.functions import ITEM_LIMIT
from exitgate.core.language.measure import measures
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import written
from exitgate.core.model.value import Unknown

LONG = ("o",) * ITEM_LIMIT


def both(text: str, **facts: object) -> object:
    """The value, on which both evaluators agree; an unknown as `unknown`."""
    node = check(parse(text), SCOPE, None)
    record = {name.replace("_", "."): value for name, value in facts.items()}
    found = [compile_node(node, {}, {})([record]), evaluate(node, [record], {}, {})]
    one, other = ("unknown" if isinstance(value, Unknown) else value for value in found)
    assert one == other, text
    return one


#: Condition, items behind `LONG`, what comes out.
BEYOND = {
    ('any of l.a where (item is "o")', 1): True,
    ('any of l.a where (item is "x")', 0): False,
    ('any of l.a where (item is "x")', 1): "unknown",
    ('all of l.a where (item is "o")', 0): True,
    ('all of l.a where (item is "o")', 1): "unknown",
    ('all of l.a where (item is "x")', 1): False,
    ('count of l.a where (item is "o")', 0): ITEM_LIMIT,
    ('count of l.a where (item is "o")', 2): "unknown",
    (f'count of l.a where (item is "o") >= {ITEM_LIMIT}', 2): True,
    (f'count of l.a where (item is "o") > {ITEM_LIMIT + 2}', 2): False,
    (f'count of l.a where (item is "o") > {ITEM_LIMIT}', 2): "unknown",
}


@each("asked", BEYOND)
def test_items_behind_the_limit_may_be_anything(asked):
    text, more = asked
    # what is there behind the limit is not looked at: the answer is the same for all of it
    for behind in {("o",) * more, ("x",) * more}:
        assert both(text, l_a=LONG + behind) == BEYOND[asked], behind


def test_the_cost_counts_a_condition_once_for_each_item():
    def cost(text: str, **parameters: object) -> int:
        return measures(check(parse(text), SCOPE, None), parameters, {})[1]

    one = cost('any of [s.a] where (item is "x")')
    assert cost('any of [s.a, s.b, "y"] where (item is "x")') - one == 2 * (3 + 1)
    assert cost('any of l.a where (item is "x")') == 2 + 3 * ITEM_LIMIT
    assert cost("any of $l where (item is OPEN)", l=("OPEN", "CLOSED")) == 2 + 3 * 2
    history = 'any of last 2 where (any of l.a where (item is "x"))'
    assert cost(history) > 2 * 3 * ITEM_LIMIT


def test_an_item_of_a_wrong_class_is_unknown():
    assert both("any of l.n where (item > 2)", l_n=(3, "x")) is True
    assert both("any of l.n where (item > 3)", l_n=(3, "x")) == "unknown"
    assert both("count of l.n where (item is known)", l_n=(3, "x", True)) == 1


def test_quantifiers_are_each_other_negated():
    """De Morgan's laws, also with unknown items; the count is none, or that of the list."""
    pool = ("a", "b", Unknown("not found", "s.a"))
    for first, second in product(pool, repeat=2):
        facts = {"s_a": first, "s_b": second}
        asked = [
            both(text, **facts)
            for text in (
                'any of [s.a, s.b] where (item is "a")',
                'not (all of [s.a, s.b] where (not (item is "a")))',
                'count of [s.a, s.b] where (item is "a") >= 1',
                'not (count of [s.a, s.b] where (not (item is "a")) == 2)',
            )
        ]
        assert len(set(asked)) == 1, (facts, asked)


def test_unknowns_are_those_of_the_items_that_matter():
    node = check(parse("any of l.a where (item is s.b and not (item is s.a))"), SCOPE)
    record = {"l.a": ("a", "b"), "s.b": "b", "s.a": Unknown("not found", "s.a")}
    assert [one.origin for one in unknowns(node, [record], {}, {})] == ["s.a"]
    known = {**record, "l.a": ("a",)}
    assert unknowns(node, [known], {}, {}) == ()


def test_items_that_it_is_true_of_are_shown():
    node = check(parse('any of l.a where (item matches "^d" and flag.a)'), SCOPE)
    text = written(node, [{"l.a": ("a", "d", "db"), "flag.a": True}], {}, {})
    assert text == (
        'any of l.a (["a", "d", "db"]; true of ["d", "db"]) where (item matches "^d" and flag.a (true))'
    )
    assert "true of" not in written(node, [{"l.a": ("a",), "flag.a": True}], {}, {})
