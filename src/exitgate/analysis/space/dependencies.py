"""
Facts of one extractor that determine each other.

A case that gives 4 tasks done of 5 need not say that this is 80 percent, nor one at 22:30 that the hour is
22, and an invariant is not checked against plans with more tasks done than there are. The rules are those of
the extractor, by the names of its facts behind the prefix.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil

from exitgate.analysis.space.domains import IdentityKey
from exitgate.analysis.space.endings import endings, is_ending
from exitgate.core.facts.extractors.clock import DAY, HOUR
from exitgate.core.model.value import Unknown, is_number, is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from exitgate.core.policy.compiled import CompiledPolicy

    Values = Mapping[str, object]
    Number = TypeVar("Number", int, float)
    #: Names of facts, and tuples of values they have together.
    Shapes = tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]
    Blocks = tuple[tuple[str, Mapping[str, object]], ...]
    from collections.abc import Mapping


# The hour of the day and the time of day: two facts of one clock, and what they can be together.

_NO_TIME = Unknown("the time of day is not known", "clock")


def complete(own: Values) -> dict[str, object]:
    """Return the hour that follows from a time of day."""
    seconds = _seconds(own.get("time"))
    return {} if seconds is None else {"hour": seconds // HOUR}


def refused(own: Values, free: frozenset[str]) -> bool:  # noqa: ARG001
    """Return whether no clock shows this: an hour that no day has, a part of a second."""
    time, hour = own.get("time"), own.get("hour")
    if isinstance(hour, int | float) and not 0 <= hour < DAY // HOUR:
        return True
    return isinstance(time, int | float) and _seconds(time) is None


def starts(own: Mapping[str, Iterable[object]]) -> Iterator[dict[str, object]]:
    """Yield a time of day on and between all constants that hours and times are compared with; and none."""
    if not own.keys() & {"hour", "time"}:
        return
    ends = {0, DAY - 1, *(second for one in own.get("time", ()) if (second := _seconds(one)) is not None)}
    for hour in own.get("hour", ()):
        if isinstance(hour, int) and 0 <= hour < DAY // HOUR:
            ends |= {hour * HOUR, hour * HOUR + HOUR - 1}
    marks = sorted(ends)
    for time in sorted({*marks, *((a + b) // 2 for a, b in pairwise(marks))}):
        yield {"time": time}
    yield {"time": _NO_TIME, "hour": _NO_TIME}


def _seconds(value: object) -> int | None:
    """Return the whole seconds of a time of day, None for anything else."""
    if not is_number(value) or not 0 <= value < DAY:
        return None
    return int(value) if value == int(value) else None


#: Sizes of plans that are always looked at; of those up to `SMALL` every amount done, none above `LARGEST`.
#: Hundredths of a task by which a share that was divided may be off.
ROUNDED = 1e-6
TOTALS = (0, 1, 3, 5, 10, 100)
SMALL, LARGEST = 6, 10_000


def dependent_facts(given: Values, policy: CompiledPolicy) -> dict[str, object]:
    """Return `given` (by full name) with the facts that follow from it; what was given is kept."""
    found = dict(given)
    for extraction in policy.extractions:
        if extraction.extractor not in COMPLETE:
            continue
        prefix = f"{extraction.prefix}."
        own = {name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)}
        for part, value in COMPLETE[extraction.extractor](own).items():
            if prefix + part in policy.facts:
                found.setdefault(prefix + part, value)
    return found


def shapes(policy: CompiledPolicy, domains: Mapping[str, tuple[object, ...]]) -> tuple[Shapes, ...]:
    """
    Return for each tied extractor of the policy the facts that `domains` names and what they can be together.

    Those of how the agent ended are among them.

    `domains` holds candidates by full name; those of percentages decide which shares are tried.
    """
    found: list[Shapes] = []
    for extraction in policy.extractions:
        if extraction.extractor not in STARTS:
            continue
        prefix = f"{extraction.prefix}."
        own = {n.removeprefix(prefix): values for n, values in domains.items() if n.startswith(prefix)}
        complete, free = COMPLETE[extraction.extractor], free_parts(extraction.options)
        starts = ({**start, **complete(start)} for start in STARTS[extraction.extractor](own))
        whole = [one for start in starts for one in variations(start, own, free)]
        parts = tuple(part for part in own if any(part in values for values in whole))
        if parts:
            choices = dict.fromkeys(tuple(values.get(part, NOT_SAID) for part in parts) for values in whole)
            found.append((tuple(prefix + part for part in parts), tuple(choices)))
    ended = endings(domains)
    return tuple(found) if ended is None else (*found, ended)


def consistent(values: Values, policy: CompiledPolicy) -> bool:
    """Return False when facts among `values` contradict what follows from the others."""
    if said_without_block(values, fields_of_blocks(policy)) or not is_ending(values, policy):
        return False
    for extraction in policy.extractions:
        complete = COMPLETE.get(extraction.extractor)
        if complete is None:
            continue
        prefix = f"{extraction.prefix}."
        own = {name.removeprefix(prefix): v for name, v in values.items() if name.startswith(prefix)}
        free = free_parts(extraction.options)
        if any(
            part in own and part not in free and own[part] != value for part, value in complete(own).items()
        ):
            return False
        if REFUSED[extraction.extractor](own, free):
            return False
    return True


def fields_of_blocks(policy: CompiledPolicy) -> Blocks:
    """
    Return for each block that an agent writes of itself the fact that it is there, and its fields.

    Each field has the value that it takes where it cannot be read; None where it has none.
    """
    return _blocks(IdentityKey(policy))


@lru_cache(maxsize=8)
def _blocks(asked: IdentityKey) -> Blocks:
    policy: CompiledPolicy
    (policy,) = asked.held  # type: ignore[assignment]
    found = []
    for extraction in policy.extractions:
        fields = extraction.options.get("fields") if extraction.extractor == "status_block" else None
        if isinstance(fields, dict):
            prefix = f"{extraction.prefix}."
            # by the facts: of a part of a policy they are few, however many its blocks have
            own = (name.removeprefix(prefix) for name in policy.facts if name.startswith(prefix))
            stand_ins = {prefix + name: fields[name].get("unreadable") for name in own if name in fields}
            found.append((prefix + "present", stand_ins))
    return tuple(found)


def said_without_block(values: Values, blocks: Blocks) -> list[str]:
    """Return the fields that are known among `values` although they say that there is no block."""
    return [
        name
        for present, fields in blocks
        if values.get(present) is False
        for name, stand_in in fields.items()
        if name in values and not isinstance(values[name], Unknown) and values[name] != stand_in
    ]


NOT_SAID = Unknown("no readable plan", "checklist")
NO_ITEMS = Unknown("no task items in the plan", "checklist")


def _complete_checklist(own: Values) -> dict[str, object]:
    """Return what follows from any two of total, done and open, where every item is either done or open."""
    total, done, open_ = (own.get(name) for name in ("total", "done", "open"))
    found: dict[str, object] = {}
    if total is None and is_whole(done) and is_whole(open_):
        found["total"] = total = done + open_
    elif done is None and is_whole(total) and is_whole(open_):
        found["done"] = done = total - open_
    elif open_ is None and is_whole(total) and is_whole(done):
        found["open"] = open_ = total - done
    if is_whole(total) and is_whole(done):
        found["present"] = True
        found["percent"] = 100 * done / total if total else NO_ITEMS
        found["complete"] = done == total if total else NO_ITEMS
        found["blocking_open"] = open_
    return found


def _refused_checklist(own: Values, free: frozenset[str]) -> bool:
    """Return whether no plan has these counts: more done than there is, a share that is not the whole."""
    if free:
        return contradicts(own, free) or ("percent" not in free and _too_many(own))
    if _too_many(own):
        return True
    total, open_, percent, complete = (own.get(name) for name in ("total", "open", "percent", "complete"))
    if not isinstance(complete, bool):
        return False
    if isinstance(percent, int | float) and (percent == 100) != complete:
        return True
    return is_whole(open_) and (open_ == 0) != complete and total != 0


def _too_many(own: Values) -> bool:
    """Return whether more is done or open than there is, or the share done is none of a whole number."""
    total, done, open_, percent = (own.get(name) for name in ("total", "done", "open", "percent"))
    if is_whole(total) and any(is_whole(part) and part > total for part in (done, open_)):
        return True
    return is_whole(done) and isinstance(percent, int | float) and not _is_share(done, percent)


def _is_share(done: int, percent: float) -> bool:
    """Return whether some number of tasks makes so many done that share of it."""
    if not done or not percent:
        return not done and not percent
    return abs(round(100 * done / percent) * percent - 100 * done) < ROUNDED


def _start_checklist(own: Mapping[str, Iterable[object]]) -> Iterator[dict[str, object]]:
    """
    Yield plans of several sizes, done to the amounts that matter; and no plan.

    Conditions hold done, open, total and the share against constants. What they say together changes at
    sizes where two of these meet, so plans are of those sizes, and one item smaller and larger; of each
    size the amounts done are those around each constant.
    """
    shares = _numbers(own, "percent")
    amounts = {part: [int(n) for n in _numbers(own, part) if n <= LARGEST] for part in ("total", "done")}
    left = [int(n) for part in ("open", "blocking_open") for n in _numbers(own, part) if n <= LARGEST]
    for total in _sizes(amounts["total"], amounts["done"], left, shares):
        near = {ceil(total * share / 100) + step for share in shares for step in (-1, 0, 1)}
        near |= {*amounts["done"], *(total - one for one in left), 0, 1, total - 1, total}
        if total <= SMALL:
            near |= set(range(total))
        for done in sorted(d for d in near if 0 <= d <= total):
            yield {"total": total, "done": done}
    yield {"present": False}


def _sizes(totals: list[int], done: list[int], left: list[int], shares: list[float]) -> list[int]:
    """Return the sizes of plans worth a look: `TOTALS`, those met, and where constants are met exactly."""
    done, left = _centres(done), _centres(left)
    inner = [share for share in _centres(shares) if 0 < share < 100]
    meets = {*done, *left, *(d + o for d in done for o in left)}
    meets |= {ceil(100 * d / share) for d in done for share in inner}
    meets |= {ceil(100 * o / (100 - share)) for o in left for share in inner}
    meets |= {(Fraction(repr(share)) / 100).denominator for share in inner}
    around = {one + step for one in meets for step in (-1, 0, 1)}
    return sorted(size for size in {*TOTALS, *totals, *around} if 0 <= size <= LARGEST)


def _centres(points: Sequence[Number]) -> list[Number]:
    """Return the constants around which points were put: those above 1 with a point on either side."""
    return [one for one in dict.fromkeys(points) if one > 1 and one - 1 in points and one + 1 in points]


def _numbers(own: Mapping[str, Iterable[object]], part: str) -> list[float]:
    return [n for n in own.get(part, ()) if is_number(n)]


#: By id of the extractor: what follows from given values, and values to start from.
COMPLETE: dict[str, Callable[[Values], dict[str, object]]] = {
    "checklist": _complete_checklist,
    "clock": complete,
}
#: What no text can give together, though nothing follows from it.
REFUSED: dict[str, Callable[[Values, frozenset[str]], bool]] = {
    "checklist": _refused_checklist,
    "clock": refused,
}
STARTS: dict[str, Callable[[Mapping[str, Iterable[object]]], Iterator[dict[str, object]]]] = {
    "checklist": _start_checklist,
    "clock": starts,
}


# Which facts of a plan determine each other, by the options of its checklist.

#: Counts that determine each other where every item is done or open; what follows where open ones block.
COUNTS = frozenset(("total", "done", "open"))
OF_BLOCKING = frozenset(("blocking_open", "complete"))
_DROPPED, _DEFERRED = "cancelled", "deferred"


def free_parts(options: Mapping[str, object]) -> frozenset[str]:
    """
    Return the facts of a checklist that do not follow from others, by its options.

    Items of optional sections, and deferred ones, are open and keep no plan from being complete; cancelled
    ones are neither done nor open; a mark of its own for the total counts other lines than items.
    """
    marks = options.get("marks")
    states = set(marks.values()) if isinstance(marks, dict) else set()
    free: frozenset[str] = frozenset()
    if options.get("optional_sections") or _DEFERRED in states:
        free |= OF_BLOCKING
    if _DROPPED in states:
        free |= OF_BLOCKING | COUNTS
    if options.get("total_mark") is not None:
        free |= OF_BLOCKING | COUNTS | {"percent"}
    return free


def variations(whole: Values, own: Mapping[str, Iterable[object]], free: frozenset[str]) -> Iterator[Values]:
    """Yield a plan as it is, and with fewer items that are open, or that keep it open, where that can be."""
    yield whole
    open_ = whole.get("open")
    if not isinstance(open_, int) or not open_ or not whole.get("total"):
        return
    fewer = sorted({0, 1, *_counts(own, "blocking_open"), *_counts(own, "open")})
    if "complete" in free:
        for number in (number for number in fewer if 0 <= number < open_):
            yield {**whole, "blocking_open": number, "complete": number == 0}
    if "open" in free:
        for number in (number for number in fewer if 0 <= number < open_):
            yield {**whole, "open": number, "blocking_open": number, "complete": number == 0}


def contradicts(own: Values, free: frozenset[str]) -> bool:
    """Return whether no plan has these facts, beside what follows from counts alone."""
    total, done, open_, blocking = (own.get(name) for name in ("total", "done", "open", "blocking_open"))
    if isinstance(blocking, int) and isinstance(open_, int) and blocking > open_:
        return True
    counts = (total, done, open_)
    if all(isinstance(count, int) for count in counts) and "percent" not in free and done + open_ > total:  # type: ignore[operator]
        return True
    complete, percent = own.get("complete"), own.get("percent")
    if not isinstance(complete, bool):
        return False
    if isinstance(blocking, int) and (blocking == 0) != complete:
        return True
    return not complete and "percent" not in free and (open_ == 0 or percent == 100)


def _counts(own: Mapping[str, Iterable[object]], part: str) -> set[int]:
    return {n for n in own.get(part, ()) if is_whole(n)}
