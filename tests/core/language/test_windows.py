"""Windows in time and per key say what windows of iterations say of the iterations that are in them."""

from __future__ import annotations

from itertools import product

import pytest
from bounded import ends_of
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from typed import SCOPE

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.functions import TIMED_LIMIT
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.value import Unknown

U = Unknown("not found")
#: `{}` is a window; every form that takes one in time and per key.
CHOSEN = (
    "count(flag.a, last {})", "streak(flag.a, last {})", "streak(flag.a, last {}) skipping (flag.b)",
    "repeats(n.a, last {})", "distinct(n.a, last {})", "occurrences(n.a, last {})",
    "occurrences(l.a, last {})", "cycles(n.a, last {})", "sum(n.a, last {})", "average(n.a, last {})",
    "first(n.a, last {})", "last(n.a, last {})", "max(n.a, last {})", "min(n.a, last {})",
    "median(n.a, last {})", "percentile(n.a, 60%, last {})", "deviation(n.a, last {})",
    "any of last {} where (flag.a)", "all of last {} where (flag.a)", "at least 2 of last {} where (flag.a)",
    "n.a repeats 2 times within last {}",
)  # fmt: skip
#: A form over so many steps of a minute, and the same over iterations.
STEPS = (
    ("at most 1 of last {0}m where (flag.a)", "at most 1 of last {1} where (flag.a)"),
    ("(flag.a) for {0}m", "(flag.a) for {1} consecutive iterations"),
    ("n.a unchanged for {0}m", "n.a unchanged for {0} iterations"),
    ("n.a declined by 50% over last {0}m", "n.a declined by 50% over last {0}"),
    ("n.a rose by 50% over last {0}m", "n.a rose by 50% over last {0}"),
    ("after {0}m", "after {1} iterations"),
    *((form.replace("{}", "{0}m"), form.replace("{}", "{1}")) for form in CHOSEN),
)  # fmt: skip
POOLS = {
    "flag.a": (True, False, U), "flag.b": (True, False, U), "n.a": (1, 2, 4, U),
    "l.a": (("a",), ("a", "b"), (), U), "s.b": ("x", "y"),
}  # fmt: skip
RECORDS = st.lists(
    st.fixed_dictionaries({name: st.sampled_from(pool) for name, pool in POOLS.items()}),
    min_size=1,
    max_size=7,
)


def tree(text):
    return check(parse(text), SCOPE, None)


def shape(value):
    return "unknown" if isinstance(value, Unknown) else value


def both(text, history):
    """What the two evaluators say, which is the same."""
    node = tree(text)
    first = shape(compile_node(node, {}, {})(history))
    assert first == shape(evaluate(node, history, {}, {})), text
    return first


@settings(max_examples=60)
@given(RECORDS, st.integers(1, 6))
def test_a_time_is_so_many_iterations_where_each_takes_a_minute(records, n):
    history = [{**one, "clock.elapsed": 60 * number} for number, one in enumerate(records)]
    for timed, counted in STEPS:
        assert both(timed.format(n, n + 1), history) == both(counted.format(n, n + 1), history), (timed, n)


@settings(max_examples=60)
@given(RECORDS)
def test_a_key_is_all_the_iterations_that_share_it(records):
    same = [one for one in records if one["s.b"] == records[-1]["s.b"]]
    for form in CHOSEN:
        per, alone = form.format("9 per s.b"), form.format("9")
        assert both(per, records) == both(alone, same), form


@settings(max_examples=60)
@given(st.lists(st.sampled_from((True, False, U)), min_size=7, max_size=7), st.data())
def test_what_lasts_begins_with_one_that_is_old_enough(flags, data):
    """`(P) for 3m` holds where P holds in all records from one on that is three minutes old."""
    steps = data.draw(st.lists(st.sampled_from((0, 30, 60, 120, 240)), min_size=7, max_size=7))
    clocks = [sum(steps[: n + 1]) for n in range(7)]
    history = [{"flag.a": flag, "clock.elapsed": clock} for flag, clock in zip(flags, clocks, strict=True)]
    begun = [flags[n:] for n in range(7) if clocks[n] <= clocks[-1] - 180]
    wanted = True if any(all(f is True for f in since) for since in begun) else "unknown"
    if all(False in since for since in begun):
        wanted = False
    assert both("(flag.a) for 3m", history) == wanted


#: Counting form -> values of what it is asked about.
COUNTS = {
    "count(flag.a, last {})": ("flag.a", (True, False)),
    "streak(flag.a, last {})": ("flag.a", (True, False)),
    "occurrences(g.a, last {})": ("g.a", ("a", "b")),
    "distinct(g.a, last {})": ("g.a", ("a", "b", "c")),
    "cycles(g.a, last {})": ("g.a", ("a", "b")),
    "max(n.a, last {})": ("n.a", (1, 2, 4)),
    "min(n.a, last {})": ("n.a", (1, 2, 4)),
}


@each("text", COUNTS)
def test_bounds_hold_every_count_that_values_for_unknown_keys_and_clocks_can_give(text):
    name, pool = COUNTS[text]
    length = 5 if text.startswith("cycles") else 4
    ways = {
        "9 per s.b": ("s.b", {"x": True, "y": False}, "x"),
        "1m": ("clock.elapsed", {240: True, 10: False}, 300),
    }
    for window, (of, values, now) in ways.items():
        bounds = ends_of(tree(text.format(window)))
        for series in product(pool, repeat=length):
            for doubts in product((U, *values), repeat=length - 1):
                history = [{name: v, of: w} for v, w in zip(series, (*doubts, now), strict=True)]
                least, most = bounds(history)
                for filled in product(*(values if d is U else (d,) for d in doubts)):
                    sure = [{name: v, of: w} for v, w in zip(series, (*filled, now), strict=True)]
                    exact, also = bounds(sure)
                    assert exact == also
                    assert least is None or least <= exact, (window, series, doubts)
                    assert most is None or most >= exact, (window, series, doubts)


LONG = [{"flag.a": True, "flag.b": False, "n.a": n, "clock.elapsed": n} for n in range(TIMED_LIMIT + 1)]


@pytest.mark.parametrize(
    ("text", "whole", "cut"),
    [
        # of a window that holds more than is read, and of one that just does not
        ("count(flag.a, last {}) >= 200", True, True),
        ("count(flag.a, last {}) > 200", False, "unknown"),
        ("count(flag.b, last {}) == 0", True, "unknown"),
        ("streak(flag.a, last {}) == 200", True, "unknown"),
        ("streak(flag.b, last {}) == 0", True, True),
        ("sum(n.a, last {}) > 0", True, "unknown"),
        ("first(n.a, last {}) == 1", True, "unknown"),
        ("last(n.a, last {}) == 200", True, True),
        ("max(n.a, last {}) >= 200", True, True),
        ("min(n.a, last {}) >= 1", True, "unknown"),
        ("any of last {} where (n.a == 7)", True, True),
        ("any of last {} where (flag.b)", False, "unknown"),
        ("all of last {} where (flag.b)", False, False),
        ("all of last {} where (flag.a)", True, "unknown"),
        ("at least 201 of last {} where (flag.a)", False, "unknown"),
        ("n.a repeats 2 times within last {}", False, "unknown"),
        ("distinct(n.a, last {}) == 200", True, "unknown"),
    ],
)
def test_a_window_that_holds_more_than_is_read_is_open_and_never_cut(text, whole, cut):
    assert both(text.format("199s"), LONG) == whole
    assert both(text.format("200s"), LONG) == cut


def test_a_time_that_begins_before_what_is_read_is_unknown():
    assert both("(flag.a) for 199s", LONG) is True
    assert both("(flag.a) for 200s", LONG) == "unknown"
    assert both("(flag.b) for 200s", LONG) is False
    assert both("n.a unchanged for 200s", LONG) is False
    assert both("n.a rose by 50% over last 200s", LONG) == "unknown"
    assert both("(flag.a) for 201s", LONG[:-1]) is False
    assert both("(flag.a) for 201s", LONG) is False  # the run is younger than that


def test_bounds_of_a_value_are_no_known_value_and_keys_are_compared_by_theirs():
    low, high = Unknown("open", "n.a", 0, 1), Unknown("open", "n.a", 3, 4)
    records = [{"n.a": low, "flag.a": True}, {"n.a": high, "flag.a": True}]
    for text, want in {
        "last(n.a, last 2) >= 3": None, "first(n.a, last 2) >= 0": None,
        "count(flag.a, last 3 per n.a) == 1": True, "count(flag.a, last 3 per n.a) >= 2": False,
    }.items():  # fmt: skip
        tree = check(parse(text), SCOPE)
        for answer in (compile_node(tree, {}, {})(records), evaluate(tree, records, {}, {})):
            assert answer is want or (want is None and isinstance(answer, Unknown)), text
