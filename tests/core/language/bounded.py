"""Bounds of numbers that are not known, drawn."""

from __future__ import annotations

from hypothesis import strategies as st

from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.model.value import Unknown

#: Facts of which bounds may be known where the value is not.
BOUNDED = frozenset(("n.b", "x.a", "p.b", "t.a"))


@st.composite
def bounds_within(draw: st.DrawFn, pool: tuple[float, ...]) -> tuple[float, float]:
    """Two different numbers of a pool, either end perhaps open."""
    ends = sorted(draw(st.permutations(pool))[:2])
    infinite = draw(st.integers(0, 5))
    return (float("-inf") if infinite == 0 else ends[0]), (float("inf") if infinite == 1 else ends[1])


@st.composite
def lost(draw: st.DrawFn, name: str, pool: tuple[float, ...]) -> Unknown:
    """An unknown value of a fact, with bounds from a pool where it may have some."""
    return Unknown("not found", name, *(draw(bounds_within(pool)) if pool and name in BOUNDED else ()))


def ends_of(node):
    """Return a function of records: the least and the most of a number, None where it has no bound."""
    closure = compile_node(node, {}, {})

    def ends(records):
        value = closure(records)
        found = (value.least, value.most) if isinstance(value, Unknown) else (value, value)
        return tuple(None if end in (float("inf"), float("-inf")) else end for end in found)

    return ends
