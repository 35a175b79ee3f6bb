"""Slots: what each fact of the last iteration, or several that follow from each other, could be instead."""

from __future__ import annotations

from exitgate.analysis.nearest.points import NOT_KNOWN, Points, same
from exitgate.analysis.space.ties import fields_of_blocks
from exitgate.analysis.tied import counted, done_around, following, settled_counts
from exitgate.model.change import Edit
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from exitgate.policy.compiled import CompiledPolicy

    Record = Mapping[str, object]

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
        points: Points,
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
            parts = following(self._base, group)
            if parts or (group in plans and counted(self._base, group)):
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
            if not (same(value, before) or together or self._falls(name, value)):
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
            values = settled_counts(self._base, group, done=count)
            if count != now[done] and values is not None:
                choices.append(Choice({**now, **values}, (Edit(done, now[done], count),)))
        for size in sizes:
            values = settled_counts(self._base, group, total=size)
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
                values = settled_counts(self._base, group, done=count, total=size)
                if values is not None and count != now[done]:
                    edits = (Edit(done, now[done], count), Edit(total, now[total], size))
                    yield Choice({**now, **values}, edits)

    def _counts(self, name: str) -> list[int]:
        found = [value for value, _ in self._points.of(name)]
        return [v for v in found if isinstance(v, int) and not isinstance(v, bool) and v >= 0]
