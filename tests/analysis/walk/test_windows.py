"""Forms over a time or per key: what is proved of them holds on every run, and no answer takes long."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from random_policies import OPERATIONS, small_policies, written
from small import asked

from exitgate.analysis.simulation import with_stand_ins
from exitgate.analysis.solver import queries as solver
from exitgate.analysis.space.reads import has_windows, reach
from exitgate.analysis.space.samples import Sampler
from exitgate.analysis.walk.gates import TRUE
from exitgate.analysis.walk.queries import PROVED, REFUTED, UNDECIDED, Limits, can_be
from exitgate.analysis.walk.query_cache import FreeQueryCache, QueryCache, program_of
from exitgate.analysis.walk.questions import Condition, bit_of, evaluator
from exitgate.analysis.walk.variables import Variables
from exitgate.core.language.tree import Node
from exitgate.core.model.value import BOOL, DURATION, Unknown
from exitgate.core.policy.compiled import CompiledPolicy

CLOCK = {"clock.elapsed": DURATION}
#: Conditions that no run makes true, by what is read of their windows.
NEVER = [
    "((a) for 45m) and not a",
    "((a) for 45m) and a is unknown",
    "(all of last 45m where (a)) and (a is unknown or not a)",
    "not (any of last 45m where (a)) and a",
    "(any of last 45m where (a)) is unknown and a",
    "((a) for 45m) and clock.elapsed is unknown",
    "(n unchanged for 45m) and clock.elapsed is unknown",
    "(at least 2 of last 45m where (a)) and clock.elapsed is unknown",
    "count(a, last 45m) >= 2 and clock.elapsed is unknown",
    "count(a, last 45m) <= 0 and clock.elapsed is unknown and a",
    "sum(n, last 45m) > 5 and clock.elapsed is unknown and n == 4",
    "count(a, last 20 per n) >= 2 and n is unknown",
    "after 45m and clock.elapsed < 45m",
    "(after 45m) is unknown and clock.elapsed is known",
    "((a) for 45m) for 2 consecutive iterations and not previous(a)",
]
#: Conditions that some run makes true.
TRUE_OF_SOME = [
    "((a) for 45m) and not b",
    "(n unchanged for 45m) and n > 5",
    "count(a, last 45m) >= 4",
    "at least 3 of last 45m where (n > 2)",
    "after 45m and count(a, last 45m) <= 0",
    "(any of last 45m where (a)) and not a",
    "(any of last 45m where (a)) and a is unknown",
    "(all of last 45m where (a)) is unknown and a",
    "not (all of last 45m where (a)) and a is unknown",
    "count(a, last 20 per n) >= 2 and n == 7",
    "n declined by 50% over last 45m",
    "((a) for 45m) is unknown",
    "sum(n, last 45m) > 20 and n < 2",
    "count(a, last 45m) is unknown and clock.elapsed is known",
]  # fmt: skip


@pytest.mark.parametrize("text", NEVER)
def test_what_is_never_true_is_proved(text: str) -> None:
    of, node = asked(text, **CLOCK)
    assert can_be(of, node, True).status == PROVED


@pytest.mark.parametrize("text", TRUE_OF_SOME)
def test_what_can_be_true_is_found(text: str) -> None:
    of, node = asked(text, **CLOCK)
    answer = can_be(of, node, True)
    assert answer.status == REFUTED
    assert Condition(of, [(node, TRUE)]).holds(answer.run or ())


def test_what_rests_on_how_far_apart_times_are_is_not_decided_after_a_few_regions() -> None:
    # 45 minutes do not fit into 20
    text = "((n >= 3) for 45m) and count(n >= 3, last 45m) >= 6 and clock.elapsed < 20m"
    of, node = asked(text, **CLOCK)
    answer = can_be(of, node, True, Limits(seconds=60.0, points=200))
    assert answer.status == UNDECIDED
    assert answer.why


@pytest.mark.parametrize(("text", "status"), [
    ("after 45m and clock.elapsed < 45m", PROVED), ("after 45m and clock.elapsed < 46m", REFUTED),
])  # fmt: skip
def test_the_solver_reads_the_age_of_a_run(text: str, status: str) -> None:
    of, node = asked(text, **CLOCK)
    assert solver.can_be(of, node, True).status == status


@st.composite
def policies_with_windows(draw: st.DrawFn) -> CompiledPolicy:
    """Return a policy with a window in time or per key in a rule."""
    policy = draw(small_policies(frozenset(OPERATIONS) - {"progress"}, given=False))
    assume(any(has_windows(policy, rule.when) for rule in policy.rules))
    return policy


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(policies_with_windows(), st.integers(0, 2**31))
def test_no_truth_of_a_run_is_left_out(policy: CompiledPolicy, seed: int) -> None:
    cache = FreeQueryCache(QueryCache((policy,), ()))
    rules = [rule for rule in policy.rules if has_windows(policy, rule.when)]
    tests = [evaluator(policy, rule.when) for rule in rules]
    for run in Sampler(policy, seed).runs(Node("bool", (True,), type=BOOL), 25):
        known = tuple({n: v for n, v in one.items() if not isinstance(v, Unknown)} for one in run)
        records = program_of(policy).complete_all(with_stand_ins(policy, known))
        for rule, test in zip(rules, tests, strict=True):
            variables = cache.variables(min(reach(policy, rule.when, windows=False) + 1, len(run)))
            found = cache.abstract_policy(0, variables).gate(rule.when).truths(region_of(run, variables))
            event(f"{bin(found).count('1')} truths are left")
            assert found & bit_of(test(records)), f"{rule.text}\n{run}\n{written(policy)}"


def region_of(run: tuple[dict[str, object], ...], variables: Variables) -> tuple[int, ...]:
    """Return the choices that the last iterations of a run are; all of computed facts."""
    region = list(variables.full)
    for back in range(variables.length):
        for number, cluster in enumerate(variables.clusters):
            if number in variables.guessed:
                continue
            values = tuple(run[-1 - back].get(name) for name in cluster.names)
            bits = sum(1 << n for n, choice in enumerate(cluster.choices) if alike(choice, values))
            region[variables.index(number, back)] = bits or variables.full[variables.index(number, back)]
    return tuple(region)


def alike(choice: tuple[object, ...], values: tuple[object, ...]) -> bool:
    return all(
        (isinstance(one, Unknown) and (other is None or isinstance(other, Unknown)))
        or (one.__class__ is other.__class__ and one == other)
        for one, other in zip(choice, values, strict=True)
    )
