"""What is known of how an agent ended goes together as a check counts it."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from exitgate.analysis.space.endings import FAILURES, INTERRUPTED, NAMES, STATUS, can_end, endings
from exitgate.core.engine.record import FAILED
from exitgate.core.engine.stages import stages_due
from exitgate.core.facts.extractors.run import extract
from exitgate.core.model.fact import Iteration
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.observe.clock import run

STATUSES = (None, *range(-20, 210))
TRUTHS = (None, True, False)


def counted() -> set[tuple[object, ...]]:
    """Return all that a check can count: status, whether it failed, whether it was interrupted."""
    found = set()
    for status, is_error in product(STATUSES, TRUTHS):
        iteration = Iteration(1, "r", 0.0, {"run": run(1, {}, 0.0, agent_exit=status, is_error=is_error)})
        facts = {fact.name: fact.value for fact in extract("run", "run", JsonObject(), iteration)}
        found.add(tuple(None if isinstance(v, Unknown) else v for v in map(facts.__getitem__, NAMES)))
    return found


def known(choice: tuple[object, ...], names: tuple[str, ...] = NAMES) -> dict[str, object]:
    return {n: v for n, v in zip(names, choice, strict=True) if v is not None and not isinstance(v, Unknown)}


def test_it_can_be_what_a_check_can_count_and_nothing_else() -> None:
    possible = {one for one in product(STATUSES, TRUTHS, TRUTHS) if can_end(known(one), NAMES)}
    assert possible == counted()


@pytest.mark.parametrize(
    "names",
    [(STATUS,), (FAILED,), (INTERRUPTED,), (STATUS, FAILED), (STATUS, INTERRUPTED), (FAILED, INTERRUPTED)],
)
def test_where_some_are_read_the_others_may_be_anything(names: tuple[str, ...]) -> None:
    places = [NAMES.index(name) for name in names]
    parts = {tuple(whole[place] for place in places) for whole in counted()}
    every = product(*(STATUSES if name == STATUS else TRUTHS for name in names))
    assert {one for one in every if can_end(known(one, names), names)} == parts


#: One status of each sort, and rows of failures before the iteration and after it.
SORTS, ROWS = (None, 0, 1, 129, 130, -15), (None, 0, 1, 2)


def asked() -> set[tuple[object, ...]]:
    """Return all that a check can count, the row of failures included, and the stage that it asks then."""
    found = set()
    for status, is_error, before in product(SORTS, TRUTHS, ROWS):
        totals = {} if before is None else {"failures_in_row": before}
        source = run(1, totals, 0.0, agent_exit=status, is_error=is_error)
        iteration = Iteration(1, "r", 0.0, {"run": source})
        facts = {fact.name: fact.value for fact in extract("run", "run", JsonObject(), iteration)}
        due = stages_due(None, status, response=True, begun=True, is_error=is_error is True)
        values = (facts[name] for name in (*NAMES, FAILURES))
        found.add((due[0], *(None if isinstance(v, Unknown) else v for v in values)))
    return {one for one in found if one[-1] in ROWS}


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_stage_and_the_row_of_failures_follow_from_the_end(count: int) -> None:
    """Whichever of the facts are read: at each stage they are what a check counts, and all of that."""
    every = (*NAMES, FAILURES)
    for names in combinations(every, count):
        places = [1 + every.index(name) for name in names]
        for stage in ("after_iteration", "after_failure"):
            parts = {tuple(one[place] for place in places) for one in asked() if one[0] == stage}
            of = {STATUS: SORTS, FAILURES: ROWS}
            tried = product(*(of.get(name, TRUTHS) for name in names))
            assert {one for one in tried if can_end(known(one, names), names, stage)} == parts, names


@pytest.mark.parametrize("constants", [(), (0,), (128.5,), (129, 131), (-16, 200)])
def test_candidates_are_whole_and_of_every_kind(constants: tuple[float, ...]) -> None:
    points = tuple({point for c in (*constants, 0) for point in (c - 1, c, c + 1)})
    made = endings({STATUS: (*points, Unknown("a", "b")), FAILED: (False, True), INTERRUPTED: (False, True)})
    assert made is not None
    names, choices = made
    assert names == NAMES

    def kind(choice: tuple[object, ...]) -> tuple[object, ...]:
        status, *rest = choice
        side = None if status is None else tuple((status > c, status < c) for c in (*constants, 0))  # type: ignore[operator]
        return side, *rest

    found = {kind(tuple(known((c,), ("x",)).get("x") for c in choice)) for choice in choices}
    wide = {*counted(), *((status, True, False) for status in (-(10**6), 10**6))}
    assert found == {kind(choice) for choice in wide}
