"""The changes found are those of fewest facts: held against all changes of up to two facts, one by one."""

from __future__ import annotations

from itertools import combinations, product

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from random_policies import small_policies, written

from exitgate.analysis.nearest.nearest import nearest
from exitgate.analysis.nearest.played import Played
from exitgate.analysis.nearest.scene import Scene
from exitgate.analysis.nearest.search import Limits
from exitgate.analysis.space.sample import Sampler
from exitgate.engine.program import Program
from exitgate.engine.record import Record
from exitgate.language.tree import Node
from exitgate.model.outlook import FAR, FOUND, NONE, OPEN
from exitgate.model.type import BOOL

LIMITS = Limits(changes=2, seconds=20.0, points=10**6)
#: Points that are tried one by one at most.
POINTS = 6000


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    policy = draw(small_policies())
    seed = draw(st.integers(0, 10**6))
    truth = Node("bool", (True,), type=BOOL)
    *_, run = Sampler(policy, seed).runs(truth, 3)
    records = [Record({**policy.unreadable, **values}, frozenset()) for values in run]
    program = Program(policy)
    *earlier, last = program.complete_all(records)
    return Scene(Played(program, earlier, ("after_iteration",)), Record(last))


def least(scene: Scene) -> dict[object, int] | None:
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
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_change_of_fewer_facts_does_it(scene: Scene) -> None:
    expected = least(scene)
    if expected is None:
        event("too many points")
        return
    expected.pop(scene.result, None)
    for one in nearest(scene, LIMITS):
        shown = f"{one}\n{written(scene.played.policy)}\n{scene.played.earlier}\n{scene.base}"
        assert one.status != OPEN, shown
        if one.result in expected:
            assert one.status == FOUND, shown
            assert {c.effort[0] for c in one.changes} == {expected[one.result]}, shown
        else:
            assert one.status in (FAR, NONE), shown
        event(f"{one.status} {one.fewer}")
