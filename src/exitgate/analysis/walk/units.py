"""The variables of a walk: what each fact, or group of tied facts, can be in one iteration."""

from __future__ import annotations

from exitgate.analysis.space.domains import UNKNOWN
from exitgate.analysis.space.ties import fields_of_blocks, shapes
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.analysis.space.domains import Domains
    from exitgate.policy.compiled import CompiledPolicy, Derived

    #: For each unit of each iteration the choices it has left, as bits; see `Units.index`.
    Region = tuple[int, ...]


class Unit(Value):
    """Facts and the values they can have together: `choices` holds a tuple for each, in order of `names`."""

    __slots__ = ("choices", "names")

    def __init__(self, names: tuple[str, ...], choices: tuple[tuple[object, ...], ...]) -> None:
        self.names = names
        self.choices = choices


class Units:
    """
    The units of one or several policies over a run of `length` iterations.

    A variable is a unit in one iteration; `index` counts iterations back from the last one, which
    is 0. All policies share the facts they both name; `found` holds the candidates of each.
    """

    def __init__(self, policies: Sequence[CompiledPolicy], length: int, found: Domains) -> None:
        self.length = length
        self.policies = tuple(policies)
        self.units = _units(self.policies, found)
        self.width = len(self.units)
        follows = {fact.name for policy in self.policies for fact in policy.derived}
        self.tied = tuple(unit for unit in self.units if not follows.issuperset(unit.names))
        self.guessed = frozenset(n for n, unit in enumerate(self.units) if follows.issuperset(unit.names))
        self.of = {name: (u, i) for u, unit in enumerate(self.units) for i, name in enumerate(unit.names)}
        self.full: Region = tuple((1 << len(unit.choices)) - 1 for unit in self.units) * length
        self._blocks = tuple(block for policy in self.policies for block in fields_of_blocks(policy))
        self._bound = self._bindings()

    def index(self, unit: int, back: int) -> int:
        """Return the place of a unit's variable `back` iterations before the last one."""
        return back * self.width + unit

    def narrowed(self, region: Region, variable: int, choices: int) -> Region | None:
        """Return the region with only `choices` left for a variable, and what follows; None if nothing is."""
        changed = list(region)
        changed[variable] &= choices
        if not changed[variable]:
            return None
        back, unit = divmod(variable, self.width)
        for present, absent, field, silent in self._bound:
            if unit not in (present, field):
                continue
            at, other = self.index(present, back), self.index(field, back)
            if not changed[at] & ~absent:
                changed[other] &= silent
            if not changed[other] & silent:
                changed[at] &= ~absent
            if not (changed[at] and changed[other]):
                return None
        return tuple(changed)

    def points(self, region: Region) -> int:
        """Return how many points a region holds."""
        count = 1
        for choices in region:
            count *= choices.bit_count()
        return count

    def run(self, region: Region) -> tuple[dict[str, object], ...]:
        """
        Return the plainest run of a region, oldest first, unknown facts left out.

        Unknown comes before known, and what an earlier iteration had before something new.
        """
        run: list[dict[str, object]] = []
        chosen = [0] * self.width
        for back in reversed(range(self.length)):
            values: dict[str, object] = {}
            for number, unit in enumerate(self.units):
                if number in self.guessed:
                    continue
                left = region[self.index(number, back)]
                kept = chosen[number] if back < self.length - 1 and left >> chosen[number] & 1 else None
                chosen[number] = kept if kept is not None else _plainest(left, unit)
                for name, value in zip(unit.names, unit.choices[chosen[number]], strict=True):
                    if not isinstance(value, Unknown):
                        values[name] = value
            run.append(values)
        return tuple(run)

    def _bindings(self) -> tuple[tuple[int, int, int, int], ...]:
        """Return for each field of a block: unit of presence, its false choices, field, its silent ones."""
        found = []
        for present, fields in self._blocks:
            if present not in self.of:
                continue
            unit, place = self.of[present]
            absent = _bits(self.units[unit], place, lambda value: value is False)
            for name, stand_in in fields.items():
                if name in self.of:
                    field, at = self.of[name]
                    silent = _bits(self.units[field], at, _is_silent(stand_in))
                    found.append((unit, absent, field, silent))
        return tuple(found)


def _is_silent(stand_in: object) -> Callable[[object], bool]:
    return lambda value: isinstance(value, Unknown) or (stand_in is not None and value == stand_in)


def _bits(unit: Unit, place: int, wanted: Callable[[object], bool]) -> int:
    return sum(1 << number for number, choice in enumerate(unit.choices) if wanted(choice[place]))


def _plainest(left: int, unit: Unit) -> int:
    """Return the choice with the fewest known facts; the first of equals."""
    numbers = [n for n in range(len(unit.choices)) if left >> n & 1]
    return min(numbers, key=lambda n: sum(not isinstance(v, Unknown) for v in unit.choices[n]))


def _units(policies: Sequence[CompiledPolicy], found: Mapping[str, tuple[object, ...]]) -> tuple[Unit, ...]:
    units: dict[str, Unit] = {}
    for policy in policies:
        for names, choices in shapes(policy, found):
            if not any(name in units for name in names):
                silent = (UNKNOWN,) * len(names)
                unit = Unit(names, tuple(dict.fromkeys((*choices, silent))))
                units.update(dict.fromkeys(names, unit))
    for name, values in found.items():
        units.setdefault(name, Unit((name,), tuple((value,) for value in values)))
    for policy in policies:
        for unit in _progress(policy):
            if not any(name in units for name in unit.names):
                units.update(dict.fromkeys(unit.names, unit))
    return tuple(dict.fromkeys(units.values()))


def _progress(policy: CompiledPolicy) -> Iterator[Unit]:
    """
    Yield what progress can say, as if it were free.

    It follows from all that its signals were in the run. A region says what it shall be, and a run
    of the region that brings it about is looked for afterwards (`realised`).
    """
    prefixes: dict[str, list[Derived]] = {}
    for fact in policy.derived:
        if fact.signals:
            prefixes.setdefault(fact.name.rpartition(".")[0], []).append(fact)
    for facts in prefixes.values():
        says: dict[str, tuple[object, ...]] = {
            "bool": (UNKNOWN, False, True),
            "list": (UNKNOWN, (), facts[0].signals[:1]),
            "count": (0, 1, 1),
        }
        names = tuple(fact.name for fact in facts)
        yield Unit(names, tuple(zip(*(says[fact.type.kind] for fact in facts), strict=True)))
