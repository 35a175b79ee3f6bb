"""Laws of the three-valued logic, and that knowing more never turns a definite answer round."""

from __future__ import annotations

from itertools import product

import pytest
from cases import each
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from test_differential import checked, shape
from typed import FACTS, SCOPE, conditions, leaf, parameters, records

from exitgate.core.language.evaluation import kleene
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.tree import Node
from exitgate.core.model.exact import calculate
from exitgate.core.model.value import Type, Unknown

TRUTHS = (True, False, Unknown("not said", "test"))
#: Forms that may rightly change their mind when more is known.
NOT_MONOTONE = frozenset((
    "known", "unknown", "or_else", "silence", "first", "last", "declined", "rose",
))  # fmt: skip


def both(*truths: object) -> object:
    return kleene.conjunction(truths)


def either(*truths: object) -> object:
    return kleene.disjunction(truths)


@each(("a", "b", "c"), list(product(TRUTHS, repeat=3)))
def test_laws(a, b, c):
    no = kleene.negation
    assert no(no(a)) == a
    assert shape(both(a, b)) == shape(both(b, a))
    assert shape(either(a, b)) == shape(either(b, a))
    assert both(a, both(b, c)) == both(both(a, b), c) == both(a, b, c)
    assert either(a, either(b, c)) == either(either(a, b), c) == either(a, b, c)
    assert no(both(a, b)) == either(no(a), no(b))
    assert no(either(a, b)) == both(no(a), no(b))
    assert shape(both(a, either(b, c))) == shape(either(both(a, b), both(a, c)))
    assert either(a, both(a, b)) == a
    assert both(a, either(a, b)) == a


def test_an_unknown_is_neither_true_nor_false():
    with pytest.raises(TypeError):
        bool(Unknown("not said"))


def test_the_first_unknown_of_a_row_survives():
    first, second = Unknown("one", "a"), Unknown("two", "b")
    assert both(True, first, second) is first
    assert either(False, second, first) is second
    number = Type("count")
    tree = Node("compare", (">", *(Node("fact", (n,), type=number) for n in ("a", "b"))))
    assert compile_node(tree, {}, {})(({"a": first, "b": second},)) is first
    assert compile_node(tree, {}, {})(({"a": 1, "b": second},)) is second


@settings(deadline=None)
@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4), st.integers(0, 4))
def test_bounds_decide_exactly_where_all_numbers_within_agree(low, more, least, further):
    left, right = (low, low + more), (least, least + further)
    for sign, compare in kleene.COMPARISONS.items():
        outcomes = {compare(a, b) for a in range(low, left[1] + 1) for b in range(least, right[1] + 1)}
        wanted = outcomes.pop() if len(outcomes) == 1 else None
        assert kleene.between_bounds(sign, left, right) is wanted, (sign, left, right)


@st.composite
def more_known(draw, history):
    """The same records with some unknown or missing values filled in."""
    filled = []
    for record in history:
        fuller = dict(record)
        for name, (_kind, pool) in FACTS.items():
            value = record.get(name, Unknown(""))
            if isinstance(value, Unknown) and draw(st.booleans()):
                inside = [v for v in pool if value.least is None or value.least <= v <= value.most]
                fuller[name] = draw(st.sampled_from(inside))
        filled.append(fuller)
    return tuple(filled)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(conditions(), records(), parameters, st.data())
def test_knowing_more_keeps_definite_answers(node, history, settings_, data):
    names = {part.args[0] for part in node.walk() if part.op == "condition"}
    parts = [part for tree in (node, *(SCOPE.conditions[n] for n in names)) for part in tree.walk()]
    assume(not any(part.op in NOT_MONOTONE for part in parts))
    closure = compile_node(checked(node), settings_, SCOPE.conditions)
    before = closure(history)
    assume(not isinstance(before, Unknown))
    assert closure(data.draw(more_known(history))) is before


@pytest.mark.parametrize(("sign", "wanted"), [("div", "division by zero"), ("mul", "number out of range")])
def test_arithmetic_is_total(sign, wanted):
    result = calculate(sign, 1e200, 0 if sign == "div" else 1e200)
    assert result == Unknown(wanted, sign)


def test_a_stand_in_does_not_break_silence():
    class Standing(dict):
        stand_ins = frozenset(("status.exit_signal",))

    silent = compile_node(leaf("silence"), {}, {})
    assert silent((Standing({"status.exit_signal": False}),)) is True
    assert silent(({"status.exit_signal": False},)) is False
    assert compile_node(leaf("silence"), {}, {}, unread=("points",))(({"points": 0},)) is True
