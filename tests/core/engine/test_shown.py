"""Values in messages, by type; nothing makes a message fail or steer a terminal."""

import math

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.chain import compile_message
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import value_text
from exitgate.core.model.display import TEXT_LIMIT, shown
from exitgate.core.model.value import COUNT, DURATION, PERCENT, SIGNATURE, TEXT, Type, Unknown
from exitgate.core.policy.compiled import LISTED
from policies import FACTS, STATE, UNKNOWN, parameter, policy

MONEY = Type("money", currency="USD")
NUMBER = Type("number")


@each(
    ("value", "type_", "want"),
    [
        (80, PERCENT, "80%"),
        (33.333333333333336, PERCENT, "~33.33%"),
        (79.96, PERCENT, "79.96%"),
        (79.9999999, PERCENT, "79.9999999%"),
        (0, COUNT, "0"),
        (10**9, COUNT, "1000000000"),
        (0.5, NUMBER, "0.5"),
        (3.0, NUMBER, "3"),
        (-2.25, NUMBER, "-2.25"),
        (0, DURATION, "0s"),
        (1800, DURATION, "30m"),
        (7500, DURATION, "2h 5m"),
        (90061, DURATION, "~1d 1h"),
        (7500.25, DURATION, "~2h 5m"),
        (-90061, DURATION, "~-1d 1h"),
        (1.5, DURATION, "1.5s"),
        (0.25, DURATION, "250ms"),
        (-60, DURATION, "-1m"),
        (5, MONEY, "5 USD"),
        (4.5, MONEY, "4.50 USD"),
        (0.001, MONEY, "0.001 USD"),
        (4.999, MONEY, "4.999 USD"),
        (0.166667, MONEY, "0.166667 USD"),
        (1.2345678, MONEY, "~1.23 USD"),
        (0.0000024, MONEY, "0.0000024 USD"),
        ("OPEN", STATE, "OPEN"),
        (("A", "B"), Type("list", item=STATE), "A, B"),
        ((), Type("list", item=TEXT), "none"),
        (tuple(range(12)), Type("list", item=COUNT), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"),
        (True, None, "true"),
        (UNKNOWN, PERCENT, "unknown"),
        (None, TEXT, "unknown"),
        ("a\nb\x1b[31m\u202e", TEXT, "a\\nb\\x1b[31m\\u202e"),
        ("\ud800 é \u3000", TEXT, "\\ud800 é \u3000"),
        ("abc", PERCENT, "abc"),
        (float("nan"), PERCENT, "nan%"),
        (float("inf"), DURATION, "inf"),
    ],
)
def test_shown(value, type_, want):
    assert shown(value, type_) == want


def test_long_text_is_cut():
    text = shown("x" * 5000, TEXT)
    assert len(text) == TEXT_LIMIT
    assert text.endswith("x…")


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(exclude_categories=[])),
    st.just(Unknown("why")), st.tuples(st.text(), st.integers()), st.just(10**5000), st.binary(),
)  # fmt: skip
TYPES = st.sampled_from([None, PERCENT, COUNT, DURATION, MONEY, TEXT, SIGNATURE, STATE, Type("money")])


@given(VALUES, TYPES)
@settings(max_examples=300, deadline=None)
def test_shown_never_raises_nor_breaks_the_line(value, type_):
    text = shown(value, type_)
    assert text.isprintable() or {c for c in text if not c.isprintable()} <= set("\u00a0\u3000")
    text.encode("utf-8")


@given(st.floats(0, 100), st.sampled_from([70, 80, 95.5, 100]))
@settings(max_examples=300, deadline=None)
def test_a_percent_shown_whole_is_whole(value, limit):
    text = shown(value, PERCENT)
    assert ("." not in text and "e" not in text) == float(value).is_integer()


NEAR = st.builds(
    lambda whole, places, ulps: (whole / 10**places, moved(whole / 10**places, ulps)),
    st.integers(-(10**9), 10**9), st.integers(0, 12), st.sampled_from([1, 2, 50, 10**6, 10**10, 10**13]),
)  # fmt: skip


def moved(value, ulps):
    return value + ulps * math.ulp(value)


@each("form", [shown, value_text])
@each("type_", [PERCENT, DURATION, MONEY, NUMBER])
@settings(max_examples=60, deadline=None)
@given(NEAR)
def test_two_values_are_shown_otherwise_or_marked_as_rounded(form, type_, pair):
    one, other = (form(value, type_) for value in pair)
    assert one != other or one.startswith("~") or pair[0] == pair[1], pair


@each("type_", [PERCENT, DURATION, MONEY, NUMBER])
@settings(max_examples=60, deadline=None)
@given(NEAR)
def test_a_value_without_a_mark_reads_as_itself(type_, pair):
    for value in map(abs, pair):
        text = value_text(value, type_)
        assert text.startswith("~") or parse(text).args[0] == value, (text, value)


def test_message_takes_values_from_the_record_and_parameters_from_the_policy():
    made = policy(parameters=(parameter("min", 80, PERCENT),))
    message = compile_message(
        (("tasks.done",), " of ", ["tasks.total"], " (", ("tasks.percent",), "); ", ("$min",), " is enough"),
        made,
    )
    assert message([{"tasks.done": 4, "tasks.total": 5, "tasks.percent": 80.0}]) == (
        "4 of 5 (80%); 80% is enough"
    )
    assert message([{"tasks.done": UNKNOWN, "tasks.total": "x"}]) == "unknown of x (unknown); 80% is enough"
    assert compile_message((("$nope",), "/", ("nope",)), made)([{"nope": 3}]) == "unknown/3"
    assert compile_message((), made)([{}]) == ""


@given(st.dictionaries(st.sampled_from(sorted(FACTS)), VALUES))
@settings(max_examples=200, deadline=None)
def test_messages_never_raise(record):
    template = tuple((name,) for name in FACTS)
    assert isinstance(compile_message(template, policy())([record]), str)


def test_a_history_lists_the_last_values_with_the_numbers_of_their_iterations():
    made = policy(parameters=(parameter("many", 3, COUNT),))
    records = [{"run.iterations": n, "words": f"step {n}"} for n in range(1, 8)]
    two = compile_message(("Seen:\n", ("words", "2"), " <- here"), made)
    assert two(records) == "Seen:\n- Iteration 6: step 6\n- Iteration 7: step 7 <- here"
    assert compile_message((("words", "$many"),), made)(records).count("\n") == 2
    assert two(records[:1]) == "Seen:\n- Iteration 1: step 1 <- here"


@pytest.mark.parametrize(
    ("now", "want"),
    [
        ({"words": "b", "run.iterations": 1}, "- Iteration 1: b"),
        ({"words": "b", "run.iterations": UNKNOWN}, "- unknown\n- b"),
        ({"run.iterations": 9}, "- Iteration 8: unknown\n- Iteration 9: unknown"),
        ({"words": "b\n## c", "run.iterations": 2}, "- Iteration 1: unknown\n- Iteration 2: b\\n## c"),
    ],
)
def test_a_history_of_few_unnumbered_or_unknown_iterations(now, want):
    assert compile_message((("words", "5"),), policy())([{}, now]) == want


def test_a_history_is_bounded_whatever_a_parameter_says():
    made = policy(parameters=(parameter("many", 10**9, COUNT), parameter("none", 0, COUNT)))
    records = [{"run.iterations": n, "words": "x" * 10**4} for n in range(1, 200)]
    text = compile_message((("words", "$many"),), made)(records)
    assert text.count("\n") == LISTED - 1
    assert len(text) < LISTED * (TEXT_LIMIT + 30)
    assert compile_message((("words", "$none"),), made)(records).startswith("- Iteration 199: ")


@given(st.lists(st.dictionaries(st.sampled_from(sorted(FACTS)), VALUES), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_histories_never_raise(records):
    template = tuple((name, "3") for name in FACTS)
    assert compile_message(template, policy())(records).count("- ") >= 0


@pytest.mark.parametrize(
    ("record", "want"),
    [
        ({"words": "b", "tasks.percent": 50}, "b at 50%"),
        ({"words": UNKNOWN, "tasks.percent": UNKNOWN}, "nothing at "),
        ({}, "nothing at "),
        ({"words": "", "tasks.percent": 0}, " at 0%"),
    ],
)
def test_something_else_stands_for_what_is_unknown(record, want):
    template = (("words", "", "nothing"), " at ", ("tasks.percent", "", ""))
    assert compile_message(template, policy())([{"words": "old"}, record]) == want
