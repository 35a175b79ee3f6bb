"""Points: one more or less for a row, a row left out, an end of the range one off."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.mutant import ChangedFact, Draft
from exitgate.core.language.unparse import unparse
from exitgate.core.model.display import number
from exitgate.core.policy.compiled import CompiledPolicy, Derived, PointsRow

KIND = "points"
DOC = "a row of points gives one more or one less or is removed, or a bound of the range is off by one"


def of_policy(policy: CompiledPolicy) -> Iterator[Draft]:
    """
    Yield the mistakes in every computed fact with points.

    Ends of a range that no sum reaches stay, and so do rows that bring every sum to such an end either way.
    """
    for fact in policy.derived:
        for index, row in enumerate(fact.rows):
            text = unparse(row.when)
            before = f"add {number(row.add)} when {text}"
            others = (*fact.rows[:index], *fact.rows[index + 1 :])
            for add in (row.add - 1, row.add + 1):
                if _ends_alike(fact, others, min(row.add, add), max(row.add, add)):
                    continue
                rows = (*fact.rows[:index], row.but(add=add), *fact.rows[index + 1 :])
                after = f"add {number(add)} when {text}"
                yield Draft(fact.name, before, after, ChangedFact(fact.but(rows=rows), index))
            yield Draft(fact.name, before, "", ChangedFact(fact.but(rows=others), index))
        yield from _ends(fact)


def _ends_alike(fact: Derived, others: tuple[PointsRow, ...], lower: float, higher: float) -> bool:
    """Return whether a row brings every sum to the same end of the range, whichever of two it gives."""
    least = sum(row.add for row in others if row.add < 0)
    most = sum(row.add for row in others if row.add > 0)
    reaches_high = fact.high is not None and lower + least >= fact.high
    reaches_low = fact.low is not None and higher + most <= fact.low
    return reaches_high or reaches_low


def _ends(fact: Derived) -> Iterator[Draft]:
    if not fact.rows:
        return
    most = sum(row.add for row in fact.rows if row.add > 0)
    least = sum(row.add for row in fact.rows if row.add < 0)
    if fact.high is not None and most >= fact.high:
        for moved in (fact.high - 1, fact.high + 1):
            if moved <= most and (fact.low is None or moved >= fact.low):
                yield _end(fact, fact.low, moved)
    if fact.low is not None and least <= fact.low:
        for moved in (fact.low - 1, fact.low + 1):
            if moved >= least and (fact.high is None or moved <= fact.high):
                yield _end(fact, moved, fact.high)


def _end(fact: Derived, low: float | None, high: float | None) -> Draft:
    change = ChangedFact(fact.but(low=low, high=high))
    return Draft(fact.name, _range(fact.low, fact.high), _range(low, high), change)


def _range(low: float | None, high: float | None) -> str:
    ends = ("" if end is None else number(end) for end in (low, high))
    return f"range [{', '.join(ends)}]"
