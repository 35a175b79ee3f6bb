"""The Pareto front against its definition."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.recordings.scoring.statistics import front

COSTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


def test_a_front_by_hand() -> None:
    assert front([(0, 9), (1, 5), (1, 4), (2, 4), (0, 9), (5, 0)]) == (0, 2, 5)
    assert front([]) == ()


@settings(max_examples=50)
@given(COSTS)
def test_it_holds_each_undominated_cost_once(costs: list[tuple[int, int]]) -> None:
    found = [costs[at] for at in front(costs)]

    def beaten(one: tuple[int, int]) -> bool:
        return any(other != one and other[0] <= one[0] and other[1] <= one[1] for other in costs)

    assert found == sorted({one for one in costs if not beaten(one)})
    assert all(at == costs.index(costs[at]) for at in front(costs)), "the first of equals stands for all"
