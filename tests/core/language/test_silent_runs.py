"""A condition that a rule may exit on is true at the end of no run in which nothing was said."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from typed import FACTS, SCOPE, conditions, parameters

from exitgate.core.language.checker.check import check
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.silence import NOTHING, exits_on_silence
from exitgate.core.language.silent_runs import CLOCK, with_clock
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import Unknown

MINUTES = st.one_of(
    st.lists(st.sampled_from((0, 30, 60, 61, 90.5, 120, 5400)), min_size=8, max_size=8),
    st.sampled_from((0, 10, 60, 3000)).map(lambda step: [step] * 8),
)
thorough = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


def checked(node):
    try:
        return check(node, SCOPE)
    except LanguageError:
        assume(False)


def runs(steps, lost):
    """Silent runs of every length, with clocks that go on by `steps`."""
    clock, run = 0.0, []
    for number, step in enumerate(steps, 1):
        clock += step
        run.append({"run.iterations": number, **({} if number in lost else {"clock.elapsed": clock})})
        yield list(run)


#: Forms over times and iterations, about nothing that was said.
FORMS = (
    "at most 1 of last {} where (flag.a)", "at least 2 of last {} where (flag.a)",
    "any of last {} where (flag.a or else false)", "all of last {} where (n.a is unknown)",
    "at least 3 of last {} where (n.a is unknown)", "at most 2 of last {} where (n.a is unknown)",
    "count(n.a is unknown, last {}) == 2", "count(flag.a, last {}) < 2",
    "streak(n.a is unknown, last {}) == 3",
    "streak(flag.a, last {}) skipping (n.a is unknown) < 1", "sum(n.a or else 1, last {}) == 3",
    "average(n.a or else 1, last {}) == 1", "distinct(n.a, last {}) < 2",
    "repeats(n.a or else 1, last {}) == 2",
    "occurrences(n.a or else 1, last {}) == 3", "max(n.a or else 0, last {}) < 1", "median(n.a, last {}) < 1",
    "first(n.a or else 0, last {}) == 0", "cycles(n.a, last {}) < 2", "n.a repeats 2 times within last {}",
    "(n.a or else 1) repeats 2 times within last {}",
)  # fmt: skip
LASTING = (
    "(n.a is unknown) for {}", "(flag.a) for {}", "n.a unchanged for {}", "(n.a or else 0) unchanged for {}",
    "n.a declined by 50% over last {}", "(n.a or else 0) rose by 0% over last {}", "after {}",
)  # fmt: skip
TEXTS = (
    *(form.format(size) for form in FORMS for size in ("4", "1m", "4 per g.a", "1m per g.a")),
    *(form.format(size) for form in LASTING for size in ("1m", "90s")),
    "streak(n.a is unknown) == 2", "count(flag.a, last 4 per run.iterations) < 1",
    "after 3 iterations and not after 4 iterations",
    "(flag.a) for 2 consecutive iterations", "previous(n.a or else 0) == 0", "run.iterations == 3",
    "clock.elapsed between 30s and 1m", "run.iterations >= 2 and n.a is unknown", "nothing is known",
)  # fmt: skip


def leaves(text):
    node = check(parse(text), SCOPE)
    return st.sampled_from((node, check(parse(f"not ({text})"), SCOPE)))


joined = (
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2)
    .flatmap(
        lambda texts: st.tuples(
            st.just(texts),
            st.lists(st.sampled_from(("", "not ")), min_size=2, max_size=2),
            st.sampled_from(("and", "or")),
        )
    )
    .map(
        lambda made: f" {made[2]} ".join(
            f"{sign}({text})" for text, sign in zip(made[0], made[1], strict=False)
        )
    )
)
drawn = st.one_of(joined.map(lambda text: check(parse(text), SCOPE)), conditions().map(checked))


@thorough
@given(drawn, parameters, MINUTES, st.sets(st.integers(1, 8), max_size=1))
def test_what_may_complete_a_run_is_true_in_no_silent_one(node, settings_, steps, lost):
    assume(exits_on_silence(node, settings_, SCOPE.conditions, completes=True) is None)
    test = compile_node(node, settings_, SCOPE.conditions, FACTS)
    for run in runs(steps, lost):
        assert test(run) is not True, (unparse(node), run)


@thorough
@given(drawn, parameters, MINUTES, st.sets(st.integers(1, 8), max_size=1))
def test_what_may_end_a_run_rests_on_no_time_alone(node, settings_, steps, lost):
    """Clocks that the condition does not name are known; a budget may name the clock."""
    assume(not NOTHING.holds(node, settings_, SCOPE.conditions, named=False))
    conditions_ = {name: with_clock(tree) for name, tree in SCOPE.conditions.items()}
    test = compile_node(with_clock(node), settings_, conditions_, FACTS)
    for run in runs(steps, lost):
        silent = [{CLOCK: one.get("clock.elapsed", Unknown("not said"))} for one in run]
        assert test(silent) is not True, (unparse(node), run)
