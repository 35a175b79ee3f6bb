"""
Facts of one extractor that determine each other.

A case that gives 4 tasks done of 5 need not say that this is 80 percent, and an invariant is not
checked against plans with more tasks done than there are. The rules are those of the extractor,
by the names of its facts behind the prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.model.value import Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.policy.compiled import CompiledPolicy

    Values = Mapping[str, object]


def tied(given: Values, policy: CompiledPolicy) -> dict[str, object]:
    """Return `given` (by full name) with the facts that follow from it; what was given is kept."""
    found = dict(given)
    for extraction in policy.extractions:
        tie = TIES.get(extraction.extractor)
        if tie is None:
            continue
        prefix = f"{extraction.prefix}."
        own = {name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)}
        for part, value in tie(own).items():
            if prefix + part in policy.facts:
                found.setdefault(prefix + part, value)
    return found


def _checklist(own: Values) -> dict[str, object]:
    """
    Total, done and open from any two of them, percent from total and done.

    Items with another mark than done or open make `open` no difference of the others: it is then
    given as well, and kept.
    """
    total, done, open_ = (own.get(name) for name in ("total", "done", "open"))
    found: dict[str, object] = {}
    if total is None and _count(done) and _count(open_):
        found["total"] = total = done + open_  # type: ignore[operator]
    elif done is None and _count(total) and _count(open_):
        found["done"] = done = total - open_  # type: ignore[operator]
    elif open_ is None and _count(total) and _count(done):
        found["open"] = total - done  # type: ignore[operator]
    if _count(total) and _count(done):
        empty = Unknown("no task items in the plan", "checklist")
        found["percent"] = 100 * done / total if total else empty  # type: ignore[operator]
    return found


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


#: By id of the extractor.
TIES: dict[str, Callable[[Values], dict[str, object]]] = {"checklist": _checklist}
