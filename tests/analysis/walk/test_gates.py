"""A gate never leaves out a truth that some point of its region gives, and of one point just that one."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_policies import OPERATIONS, small_policies

from exitgate.analysis.space.dependencies import consistent
from exitgate.analysis.walk.abstract_eval import AbstractPolicy
from exitgate.analysis.walk.gates import ANY, APART, FALSE, TRUE, UNKNOWN, care_of, is_open
from exitgate.analysis.walk.query_cache import QueryCache
from exitgate.analysis.walk.questions import Condition
from exitgate.analysis.walk.variables import Variables
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy

Region = tuple[int, ...]
#: Sums and progress are held against their rows and signals later: as parts of regions they are free.
FAMILIES = frozenset(OPERATIONS) - {"points", "progress"}
POINTS = 12
SETTINGS = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


def some_region(variables: Variables, draw: Random) -> Region:
    """Return a region with one choice or more for each variable, and what follows from them."""
    region: Region | None = variables.full
    for variable, left in enumerate(variables.full):
        if draw.random() < 0.6:
            kept = left & draw.getrandbits(left.bit_length()) or left
            region = variables.narrowed(region, variable, kept) or region
    return region


def point_of(region: Region, draw: Random) -> Region:
    return tuple(1 << draw.choice([n for n in range(left.bit_length()) if left >> n & 1]) for left in region)


def known_of(point: Region, variables: Variables) -> list[dict[str, object]]:
    """Return the known facts of each iteration of a point, oldest first."""
    run = []
    for back in reversed(range(variables.length)):
        values: dict[str, object] = {}
        for number, cluster in enumerate(variables.clusters):
            choice = cluster.choices[point[variables.index(number, back)].bit_length() - 1]
            values |= {n: v for n, v in zip(cluster.names, choice, strict=True) if not isinstance(v, Unknown)}
        run.append(values)
    return run


@SETTINGS
@given(small_policies(FAMILIES), st.integers(1, 3), st.integers(0, 2**31))
def test_every_point_of_a_region(policy: CompiledPolicy, length: int, seed: int) -> None:
    draw = Random(seed)
    cache = QueryCache((policy,), ())
    variables = cache.variables(length)
    abstract_policy, free = AbstractPolicy(policy, variables), AbstractPolicy(policy, variables, free=True)
    tests = [
        {bit: Condition(policy, [(rule.when, bit)]) for bit in (TRUE, FALSE, UNKNOWN)}
        for rule in policy.rules
    ]
    for _ in range(3):
        region = some_region(variables, draw)
        gates = [
            (abstract_policy.gate(rule.when), free.gate(rule.when), test)
            for rule, test in zip(policy.rules, tests, strict=True)
        ]
        promised = [(gate.truths(region), freely.truths(region)) for gate, freely, _ in gates]
        for _ in range(POINTS):
            point = point_of(region, draw)
            run = known_of(point, variables)
            for (gate, _, test), (truths, freely) in zip(gates, promised, strict=True):
                truth = next(bit for bit, question in test.items() if question.holds(run))
                assert truth & truths, (run, truths)
                assert truth & freely, (run, freely)
                assert gate.truths(point) == truth, run


@SETTINGS
@given(
    small_policies(FAMILIES), st.integers(1, 3), st.integers(0, 2**31), st.sampled_from((TRUE, FALSE, APART))
)
def test_a_split_loses_no_point_and_ends(policy: CompiledPolicy, length: int, seed: int, care: int) -> None:
    draw = Random(seed)
    variables = QueryCache((policy,), ()).variables(length)
    abstract_policy = AbstractPolicy(policy, variables)
    gate = abstract_policy.gate(policy.rules[0].when)
    region = some_region(variables, draw)
    for _ in range(200):
        if not is_open(gate.truths(region), care):
            return
        split = gate.split(region, care)
        assert split is not None
        variable, sets = split
        assert sum(sets) == region[variable], "each choice is in one part"
        assert len(sets) > 1, "every part is smaller"
        parts = [part for one in sets if (part := variables.narrowed(region, variable, one)) is not None]
        region = draw.choice(parts)
    raise AssertionError("no end after 200 splits")


@SETTINGS
@given(small_policies(), st.integers(1, 2), st.integers(0, 2**31))
def test_what_follows_from_a_choice_keeps_every_run_that_can_be(
    policy: CompiledPolicy, length: int, seed: int
) -> None:
    draw = Random(seed)
    variables = QueryCache((policy,), ()).variables(length)
    for _ in range(10):
        point = point_of(variables.full, draw)
        known = known_of(point, variables)
        if variables.guessed or not all(consistent(values, policy) for values in known):
            continue
        for variable, choice in enumerate(point):
            narrowed = variables.narrowed(variables.full, variable, choice)
            assert narrowed is not None
            assert all(left & one for left, one in zip(narrowed, point, strict=True)), known


def test_what_tells_truths_apart() -> None:
    assert care_of(TRUE) == care_of(FALSE | UNKNOWN) == TRUE
    assert care_of(FALSE) == care_of(TRUE | UNKNOWN) == FALSE
    assert care_of(UNKNOWN) == care_of(TRUE | FALSE) == UNKNOWN
    assert care_of(ANY) == APART
    assert not is_open(FALSE | UNKNOWN, TRUE)
    assert is_open(FALSE | UNKNOWN, APART)
    assert is_open(TRUE | UNKNOWN, TRUE)
