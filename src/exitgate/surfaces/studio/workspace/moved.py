"""What a draft moves: which runs, better or worse by their labels, by which rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from exitgate.surfaces.studio.workspace.rows import BADNESS, Cells

#: Runs that are named.
NAMED = 500


class Move(Struct, frozen=True):
    """A run on which a draft stops otherwise than the policy as it is saved."""

    n: int
    before: Cells
    after: Cells


def is_moved(before: Cells, after: Cells) -> bool:
    """Return whether two policies stop a run otherwise: in another iteration, class, or by another rule."""
    return before.stop != after.stop


def summary(moves: Iterable[Move]) -> dict[str, object]:
    """
    Return what moved, as JSON.

    `better` and `worse` count labelled runs by their grades, and by what is wasted where grades are the same;
    `earlier`, `later`, `starts` and `ends` say how stops move, `rules` by which rules these runs stop now,
    `left` by which they did.
    """
    counts: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    left: Counter[str] = Counter()
    named: list[dict[str, object]] = []
    wasted = 0
    for one in moves:
        counts["runs"] += 1
        counts[_way(one)] += 1
        how = sense(one.before, one.after)
        counts[how] += 1
        wasted += (one.after.waste or (0, None))[0] - (one.before.waste or (0, None))[0]
        if one.after.stop is not None:
            rules[str(one.after.stop["rule"] or one.after.stop["outcome"])] += 1
        if one.before.stop is not None:
            left[str(one.before.stop["rule"] or one.before.stop["outcome"])] += 1
        if len(named) < NAMED:
            named.append({"n": one.n, "sense": how, "before": one.before.stop, "after": one.after.stop})
    names = ("runs", "better", "worse", "earlier", "later", "starts", "ends", "otherwise")
    return {
        **{name: counts[name] for name in names}, "wasted": wasted, "rules": dict(rules.most_common()),
        "left": dict(left.most_common()), "moved": named,
    }  # fmt: skip


def _way(one: Move) -> str:
    before, after = one.before.stop, one.after.stop
    if before is None:
        return "starts"
    if after is None:
        return "ends"
    first, second = before["at"], after["at"]
    assert isinstance(first, int)
    assert isinstance(second, int)
    return "earlier" if second < first else "later" if second > first else "otherwise"


def sense(before: Cells, after: Cells) -> str:
    """Return ``better`` or ``worse``; ``neither`` without a label, and where it is as good as before."""
    if before.grade is None or after.grade is None:
        return "neither"
    first, second = ((BADNESS[c.grade or ""], (c.waste or (0, None))[0]) for c in (before, after))
    return "better" if second < first else "worse" if second > first else "neither"
