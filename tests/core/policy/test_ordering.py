"""An order of use, and the circles in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.policy.sections.computed import ordered

GRAPHS = st.dictionaries(st.sampled_from("abcdefg"), st.sets(st.sampled_from("abcdefgz"), max_size=3))


def reaches(uses: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = list(uses.get(start, ()))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += uses.get(name, ())
    return found


@given(GRAPHS)
def test_order_and_circles(uses: dict[str, set[str]]) -> None:
    order, circles = ordered(uses)
    on_circle = {name for name in uses if name in reaches(uses, name)}
    sound = {name for name in uses if name not in on_circle and not reaches(uses, name) & on_circle}
    assert set(order) == sound
    assert len(order) == len(sound)
    for position, name in enumerate(order):
        assert (uses[name] & uses.keys()) <= set(order[:position])
    for circle in circles:
        assert all(after in uses[name] for name, after in zip(circle, [*circle[1:], circle[0]], strict=True))
    assert bool(circles) == bool(on_circle)


def test_a_long_chain_does_not_recurse() -> None:
    uses = {str(n): {str(n + 1)} for n in range(5000)}
    assert ordered(uses)[0][0] == "4999"
