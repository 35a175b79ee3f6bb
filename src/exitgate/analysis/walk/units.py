"""The variables of a walk: what each fact, or group of tied facts, can be in one iteration."""

from __future__ import annotations

from exitgate.analysis.space.domains import UNKNOWN
from exitgate.analysis.space.ties import fields_of_blocks
from exitgate.analysis.walk.guesses import guessed_units
from exitgate.analysis.walk.unit import plain_units
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.analysis.space.domains import Domains
    from exitgate.analysis.walk.unit import Unit
    from exitgate.policy.compiled import CompiledPolicy

    #: For each unit of each iteration the choices it has left, as bits; see `Units.index`.
    Region = tuple[int, ...]


class Units:
    """
    The units of one or several policies over a run of `length` iterations.

    A variable is a unit in one iteration; `index` counts iterations back from the last one, which
    is 0. All policies share the facts they both name; `found` holds the candidates of each.
    """

    def __init__(self, policies: Sequence[CompiledPolicy], length: int, found: Domains) -> None:
        self.length = length
        #: How many iterations have variables of their own.
        self.iterations = length
        self.policies = tuple(policies)
        plain = plain_units(self.policies, found)
        guesses = guessed_units(self.policies)
        self.units = (*plain, *guesses.units)
        self.width = len(self.units)
        self.tied = plain
        self.guessed = frozenset(range(len(plain), self.width))
        self.progress = frozenset(n + len(plain) for n in guesses.progress)
        self.called = guesses.called
        self.of = {name: (u, i) for u, unit in enumerate(self.units) for i, name in enumerate(unit.names)}
        self.full: Region = tuple((1 << len(unit.choices)) - 1 for unit in self.units) * length
        #: For each unit its choices, those with the fewest known facts first; the first of equals.
        self._plainest = tuple(tuple(_by_known(unit)) for unit in self.units)
        #: For each unit and choice the facts that it makes known.
        self._known = tuple(tuple(map(unit.known, unit.choices)) for unit in self.units)
        self._groups: dict[tuple[int, tuple[str, ...], str], tuple[tuple[tuple[object, ...], int], ...]] = {}
        self._blocks = tuple(block for policy in self.policies for block in fields_of_blocks(policy))
        self._bound = self._bindings()
        self.moving = self._movements()

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
        for guess, unknown, signals in self.moving:
            if unit == guess or any(unit == signal for signal, _ in signals):
                at = self.index(guess, back)
                if not any(changed[self.index(signal, back)] & known for signal, known in signals):
                    changed[at] &= unknown
                if not changed[at]:
                    return None
        return tuple(changed)

    def groups(
        self, unit: int, names: tuple[str, ...], stand_ins: Mapping[str, object]
    ) -> tuple[tuple[tuple[object, ...], int], ...]:
        """
        Return the values that some facts of a unit have together, each with the choices that give them.

        `stand_ins` are the values of facts while they are unknown.
        """
        instead = tuple(stand_ins.get(name, UNKNOWN) for name in names)
        kept = (unit, names, repr(instead))
        if kept not in self._groups:
            places = [self.of[name][1] for name in names]
            bits: dict[tuple[object, ...], int] = {}
            values: dict[tuple[object, ...], tuple[object, ...]] = {}
            for number, choice in enumerate(self.units[unit].choices):
                said = zip((choice[place] for place in places), instead, strict=True)
                value = tuple(other if isinstance(v, Unknown) and v.least is None else v for v, other in said)
                key = tuple(_key(v) for v in value)
                bits[key] = bits.get(key, 0) | 1 << number
                values.setdefault(key, value)
            self._groups[kept] = tuple((values[key], choices) for key, choices in bits.items())
        return self._groups[kept]

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
        return self.last(region, self.length)

    def last(self, region: Region, count: int) -> tuple[dict[str, object], ...]:
        """Return the last `count` iterations of a run of the region."""
        run: list[dict[str, object]] = []
        chosen = [0] * self.width
        for back in reversed(range(count)):
            values: dict[str, object] = {}
            for number in range(self.width):
                if number in self.guessed:
                    continue
                left = region[self.index(number, back)]
                kept = chosen[number] if back < count - 1 and left >> chosen[number] & 1 else None
                if kept is None:
                    kept = next(choice for choice in self._plainest[number] if left >> choice & 1)
                chosen[number] = kept
                values.update(self._known[number][kept])
            run.append(values)
        return tuple(run)

    def _movements(self) -> tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]:
        """Return of each progress unit and unknown choices, and of its signals unit and known choices."""
        found = []
        for number in sorted(self.progress):
            name, signals = self.units[number].names[0], self._signals(number)
            if not signals or any(signal not in self.of for signal in signals):
                continue  # a signal that is computed itself says nothing here
            unknown = _bits(self.units[number], self.of[name][1], _is_silent(None))
            known = []
            for signal in signals:
                unit, place = self.of[signal]
                stood_in = any(signal in policy.unreadable for policy in self.policies)
                silent = 0 if stood_in else _bits(self.units[unit], place, _is_silent(None))
                known.append((unit, ~silent))
            if unknown:
                found.append((number, unknown, tuple(known)))
        return tuple(found)

    def _signals(self, number: int) -> tuple[str, ...]:
        names = set(self.units[number].names)
        for policy, called in zip(self.policies, self.called, strict=True):
            for fact in policy.derived:
                if called.get(fact.name) in names:
                    return fact.signals
        return ()

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


def _by_known(unit: Unit) -> list[int]:
    """Return the numbers of the choices, those with the fewest known facts first; equals in their order."""
    return sorted(range(len(unit.choices)), key=lambda number: len(unit.known(unit.choices[number])))


def _key(value: object) -> tuple[object, ...]:
    """Return what tells values apart: unknown ones by what is known of them."""
    return (Unknown, value.least, value.most) if isinstance(value, Unknown) else (type(value), value)
