"""The changes found are those of fewest facts: held against all changes of up to two facts, one by one."""

from __future__ import annotations

from itertools import combinations, product
from random import Random

from cases import each
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from random_policies import small_policies, written

from exitgate.analysis.counterfactuals.forecast import forecast
from exitgate.analysis.counterfactuals.last_iteration import LastIteration
from exitgate.analysis.counterfactuals.search import Limits, smallest_changes
from exitgate.analysis.counterfactuals.search_space import SearchSpace
from exitgate.analysis.results.counterfactual import FAR, FOUND, NONE, OPEN
from exitgate.analysis.space.samples import Sampler
from exitgate.core.engine.breaker import BreakerState
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record, unread_facts
from exitgate.core.facts.extractors.progress import Remembered
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.tree import Node
from exitgate.core.model.value import BOOL
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy

LIMITS = Limits(changes=2, tests=10**6, seconds=20.0)
#: Points that are tried one by one at most.
POINTS = 6000


@st.composite
def scenes(draw: st.DrawFn) -> SearchSpace:
    policy = draw(small_policies())
    seed = draw(st.integers(0, 10**6))
    truth = Node("bool", (True,), type=BOOL)
    *_, run = Sampler(policy, seed).runs(truth, 3)
    records = [Record({**policy.unreadable, **values}, frozenset()) for values in run]
    program = Program(policy)
    *earlier, last = program.complete_all(records)
    return SearchSpace(LastIteration(program, earlier, ("after_iteration",)), Record(last))


def least(scene: SearchSpace) -> dict[object, int] | None:
    """Return the fewest facts, up to two, that have to change for each result; None: too many points."""
    sizes = [range(1, len(slot.choices)) for slot in scene.slots]
    singles = [((n, c),) for n, size in enumerate(sizes) for c in size]
    pairs = [
        ((a, c), (b, d))
        for a, b in combinations(range(len(sizes)), 2)
        for c, d in product(sizes[a], sizes[b])
    ]
    if len(pairs) > POINTS:
        return None
    found: dict[object, int] = {}
    for move in (*singles, *pairs):
        point = list(scene.start)
        for number, choice in move:
            point[number] = choice
        cost = scene.cost(tuple(point))
        decision = scene.decide(tuple(point))
        if cost <= LIMITS.changes:
            result = decision.verdict, decision.exit_class
            found[result] = min(found.get(result, cost), cost)
    return found


@given(scenes())
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_change_of_fewer_facts_does_it(scene: SearchSpace) -> None:
    expected = least(scene)
    if expected is None:
        event("too many points")
        return
    expected.pop(scene.result, None)
    for one in smallest_changes(scene, LIMITS):
        shown = f"{one}\n{written(scene.played.policy)}\n{scene.played.earlier}\n{scene.base}"
        if one.status == OPEN:
            assert "of the values tried" in one.why, shown
            assert one.result not in expected, shown
        elif one.result in expected:
            assert one.status == FOUND, shown
            assert {c.effort[0] for c in one.changes} == {expected[one.result]}, shown
        else:
            assert one.status in (FAR, NONE), shown
        event(f"{one.status} {one.fewer}")


#: Values beside the choices, by kind: where a search says that it is exact, none of them does it.
ANY_VALUES = {
    "bool": st.booleans(),
    "count": st.integers(0, 300),
    "percent": st.floats(0, 100).map(lambda number: round(number, 3)),
    "number": st.floats(-50, 50).map(lambda number: round(number, 3)),
    "duration": st.floats(0, 90_000),
    "text": st.sampled_from(("a", "b", "x1", "")),
    "signature": st.sampled_from(("a", "b", "x1")),
}


@given(scenes(), st.data())
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_ruled_out_exactly_no_value_at_all_brings_about(
    scene: SearchSpace, data: st.DataObject
) -> None:
    ruled_out = {one.result for one in smallest_changes(scene, LIMITS) if one.fewer > 1}
    names = [next(iter(slot.names)) for slot in scene.slots if len(slot.names) == 1]
    for name in names if ruled_out else ():
        kind = scene.played.policy.facts[name].type.kind
        if kind not in ANY_VALUES or name.startswith(("status.", "tasks.")):
            continue  # facts that others follow from do not change alone
        for _ in range(4):
            value = data.draw(ANY_VALUES[kind])
            record = Record({**scene.base, name: value}, scene.base.stand_ins - {name}, scene.base.remembered)
            decision = scene.played.decide(scene.played.whole(record))
            assert (decision.verdict, decision.exit_class) not in ruled_out, (name, value)


@given(scenes())
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_no_change_brings_about_is_decided_at_no_point(scene: SearchSpace) -> None:
    never = {one.result for one in smallest_changes(scene, LIMITS) if one.status == NONE}
    sizes = [range(len(slot.choices)) for slot in scene.slots]
    count = 1
    for size in sizes:
        count *= len(size)
    if not never or count > POINTS // 8:
        event("nothing to look at, or too much")
        return
    for point in product(*sizes):
        decision = scene.decide(point)
        assert (decision.verdict, decision.exit_class) not in never, (point, written(scene.played.policy))


# --- what a search leaves out ---


def assert_same_truths(scene: SearchSpace, random: Random) -> None:
    """Hold what a test reads of a point against all that follows from the point."""
    policy = scene.played.policy
    breaker = policy.breaker
    moves = [breaker.watch, breaker.close, *(one.when for one in breaker.openings)] if breaker else []
    for node in filter(None, (*(rule.when for rule in policy.rules), *policy.conditions.values(), *moves)):
        ask = compile_node(node, policy.values(), policy.conditions, unread_facts(policy))
        read, earlier = scene.read_by(node), scene.played.earlier
        for _ in range(6):
            point = tuple(
                random.randrange(len(slot.choices)) if random.random() < 0.3 else 0 for slot in scene.slots
            )
            found = ask((*earlier, read(point)))
            assert repr(found) == repr(ask((*earlier, scene.whole(point)))), (node, scene.edits(point))


@given(scenes(), st.integers(0, 10**6))
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_a_test_does_not_read_changes_nothing(scene: SearchSpace, seed: int) -> None:
    assert_same_truths(scene, Random(seed))


@each("name", shipped.policies())
def test_nor_does_it_with_a_breaker_and_what_the_run_remembers(name: str) -> None:
    policy = load_policy(name)
    random = Random(name)
    truth = Node("bool", (True,), type=BOOL)
    run = max(Sampler(policy, 7).runs(truth, 30), key=len)
    *earlier, last = Program(policy).complete_all([Record({**policy.unreadable, **one}) for one in run])
    signals = {signal: 3 for fact in policy.derived for signal in fact.signals}
    for remembered in (None, Remembered(best=signals)):
        for breaker in (None, BreakerState()):
            played = LastIteration(Program(policy), earlier, ("after_iteration",), breaker)
            base = Record(last, remembered=remembered)
            assert_same_truths(SearchSpace(played, base), random)


@given(scenes(), st.integers(1, 4))
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_results_that_are_enough_are_those_that_take_least(scene: SearchSpace, enough: int) -> None:
    played, last = scene.played, Record(scene.whole(scene.start))
    whole = [turn for turn in forecast(played, last, LIMITS).turns if turn.status == FOUND]
    some = [turn for turn in forecast(played, last, LIMITS, enough).turns if turn.status == FOUND]
    assert some[:enough] == whole[:enough]
    event(f"{len(some)} of {len(whole)}")
