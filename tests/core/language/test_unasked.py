"""Conditions over values that nobody has asked for yet, against what every answer gives."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typed import PARAMETERS, SCOPE, conditions, records

from exitgate.core.language.checker.check import check
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.evaluation.unasked import APART, Unasked
from exitgate.core.language.functions import HISTORY
from exitgate.core.language.measure import facts_of
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.value import NOT_ASKED, Unknown

LEFT = Unknown(NOT_ASKED, "probe")
FLAGS = ("flag.a", "flag.b")
VALUES = {name: values[0] for name, (_, values) in PARAMETERS.items()}


def compilation():
    return Compilation(VALUES, SCOPE.conditions)


def of(text):
    return check(parse(text), SCOPE, None)


def truths(text, **record):
    node = of(text)
    found = Unasked(compilation(), {}).truths(
        node, [{name.replace("__", "."): v for name, v in record.items()}]
    )
    return "".join(letter for letter, value in (("t", True), ("f", False), ("u", None)) if value in found)


@pytest.mark.parametrize(
    ("text", "record", "found"),
    [
        ("flag.a", {"flag__a": LEFT}, "tfu"),
        ("not flag.a", {"flag__a": LEFT}, "tfu"),
        ("flag.a is known", {"flag__a": LEFT}, "tf"),
        ("n.a is unknown", {"n__a": LEFT}, "tf"),
        ("flag.a or else false", {"flag__a": LEFT}, "tf"),
        ("(n.a or else 3) >= 3", {"n__a": 4, "n__b": LEFT}, "t"),
        ("(n.a or else n.b) >= 3", {"n__a": Unknown("no"), "n__b": LEFT}, "tfu"),
        ("flag.a and flag.b", {"flag__a": LEFT, "flag__b": False}, "f"),
        ("flag.a and flag.b", {"flag__a": LEFT, "flag__b": Unknown("no")}, "fu"),
        ("flag.a or flag.b", {"flag__a": LEFT, "flag__b": True}, "t"),
        ("flag.a and not flag.a", {"flag__a": LEFT}, "fu"),
        ("flag.a or flag.a is unknown or not flag.a", {"flag__a": LEFT}, "t"),
        ("n.a >= n.b", {"n__a": Unknown("no"), "n__b": LEFT}, "u"),
        ("n.a >= n.b", {"n__a": Unknown("no", "x", 1, 2), "n__b": LEFT}, "tfu"),
        ("n.a >= 3", {"n__a": 4, "n__b": LEFT}, "t"),
    ],
)  # fmt: skip
def test_what_it_can_come_out_as(text: str, record: dict[str, object], found: str) -> None:
    assert truths(text, **record) == found


@pytest.mark.parametrize(
    ("text", "known", "needs"),
    [
        ("flag.a and flag.b", {}, {"flag.a", "flag.b"}),
        ("flag.a and flag.b", {"flag.a": True}, {"flag.b"}),
        ("flag.a and flag.b", {"flag.a": Unknown("no")}, set()),
        ("(flag.a and n.a >= 3) or flag.b", {"flag.a": Unknown("no")}, {"flag.b"}),
        ("not (flag.a and flag.b)", {"flag.a": True}, {"flag.b"}),
        ("n.a >= n.b", {"n.a": 3}, {"n.b"}),
    ],
)  # fmt: skip
def test_what_has_to_be_asked_for_before_it_can_be_true(
    text: str, known: dict[str, object], needs: set[str]
) -> None:
    node = of(text)
    record = {name: known.get(name, LEFT) for name in facts_of(node, SCOPE.conditions)}
    assert Unasked(compilation(), {}).needs(node, [record]) == needs


def test_a_computed_fact_is_open_where_a_part_is():
    node, rows = of("n.a >= 3"), [of("flag.a"), of("flag.b")]
    one = Unasked(compilation(), {"n.a": rows})
    assert one.truths(node, [{"n.a": 0, "flag.a": LEFT, "flag.b": True}]) == {
        True,
        False,
        None,
    }
    assert one.needs(node, [{"n.a": 0, "flag.a": LEFT, "flag.b": True}]) == {"flag.a"}
    assert one.truths(node, [{"n.a": 4, "flag.a": False, "flag.b": True}]) == {True}


@settings(max_examples=150, deadline=None)
@given(conditions(3), records(strays=False), st.data())
def test_every_answer_gives_a_truth_that_was_foreseen(node, run, data) -> None:
    try:
        node = check(node, SCOPE, None)
    except LanguageError:
        assume(False)
    names = sorted(facts_of(node, SCOPE.conditions))
    assume(names)
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    other = data.draw(records(strays=False))[-1]
    *before, last = run
    left = [*before, {**last, **dict.fromkeys(chosen, LEFT)}]
    answered = [*before, {**last, **{name: other.get(name, Unknown("no answer", name)) for name in chosen}}]
    made = compilation()
    value = made.closure(node)(answered)
    found = Unasked(made, {}).truths(node, left)
    assert (value if isinstance(value, bool) else None) in found
    if value is True:
        assert len(found) == 1 or Unasked(made, {}).needs(node, left)


FLAG = st.sampled_from(FLAGS)
ANSWERS = st.fixed_dictionaries(
    {name: st.sampled_from((True, False, Unknown("no"))) for name in (*FLAGS, "x")}
)
PLAIN = st.recursive(
    FLAG | st.just("n.a >= 3"),
    lambda inner: st.one_of(
        st.builds("({}){}({})".format, inner, st.sampled_from((" and ", " or ", " or else ")), inner),
        inner.map(lambda one: f"not ({one})"),
        inner.map(lambda one: f"({one}) is known"),
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(PLAIN, st.sets(FLAG, min_size=1), ANSWERS)
def test_of_truths_no_more_are_foreseen_than_some_answer_gives(text, left, values) -> None:
    try:
        node = of(text)
    except LanguageError:
        assume(False)
    record = {name: values[name] for name in FLAGS} | {"n.a": 3 if values["x"] is True else Unknown("no")}
    left = sorted(left & facts_of(node, SCOPE.conditions))
    assume(len(left) <= APART)
    made = compilation()
    test = made.closure(node)
    given_ = (
        dict(zip(left, some, strict=True)) for some in product((True, False, Unknown("no")), repeat=len(left))
    )
    answers = {test([{**record, **one}]) for one in given_}
    found = Unasked(made, {}).truths(node, [{**record, **dict.fromkeys(left, LEFT)}])
    assert found == {one if isinstance(one, bool) else None for one in answers}


def test_of_history_nothing_is_settled_while_something_is_open():
    node = of("(flag.a) for 2 consecutive iterations")
    assert node.op in HISTORY
    found = Unasked(compilation(), {}).truths(node, [{"flag.a": False}, {"flag.a": LEFT}])
    assert found == {True, False, None}
