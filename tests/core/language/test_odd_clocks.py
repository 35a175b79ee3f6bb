"""Windows in time and per key where clocks are missing, repeat or go back, and values have bounds."""

from __future__ import annotations

from functools import cache

from hypothesis import example, given, settings
from hypothesis import strategies as st
from typed import SCOPE

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.value import Unknown

U = Unknown("not found")
INFINITY = float("inf")

#: `{}` is a window behind `last`; every form that takes one in time and per key.
CHOSEN = (
    "count(flag.a, last {})", "streak(flag.a, last {})", "streak(flag.a, last {}) skipping (flag.b)",
    "repeats(n.b, last {})", "distinct(n.b, last {})", "occurrences(n.b, last {})",
    "occurrences(l.a, last {})", "cycles(n.b, last {})", "sum(n.b, last {})", "average(n.b, last {})",
    "first(n.b, last {})", "last(n.b, last {})", "max(n.b, last {})", "min(n.b, last {})",
    "median(n.b, last {})", "percentile(n.b, 0%, last {})", "percentile(n.b, 60%, last {})",
    "percentile(n.b, 100%, last {})", "deviation(n.b, last {})",
    "any of last {} where (flag.a)", "all of last {} where (flag.a)", "at least 2 of last {} where (flag.a)",
    "at most 1 of last {} where (flag.a)", "n.b repeats 2 times within last {}",
    "max(n.b, last {}) > 2", "min(n.b, last {}) < 2", "median(n.b, last {}) >= 2",
)  # fmt: skip
#: `{}` is a time that has to have lasted.
LASTING = (
    "after {}", "(flag.a) for {}", "(n.b >= 2) for {}", "n.b unchanged for {}", "l.a unchanged for {}",
    *(f"n.b {moved} by {share} over last {{}}" for moved in ("declined", "rose") for share in ("50%", "0%")),
)  # fmt: skip
FORMS = (
    *(form.format(window) for form in CHOSEN for window in ("2m", "3 per s.b", "2m per s.b", "3 per n.b")),
    *(form.format("2m") for form in LASTING),
)

NUMBERS, CLOCKS = (0, 1, 2, 4), (0, 60, 90, 120, 180, 240)
POOLS = {
    "flag.a": (True, False), "flag.b": (True, False), "n.b": NUMBERS, "l.a": (("a",), ("a", "b"), ()),
    "s.b": ("x", "y"), "clock.elapsed": CLOCKS,
}  # fmt: skip
BOUNDED = st.sampled_from(((0, 1), (1, 2), (1, 4), (2, INFINITY), (-INFINITY, 1))).map(
    lambda ends: Unknown("not found", "n.b", *ends)
)
#: Clocks jump, repeat and are missing, or go on by a minute and are missing at times.
STEADY = st.lists(st.booleans(), min_size=6, max_size=6)


@st.composite
def histories(draw):
    length = draw(st.integers(1, 6))
    known = draw(STEADY) if draw(st.booleans()) else None
    found = []
    for number in range(length):
        record = {name: draw(st.sampled_from((*pool, U))) for name, pool in POOLS.items()}
        if draw(st.integers(0, 3)) == 0:
            record["n.b"] = draw(BOUNDED)
        if known is not None:
            record["clock.elapsed"] = 60 * number if known[number] else U
        found.append(record)
    return found


@st.composite
def filled(draw, history):
    """The same records with values for some, or all, of what is unknown."""
    every = draw(st.booleans())
    return [
        {
            name: draw(st.sampled_from(within(value, POOLS[name])))
            if isinstance(value, Unknown) and (every or draw(st.booleans()))
            else value
            for name, value in record.items()
        }
        for record in history
    ]


def within(unknown, pool):
    return [value for value in pool if unknown.least is None or unknown.least <= value <= unknown.most]


@cache
def made(text):
    node = check(parse(text), SCOPE, None)
    return node, compile_node(node, {}, {})


def shape(value):
    return (value.least, value.most) if isinstance(value, Unknown) else (value.__class__, value)


def series(values, clocks):
    return [{"n.b": n, "clock.elapsed": c} for n, c in zip(values, clocks, strict=True)]


@settings(max_examples=15, deadline=None)
@given(histories())
@example(series((3, 1, 1), (60, U, 150)))
@example(series((4, 1, 2), (0, U, 120)))
@example(series((1, 4, 2), (U, 60, 180)))
def test_the_evaluators_agree_on_every_form(history):
    for text in FORMS:
        node, closure = made(text)
        assert shape(closure(history)) == shape(evaluate(node, history, {}, {})), text


@settings(max_examples=15, deadline=None)
@given(histories(), st.data())
def test_a_definite_answer_holds_for_every_clock_key_and_value(history, data):
    ways = [data.draw(filled(history)) for _ in range(3)]
    for text in FORMS:
        if text.startswith(("first", "last")):  # the earliest and latest *known* value
            continue
        _, closure = made(text)
        answer = closure(history)
        for way in ways:
            found = closure(way)
            if not isinstance(answer, Unknown):
                assert found == answer, (text, way)
            elif answer.least is not None and not isinstance(found, Unknown):
                assert answer.least <= found <= answer.most, (text, way)
