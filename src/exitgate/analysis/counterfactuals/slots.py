"""Slots: what each fact of the last iteration, or several that follow from each other, could be instead."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.results.counterfactual import Edit
from exitgate.analysis.space.dependencies import fields_of_blocks
from exitgate.analysis.space.domains import NUMBERS, TEXTS, IdentityKey, comparisons_of, domains, trees
from exitgate.core.model.value import Unknown, Value, is_number, is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from exitgate.analysis.space.domains import Domains
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy

    Record = Mapping[str, object]
    from collections.abc import Mapping, Sequence

    from exitgate.core.model.fact import FactSpec

    Records = Sequence[Mapping[str, object]]
    from collections.abc import Mapping


#: Choices of one slot at most, the nearest first; and of a plan both of whose counts change.
CHOICES, PLANS = 24, 60
CHECKLIST = "checklist"
#: Values that say little about where a border is; they come after those that are on one.
_ENDS = (0, 1, 100)


class Choice(Value):
    """
    What a slot could be.

    Args:
        values: Facts with their values, those that follow included.
        stand_ins: Those of them that are unknown and take the value the policy declares.
        edits: What a person would have to know; none for what the slot is now.
    """

    __slots__ = ("edits", "stand_ins", "values")

    def __init__(
        self,
        values: Mapping[str, object],
        edits: tuple[Edit, ...] = (),
        stand_ins: frozenset[str] = frozenset(),
    ) -> None:
        self.values = values
        self.edits = edits
        self.stand_ins = stand_ins


class Slot(Value):
    """
    Facts that change together: `choices` begin with what they are now, then come the nearest.

    `names` are all facts that a choice can write; `lasting` says that no choice was left out.
    """

    __slots__ = ("choices", "lasting", "names")

    def __init__(self, names: frozenset[str], choices: tuple[Choice, ...], lasting: bool = True) -> None:
        self.names = names
        self.choices = choices
        self.lasting = lasting


class Slots:
    """Makes the slots of one last iteration."""

    def __init__(
        self,
        policy: CompiledPolicy,
        base: Record,
        points: Candidates,
        growing: Mapping[str, object] | None = None,
    ) -> None:
        self._policy = policy
        self._base = base
        self._points = points
        self._growing = growing or {}
        self._blocks = fields_of_blocks(policy)
        self._plans = {e.prefix for e in policy.extractions if e.extractor == CHECKLIST}

    def of(self, names: Iterable[str]) -> tuple[Slot, ...]:
        """
        Return slots for these facts; facts of a tied group share one.

        Those that can only be lost together have a slot for that, behind all that it undoes.
        """
        wanted = sorted(names)
        groups = {name.rpartition(".")[0] for name in wanted}
        plans = self._plans & groups
        found, covered = [], set()
        for group in sorted(groups):
            parts = dependents(self._base, group)
            if parts or (group in plans and is_counted(self._base, group)):
                found.append(self._plan(group, parts, wanted))
                covered |= {f"{group}.{part}" for part in (*parts, "done", "total")}
        found += [self._plain(name) for name in wanted if name not in covered]
        found += [self._lost(group, wanted) for group in sorted(plans)]
        return tuple(slot for slot in found if len(slot.choices) > 1)

    def _plain(self, name: str) -> Slot:
        before = self._base.get(name, NOT_KNOWN)
        choices = []
        for value, new in self._points.of(name):
            together = isinstance(value, Unknown) and name.rpartition(".")[0] in self._plans
            if not (is_same(value, before) or together or self._falls(name, value)):
                choices.append(self._choice(name, before, value, new))
        choices.sort(key=lambda choice: (choice.edits[0].effort, choice.edits[0].after in _ENDS))
        kept = (Choice({name: before}), *choices[:CHOICES])
        written = frozenset(n for choice in kept for n in choice.values)
        return Slot(written, kept, len(choices) <= CHOICES)

    def _lost(self, group: str, wanted: list[str]) -> Slot:
        """Return a slot of a plan that does not exist any more: nothing is known of it."""
        known = [
            name for name in wanted
            if name.rpartition(".")[0] == group and not isinstance(self._base.get(name, NOT_KNOWN), Unknown)
        ]  # fmt: skip
        own = [name for name in self._base if name.rpartition(".")[0] == group]
        now, lost = {name: self._base[name] for name in own}, dict.fromkeys(own, NOT_KNOWN)
        if f"{group}.present" in now:
            lost |= {f"{group}.present": False}  # type: ignore[dict-item]
        edits = (Edit(known[0], now[known[0]], NOT_KNOWN),) if known else ()
        return Slot(frozenset(own), (Choice(now), Choice(lost, edits)) if known else (Choice(now),))

    def _falls(self, name: str, value: object) -> bool:
        """Return whether a count of the run would have to be less than it is, or lost."""
        least = self._growing.get(name)
        if least is None or isinstance(least, Unknown):
            return False
        return isinstance(value, Unknown) or value < least  # type: ignore[operator]

    def _choice(self, name: str, before: object, value: object, new: bool) -> Choice:
        values: dict[str, object] = {name: value}
        stand_ins: set[str] = set()
        if isinstance(value, Unknown) and name in self._policy.unreadable:
            values[name] = self._policy.unreadable[name]
            stand_ins.add(name)
        for present, fields in self._blocks:
            if name in fields and not isinstance(value, Unknown) and self._base.get(present) is False:
                values[present] = True
            elif name == present and value is not True:
                for field, stand_in in fields.items():
                    values[field] = NOT_KNOWN if stand_in is None else stand_in
                    stand_ins |= {field} if stand_in is not None else set()
        return Choice(values, (Edit(name, before, value, new),), frozenset(stand_ins))

    def _plan(self, group: str, parts: tuple[str, ...], wanted: list[str]) -> Slot:
        """Return a slot of the counts of a group, and of all that follows from them."""
        done, total = f"{group}.done", f"{group}.total"
        names = frozenset((done, total, *(f"{group}.{part}" for part in parts)))
        now = {name: self._base[name] for name in names}
        ticked = dict.fromkeys(self._counts(done))
        for part in parts:
            name = f"{group}.{part}"
            if name in wanted:
                for value, _ in self._points.of(name):
                    ticked |= dict.fromkeys(done_around(self._base, name, value))
        sizes = [count for count in self._counts(total) if count != now[total]]
        choices = []
        for count in ticked:
            values = counts_with_dependents(self._base, group, done=count)
            if count != now[done] and values is not None:
                choices.append(Choice({**now, **values}, (Edit(done, now[done], count),)))
        for size in sizes:
            values = counts_with_dependents(self._base, group, total=size)
            if values is not None:
                choices.append(Choice({**now, **values}, (Edit(total, now[total], size),)))
        if group not in self._plans:
            lost = Choice(dict.fromkeys(names, NOT_KNOWN), (Edit(done, now[done], NOT_KNOWN),))
            choices.append(lost)
        choices.sort(key=lambda choice: choice.edits[0].effort)
        both = list(self._both(group, now, list(ticked), sizes))
        kept = (Choice(now), *choices[:CHOICES], *both[:PLANS])
        return Slot(names, kept, len(choices) <= CHOICES and len(both) <= PLANS)

    def _both(self, group: str, now: Record, ticked: list[int], sizes: list[int]) -> Iterator[Choice]:
        done, total = f"{group}.done", f"{group}.total"
        for size in sizes:
            for count in dict.fromkeys((*ticked, size)):
                values = counts_with_dependents(self._base, group, done=count, total=size)
                if values is not None and count != now[done]:
                    edits = (Edit(done, now[done], count), Edit(total, now[total], size))
                    yield Choice({**now, **values}, edits)

    def _counts(self, name: str) -> list[int]:
        found = [value for value, _ in self._points.of(name)]
        return [v for v in found if is_whole(v) and v >= 0]


# Values worth trying for one fact: the points of the walk, what it was before, and what is beside that.

#: Earlier values of a fact that are tried, the newest of them.
EARLIER = 8
_TEXTS = frozenset(("text", "signature"))
NOT_KNOWN = Unknown("not known", "nearest")


class Candidates:
    """
    The points of each fact.

    Args:
        policy: Whose conditions, those of its breaker included, say which constants matter.
        records: Those of the run, oldest first, the last iteration among them.
    """

    def __init__(self, policy: CompiledPolicy, records: Records) -> None:
        self._policy = policy
        self._records = records
        breaker = policy.breaker
        extra = () if breaker is None else tuple(o.when for o in breaker.openings)
        more = () if breaker is None else tuple(n for n in (breaker.watch, breaker.close) if n is not None)
        self._meetings = comparisons_of((policy,), (*extra, *more))
        self._found, self._written = _points_of(IdentityKey(policy), IdentityKey(*extra, *more))
        self._signals = {signal for fact in policy.derived for signal in fact.signals}

    def of(self, name: str) -> tuple[tuple[object, bool], ...]:
        """Return the values to try for a fact, each once, and whether it stands for any that is new."""
        spec = self._policy.facts.get(name)
        if spec is None:
            return ()
        found: list[tuple[object, bool]] = []
        before = self._before(name)
        fresh = spec.type.kind in _TEXTS
        asked = self._meetings.texts(name) if spec.type.kind == "text" else None
        seen: set[object] = set()
        points = self._found.get(name) or (*_plain(spec), NOT_KNOWN)
        for value in (*points, *before, *self._beside(name, before, spec)):
            new = fresh and isinstance(value, str) and value not in self._written and value not in before
            if new:
                way = asked.way(str(value)) if asked is not None else ()
                if way in seen:
                    continue  # one stands for all of them
                seen.add(way)
                new = all(outcome <= 0 for outcome in way)  # else it is this one for what it says
            if not any(is_same(value, other) for other, _ in found):
                found.append((value, new))
        return tuple(found)

    def _before(self, name: str) -> list[object]:
        values: list[object] = []
        for record in reversed(self._records):
            value = record.get(name)
            if value is not None and not isinstance(value, Unknown):
                if not any(is_same(value, other) for other in values):
                    values.append(value)
                if len(values) == EARLIER:
                    break
        return values

    def _beside(self, name: str, before: list[object], spec: FactSpec) -> Iterator[object]:
        """Yield the numbers beside earlier ones, and for a signal of progress beyond the best of the run."""
        if spec.type.kind not in NUMBERS:
            return
        numbers = [v for v in before if is_number(v)]
        seen = getattr(self._records[-1], "remembered", None)
        if name in self._signals and seen is not None:
            numbers += [marks[name] for marks in (seen.best, seen.least) if name in marks]
        high = 100 if spec.type.kind == "percent" and spec.high is None else spec.high
        low = 0 if spec.type.kind in ("count", "percent", "duration") and spec.low is None else spec.low
        for number in numbers:
            for near in (number - 1, number, number + 1):
                if (low is None or near >= low) and (high is None or near <= high):
                    yield int(near) if spec.type.kind == "count" else near


@lru_cache(maxsize=8)
def _points_of(asked: IdentityKey, extra: IdentityKey) -> tuple[Domains, frozenset[str]]:
    """Return the points of a policy's facts, and the texts in its conditions, once for the same ones."""
    policy: CompiledPolicy
    more: tuple[Node, ...]
    (policy,), more = asked.held, extra.held  # type: ignore[assignment]
    parts = (part for tree in (*trees(policy), *more) for part in tree.walk())
    return domains(policy, extra=more), frozenset(str(part.args[0]) for part in parts if part.op == "text")


def _plain(spec: FactSpec) -> tuple[object, ...]:
    """Return values of a fact that no condition compares: only whether it is known matters."""
    if spec.type.kind in NUMBERS:
        return (spec.low or 0,)
    if spec.type.kind == "enum":
        return spec.type.members
    return {"bool": (False, True), "list": ((),)}.get(spec.type.kind, TEXTS[:1])


def value_key(value: object) -> object:
    """Return a value, or what stands for it where it cannot be a key, so that equal ones are one."""
    if isinstance(value, Unknown):
        return None if value.least is None else (Unknown, value.least, value.most)
    return value.__class__, tuple(map(value_key, value)) if isinstance(value, tuple | list) else value


def is_same(one: object, other: object) -> bool:
    """Return whether two values are one: true and 1 are not, two unknowns with the same bounds are."""
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return isinstance(one, Unknown) and one.like(other)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


# Facts that other facts of the same group follow from.
#
# A group ``X`` with ``X.done`` and ``X.total`` is tied as far as the record bears it out: where
# ``X.percent`` is ``100 * done / total`` and ``X.open`` is ``total - done``. ``X.blocking_open`` is ``total
# - done`` less the items that may stay open, as many as there are; ``X.complete`` says that none is left of
# the others. Those move with the counts and are not changed on their own.

_EXACT = 1e-9
_PARTS = ("percent", "open", "blocking_open", "complete")


def is_dependent(record: Record, name: str) -> bool:
    """Return True for a fact that follows from counts and is not to be changed on its own."""
    group, _, part = name.rpartition(".")
    return bool(group) and part in dependents(record, group)


def with_dependents(record: Record, name: str, value: object) -> dict[str, object] | None:
    """
    Return what changes when `name` takes `value`, the facts that follow included.

    None when the counts would not fit each other (more done than there are).
    """
    group, _, part = name.rpartition(".")
    if part not in ("done", "total") or not dependents(record, group):
        return {name: value}
    return counts_with_dependents(record, group, **{part: value})


def counts_with_dependents(
    record: Record, group: str, done: object = None, total: object = None
) -> dict[str, object] | None:
    """Return what a tied group becomes with other counts; None when they do not fit each other."""
    parts = dependents(record, group)
    given = {"done": done, "total": total}
    changed = {f"{group}.{part}": value for part, value in given.items() if value is not None}
    counts = _counts({**record, **changed}, group)
    if counts is None or counts[0] > counts[1]:
        return None
    spare = _spare(record, group)
    return {**changed, **{f"{group}.{one}": _share(one, *counts, group, spare) for one in parts}}


def done_around(record: Record, name: str, value: object) -> tuple[int, ...]:
    """Return the numbers of done items around which the following fact `name` passes `value`."""
    group, _, part = name.rpartition(".")
    counts = _counts(record, group)
    if counts is None:
        return ()
    total = counts[1]
    if part == "complete":
        near = total - _spare(record, group)
    elif not is_number(value):
        return ()
    elif part == "percent":
        near = int(value * total / 100)
    else:
        near = total - int(value) - (_spare(record, group) if part == "blocking_open" else 0)
    return tuple(count for count in (near - 1, near, near + 1) if 0 <= count <= total)


def is_counted(record: Record, group: str) -> bool:
    """Return whether the record says how many items a group has, and how many of them are done."""
    return _counts(record, group) is not None


def dependents(record: Record, group: str) -> tuple[str, ...]:
    """Return the parts of the group that the record shows to follow from done and total."""
    counts = _counts(record, group)
    if counts is None:
        return ()
    spare = _spare(record, group)
    return tuple(
        part for part in _PARTS if _fits(record.get(f"{group}.{part}"), _share(part, *counts, group, spare))
    )


def _spare(record: Record, group: str) -> int:
    """Return how many open items do not keep the group from being complete."""
    counts, blocking = _counts(record, group), record.get(f"{group}.blocking_open")
    if counts is None or not is_whole(blocking):
        return 0
    return max(0, counts[1] - counts[0] - blocking) if blocking >= 0 else 0


def _counts(record: Record, group: str) -> tuple[int, int] | None:
    done, total = record.get(f"{group}.done"), record.get(f"{group}.total")
    if not isinstance(done, int) or not isinstance(total, int) or min(done, total) < 0:
        return None
    return done, total


def _share(part: str, done: int, total: int, group: str, spare: int = 0) -> object:
    if part == "open":
        return total - done
    left = max(0, total - done - spare)
    if part == "blocking_open":
        return left
    if not total:
        return Unknown("no items", f"{group}.{part}")
    return 100 * done / total if part == "percent" else left == 0


def _fits(found: object, share: object) -> bool:
    if isinstance(found, Unknown) or isinstance(share, Unknown):
        return isinstance(found, Unknown) and isinstance(share, Unknown)
    if isinstance(found, bool) or isinstance(share, bool):
        return found is share
    numbers = isinstance(found, int | float) and isinstance(share, int | float)
    return numbers and abs(found - share) < _EXACT  # type: ignore[operator]
