"""A last iteration with all that it could have been."""

from __future__ import annotations

from functools import cached_property, lru_cache

from exitgate.analysis.counterfactuals.last_iteration import Dependencies, LastIteration, deciding
from exitgate.analysis.counterfactuals.slots import Candidates, Slots, value_key
from exitgate.analysis.space.domains import IdentityKey
from exitgate.analysis.space.exactness import exact
from exitgate.core.engine.record import Record
from exitgate.core.model.value import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from exitgate.analysis.counterfactuals.slots import Choice
    from exitgate.analysis.results.counterfactual import Edit
    from exitgate.core.language.tree import Node
    from exitgate.core.model.decision import Decision
    from exitgate.core.policy.compiled import CompiledPolicy

    #: For each slot the number of its choice; 0 is what it is now.
    Point = tuple[int, ...]
    Result = tuple[str, str | None]


#: Operations that only join tests.
_JOINING = frozenset(("and", "or", "not", "condition", "consecutive", "quantified"))


class SearchSpace:
    """
    One iteration to be changed.

    Args:
        played: The policy, the iterations before, the stages asked.
        base: The record of the iteration.
        fixed: Facts that cannot be otherwise.
        growing: Numbers that cannot become smaller than these, and not unknown.
    """

    def __init__(
        self,
        played: LastIteration,
        base: Record,
        fixed: Collection[str] = (),
        growing: Mapping[str, object] | None = None,
    ) -> None:
        self.played = played
        self.base = base
        policy = played.policy
        self.rests = Dependencies(policy, played.breaker is not None)
        whens = [rule.when for stage in played.stages for rule in deciding(policy, stage)]
        names = {name for when in whens for name in self.rests.of(when)}
        if self.may_end_blind:
            names |= set(played.program.read)
        slots = Slots(policy, base, Candidates(policy, (*played.earlier, base)), growing)
        self.slots = slots.of(names - set(fixed))
        #: Tests asked so far: what a search spends.
        self.asked = 0
        self.start: Point = (0,) * len(self.slots)
        self._writers: dict[str, list[int]] = {}
        for number, slot in enumerate(self.slots):
            for name in slot.names:
                self._writers.setdefault(name, []).append(number)
        below = frozenset(name for one in played.computed for name in self.rests.of_fact(one))
        self._follow = self.slots_of(below)
        self._key = self.alike(below)
        self._whole: dict[object, Mapping[str, object]] = {}
        self._some: dict[frozenset[str], dict[object, Mapping[str, object]]] = {}

    @property
    def may_end_blind(self) -> bool:
        """Whether one more blind decision would end the run."""
        limit = self.played.policy.exit_after_blind
        return limit is not None and (
            limit <= 1 or (bool(self.played.earlier) and self._blind_before() >= limit - 1)
        )

    def _blind_before(self) -> int:
        return self.played.program.blind_run(self.played.earlier)

    def slots_of(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the slots that write one of the facts `names`."""
        return tuple(sorted({number for name in names for number in self._writers.get(name, ())}))

    def alike(self, names: Collection[str]) -> Callable[[Point], object]:
        """
        Return what is the same for two points at which the facts `names` are the same.

        A value that stands in for one that is not known is another than the same value, known.
        """
        numbers = self.slots_of(names)
        sorts = []
        for number in numbers:
            slot = self.slots[number]
            own = [name for name in slot.names if name in names]
            seen: dict[object, int] = {}
            values = (tuple(self._observed_value(name, choice) for name in own) for choice in slot.choices)
            sorts.append([seen.setdefault(one, len(seen)) for one in values])
        paired = tuple(zip(numbers, sorts, strict=True))
        return lambda point: tuple([sort[point[number]] for number, sort in paired])

    def _observed_value(self, name: str, choice: Choice) -> tuple[object, bool]:
        """Return what tests see of a fact under a choice of its slot."""
        if name not in choice.values or not choice.edits:
            return value_key(self.base.get(name)), name in self.base.stand_ins
        return value_key(choice.values[name]), name in choice.stand_ins

    def chosen(self, point: Point) -> tuple[Choice, ...]:
        """Return the choices that a point makes beside what is."""
        return tuple(slot.choices[one] for slot, one in zip(self.slots, point, strict=True) if one)

    def record(self, point: Point, slots: Sequence[int] | None = None) -> Record:
        """Return the record with the choices of a point, of `slots` only where they are given."""
        values = dict(self.base)
        stand_ins = set(self.base.stand_ins)
        for number in range(len(point)) if slots is None else slots:
            if point[number]:
                choice = self.slots[number].choices[point[number]]
                values.update(choice.values)
                stand_ins = (stand_ins - choice.values.keys()) | choice.stand_ins
        return Record(values, frozenset(stand_ins), self.base.remembered)

    def whole(self, point: Point, slots: Sequence[int] | None = None) -> Record:
        """Return the record with what follows from it: computed facts and those of the breaker."""
        record = self.record(point, slots)
        if not self.played.computed:
            return record
        key = self._key(point)
        found = self._whole.get(key)
        if found is None:
            found = self._whole[key] = self.played.following(self.record(point, self._follow))
        return record.with_values(found)

    def read_by(self, node: Node) -> Callable[[Point], Record]:
        """Return what gives for a point the record as far as a test reads it."""
        slots, names = self.slots_of(self.rests.of(node)), self.rests.computed(node)
        if names is None:
            return lambda point: self.whole(point, slots)
        if not names:
            return lambda point: self.record(point, slots)
        below = frozenset(name for one in names for name in self.rests.of_fact(one))
        key, kept = self.alike(below), self._some.setdefault(names, {})

        def made(point: Point) -> Record:
            record, place = self.record(point, slots), key(point)
            found = kept.get(place)
            if found is None:
                found = kept[place] = self.played.some_following(record, names)
            return record.with_values(found)

        return made

    def decide(self, point: Point) -> Decision:
        """Return what the engine decides; of several stages the decision that counts."""
        return self.played.decide(self.whole(point))

    @cached_property
    def loose(self) -> frozenset[str]:
        """Facts of which a test can come out otherwise between two of their choices."""
        policy = self.played.policy
        trees = [rule.when for stage in self.played.stages for rule in deciding(policy, stage)]
        loose = _loose(IdentityKey(policy), IdentityKey(*trees))
        return frozenset(name for part in loose for name in self.rests.of(part))

    @cached_property
    def result(self) -> Result:
        """Verdict and class of the iteration as it is."""
        return result_of(self.decide(self.start))

    def edits(self, point: Point) -> tuple[Edit, ...]:
        """Return what a point changes."""
        return tuple(edit for choice in self.chosen(point) for edit in choice.edits)

    def cost(self, point: Point) -> int:
        """Return how many facts a point changes."""
        return sum(len(self.slots[n].choices[one].edits) for n, one in enumerate(point) if one)


@lru_cache(maxsize=8)
def _loose(asked: IdentityKey, trees: IdentityKey) -> tuple[Node, ...]:
    """Return the tests in some conditions of a policy, and in those it names, that are not exact."""
    policy: CompiledPolicy
    own: tuple[Node, ...]
    (policy,), own = asked.held, trees.held  # type: ignore[assignment]
    parts = (part for tree in (*own, *policy.conditions.values()) for part in tree.walk())
    tests = (part for part in parts if part.type == BOOL and part.op not in _JOINING)
    return tuple(part for part in tests if not exact([policy], [part]))


def result_of(decision: Decision) -> Result:
    """Return verdict and class of a decision: what a change has to change."""
    return decision.verdict, decision.exit_class
