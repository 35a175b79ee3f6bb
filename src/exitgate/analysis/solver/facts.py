"""The facts of each iteration: a value and whether it is known; types, ranges, and what ties them."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver.terms import (
    Amount,
    Item,
    Number,
    Share,
    Truth,
    both,
    chosen,
    decimal,
    either,
    lifted,
    negated,
    some,
    z3_of,
)
from exitgate.analysis.space.dependencies import fields_of_blocks, free_parts
from exitgate.analysis.space.endings import FAILURES, NAMES
from exitgate.core.facts.extractors.clock import DAY, HOUR
from exitgate.core.facts.extractors.run import INTERRUPTED as SIGNALLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from exitgate.analysis.solver.context import Context
    from exitgate.analysis.solver.terms import Flag
    from exitgate.core.model.fact import FactSpec
    from exitgate.core.model.value import Type
    from exitgate.core.policy.compiled import CompiledPolicy

    FactTerm = Truth | Number | Item
    from exitgate.analysis.solver.encode import Term
    from exitgate.analysis.solver.terms import Number

    Run = tuple[dict[str, object], ...]


_INTEGERS = ("enum", "text", "signature", "list", "count")
_AT_LEAST_0 = ("count", "percent", "duration")


class Facts:
    """
    The facts of a world, made when a condition first names them; the policies share those of one name.

    With a `period` every iteration says what the one so many iterations before it said.
    """

    def __init__(self, world: Context, policies: tuple[CompiledPolicy, ...], period: int = 0) -> None:
        self._world = world
        self.period = period
        self._made: dict[tuple[str, int], FactTerm] = {}
        self._types: dict[str, Type] = {}
        self._plans: dict[tuple[str, int], Plan] = {}
        self._clocks = {e.prefix for one in policies for e in one.extractions if e.extractor == "clock"}
        self._times: dict[tuple[str, int], dict[str, Amount]] = {}
        self._prefixes = {
            extraction.prefix: extraction.options
            for policy in policies
            for extraction in policy.extractions
            if extraction.extractor == "checklist"
        }
        self._blocks = {
            field: (present, stand_in)
            for policy in policies
            for present, fields in fields_of_blocks(policy)
            for field, stand_in in fields.items()
        }

    def term(self, spec: FactSpec, at: int) -> FactTerm:
        """Return what a fact says `at` iterations before the last one, before anything stands in for it."""
        at = at % self.period if self.period else at
        kind = self._types.setdefault(spec.name, spec.type)
        name = spec.name if kind == spec.type else f"{spec.name} as {spec.type}"
        if name != spec.name:
            self._world.note(f"`{spec.name}` is of two types")
        if (name, at) not in self._made:
            self._made[name, at] = self._tied(spec, at) or self._free(name, spec, at)
            if spec.name in (*NAMES, FAILURES):
                self._end(at)
            for field, (present, stand_in) in self._blocks.items():
                if spec.name in (field, present) and {(field, at), (present, at)} <= self._made.keys():
                    self._bind(present, field, stand_in, at)
        return self._made[name, at]

    def names(self) -> Mapping[tuple[str, int], FactTerm]:
        """Return every fact that was made, by name and iteration."""
        return self._made

    def type_of(self, name: str) -> Type:
        """Return the type of a fact that was made."""
        return self._types[name]

    def _end(self, at: int) -> None:
        """Tie what is known of how the agent ended, as `space.endings` does, as far as it was made."""
        status, failed, interrupted = (self._made.get((name, at)) for name in NAMES)
        if isinstance(failed, Truth):
            self._failed(failed, [one for one in (status, interrupted) if one is not None])
        row = self._made.get((FAILURES, at))
        if isinstance(row, Amount):
            for tie in row_ties(row, status, failed, interrupted):
                self._world.add(tie)
        if not isinstance(status, Amount):
            return
        value, add = z3_of(status.value), self._world.add
        add(z3.IsInt(value))
        if isinstance(failed, Truth):
            add(either(negated(failed.no), either(negated(status.known), value == 0)))
        if isinstance(interrupted, Truth):
            signalled = z3.Or([value == number for number in SIGNALLED])
            add(status.known == interrupted.known)
            add(either(negated(status.known), interrupted.yes == signalled))

    def _failed(self, failed: Truth, others: list[FactTerm]) -> None:
        """An agent of which anything is known has failed or not, and an interrupted one has."""
        for one in others:
            self._world.add(either(negated(one.known), failed.known))
            if isinstance(one, Truth):
                self._world.add(either(negated(one.yes), failed.yes))

    def _bind(self, present: str, field: str, stand_in: object, at: int) -> None:
        """Nothing is said in a block that does not exist, but for what the extractor puts in its place."""
        block, said = self._made[present, at], self._made[field, at]
        assert isinstance(block, Truth)
        instead = self._is(said, stand_in, field) if stand_in is not None else False
        self._world.add(some((negated(block.no), negated(said.known), instead)))

    def _is(self, term: FactTerm, value: object, name: str) -> Flag:
        if isinstance(term, Truth):
            return term.yes if value is True else term.no
        if isinstance(term, Item):
            kind = self._types[name].kind
            number = self._world.atoms.add(str(value).upper() if kind == "enum" else value, kind)
            return both(term.known, z3_of(term.number) == number)
        assert isinstance(term, Amount)
        assert isinstance(value, int | float)
        return both(term.known, z3_of(term.value) == _end(value))

    def _free(self, name: str, spec: FactSpec, at: int) -> FactTerm:
        known, kind = z3.Bool(f"{name}@{at} known"), spec.type.kind
        if kind == "bool":
            value = z3.Bool(f"{name}@{at}")
            return Truth(z3.And(known, value), z3.And(known, z3.Not(value)))
        variable = z3.Int(f"{name}@{at}") if kind in _INTEGERS else z3.Real(f"{name}@{at}")
        if kind in ("enum", "text", "signature", "list"):
            self._limit_item(variable, spec, kind)
            return Item(known, variable)
        low = 0 if spec.low is None and kind in _AT_LEAST_0 else spec.low
        high = 100 if spec.high is None and kind == "percent" else spec.high
        if low is not None:
            self._world.add(variable >= _end(low))
        if high is not None:
            self._world.add(variable <= _end(high))
        return Amount(known, variable, kind == "count", recorded=True)

    def _limit_item(self, variable: Any, spec: FactSpec, kind: str) -> None:
        atoms, world = self._world.atoms, self._world
        if kind == "enum":
            numbers = [atoms.add(member, "enum") for member in spec.type.members]
            world.add(z3.Or([variable == number for number in numbers]))
            return
        world.add(variable >= 0)
        numbers = [number for number, _ in atoms.candidates(kind)]
        fresh = z3.And(
            variable >= atoms.size, world.texts.limit(spec.name, variable) if kind == "text" else True
        )
        world.add(z3.Or(fresh, *[variable == number for number in numbers]))
        if kind == "list" and spec.type.item is not None and spec.type.item.kind not in ("text", "signature"):
            world.add_strictly(variable == atoms.add((), "list"))
            world.note(f"items of the list `{spec.name}`")

    def _tied(self, spec: FactSpec, at: int) -> FactTerm | None:
        prefix, _, part = spec.name.rpartition(".")
        if prefix in self._clocks and part in ("hour", "time"):
            return self._of_day(prefix, at)[part]
        if prefix not in self._prefixes or part not in (*COUNTED, "present", "percent", "complete"):
            return None
        if (prefix, at) not in self._plans:
            free = free_parts(self._prefixes[prefix])
            self._plans[prefix, at] = Plan(self._world, prefix, at, free)
        return self._plans[prefix, at].term(part)

    def _of_day(self, prefix: str, at: int) -> dict[str, Amount]:
        """Return the hour and the time of day: both known or neither, of one clock, in whole seconds."""
        if (prefix, at) not in self._times:
            known = z3.Bool(f"{prefix}.time@{at} known")
            hour, seconds = z3.Int(f"{prefix}.hour@{at}"), z3.Int(f"{prefix}.time@{at}")
            self._world.add(z3.And(hour >= 0, hour < DAY // HOUR))
            self._world.add(z3.And(seconds >= hour * HOUR, seconds < hour * HOUR + HOUR))
            self._times[prefix, at] = {
                "hour": Amount(known, hour, True, recorded=True),
                "time": Amount(known, z3.ToReal(seconds), False, recorded=True),
            }
        return self._times[prefix, at]


def row_ties(row: Amount, status: object, failed: object, interrupted: object) -> list[Any]:
    """Return what ties the failures in a row to the end of an iteration: None for a fact that is not read."""
    value = z3_of(row.value)
    made = [one for one in (status, failed, interrupted) if isinstance(one, Amount | Truth)]
    ties = [either(negated(one.known), row.known) for one in made]
    stopped = signalled(status, interrupted)
    if isinstance(failed, Truth):
        ties.append(either(negated(failed.no), value == 0))
        if isinstance(status, Amount) or isinstance(interrupted, Truth):
            ties.append(some((negated(failed.yes), stopped, value >= 1)))
    if isinstance(status, Amount):
        ended_well = either(negated(status.known), z3_of(status.value) == 0)
        ties.append(some((ended_well, stopped, value >= 1)))
    return ties


def signalled(status: object, interrupted: object) -> Flag:
    """Return whether the agent is known to have been interrupted."""
    if isinstance(interrupted, Truth):
        return interrupted.yes
    if not isinstance(status, Amount):
        return False
    return both(status.known, z3.Or([z3_of(status.value) == number for number in SIGNALLED]))


def _end(value: float) -> Any:
    return lifted(decimal(value)) if isinstance(value, float) else value


def with_stand_in(term: FactTerm, stand_in: object, world: Context, kind: Type) -> FactTerm:
    """Return a fact with the value the policy declares in its place while it is unknown."""
    if isinstance(term, Truth):
        instead = bool(stand_in)
        return Truth(either(term.yes, both(instead, negated(term.known))),
                     either(term.no, both(not instead, negated(term.known))))  # fmt: skip
    if isinstance(term, Item):
        value = str(stand_in).upper() if kind.kind == "enum" else stand_in
        number = world.atoms.add(tuple(value) if isinstance(value, list) else value, kind.kind)
        return Item(True, chosen(term.known, term.number, z3_of(number)))
    from exitgate.analysis.solver.numbers import settled

    amount = settled(term, world)
    assert isinstance(stand_in, int | float)
    value = z3_of(stand_in if isinstance(stand_in, int) else decimal(stand_in))
    whole = amount.whole and isinstance(stand_in, int)
    return Amount(True, chosen(amount.known, amount.value, value), whole, recorded=True)


# What a checklist says in one iteration: its counts, its share, and whether anything keeps it open.

#: Facts that are counts.
COUNTED = ("total", "done", "open", "blocking_open")


class Plan:
    """
    All of it, that there is no plan, or nothing.

    `free` names the facts that do not follow from the others under the options of the checklist, as
    `analysis.space.plans.free_parts` says.
    """

    def __init__(self, world: Context, prefix: str, at: int, free: frozenset[str]) -> None:
        self.read = z3.Bool(f"{prefix}@{at} read")
        self.absent = z3.Bool(f"{prefix}@{at} absent")
        self.total = z3.Int(f"{prefix}.total@{at}")
        self.done = z3.Int(f"{prefix}.done@{at}")
        self.open = z3.Int(f"{prefix}.open@{at}") if "open" in free else self.total - self.done
        self.blocking = z3.Int(f"{prefix}.blocking_open@{at}") if "complete" in free else self.open
        world.add(z3.Not(z3.And(self.read, self.absent)))
        world.add(z3.And(self.done >= 0, self.total >= 0, self.open >= 0))
        world.add(z3.And(self.blocking >= 0, self.blocking <= self.open))
        self._apart = "percent" in free
        if not self._apart:
            world.add(self.done + self.open <= self.total)

    def term(self, part: str) -> Truth | Number:
        """Return one of the facts."""
        items = z3.And(self.read, self.total > 0)
        if part == "present":
            return Truth(self.read, self.absent)
        if part == "percent":
            done = z3.If(self.done > self.total, self.total, self.done) if self._apart else self.done
            return Share(items, 100 * done, self.total, tied=True)
        if part == "complete":
            ready = self.blocking == 0
            if self._apart:
                # lines that count for the total need not be items; of no item at all nothing is complete
                ready = z3.And(ready, self.done + self.open > 0)
            return Truth(z3.And(items, ready), z3.And(items, z3.Not(ready)))
        found = {"total": self.total, "done": self.done, "open": self.open, "blocking_open": self.blocking}
        return Amount(self.read, found[part], True)


# From a model of z3 to a run of facts.


class Reading:
    """
    A model read as a run.

    `run` is the run, oldest iteration first, unknown facts left out; `exact` is False where a value had
    to be rounded to the nearest float.
    """

    def __init__(self, model: Any, world: Context, facts: Facts) -> None:
        self._model = model
        self._world = world
        self.exact = True
        length = sum(self._holds(world.there(at)) for at in range(world.length))
        run: list[dict[str, object]] = [{} for _ in range(length)]
        for (name, at), term in facts.names().items():
            if at < length and self._holds(term.known):
                plain = name.partition(" as ")[0]
                value = self._value(term, facts.type_of(plain).kind, plain)
                for one in range(at, length, facts.period or length):
                    run[length - 1 - one].setdefault(plain, value)
        self.run: Run = tuple(dict(sorted(values.items())) for values in run)

    def _holds(self, flag: Flag) -> bool:
        return flag if isinstance(flag, bool) else z3.is_true(self._model.eval(flag, model_completion=True))

    def _value(self, term: Term, kind: str, name: str) -> object:
        if isinstance(term, Truth):
            return self._holds(term.yes)
        if isinstance(term, Item):
            number = int(self._fraction(term.number))
            atoms = self._world.atoms
            if kind == "text" and number >= atoms.size:
                text = self._world.texts.written(name, number, lambda one: int(self._fraction(one)))
                if text is not None:
                    return text
                # there may be too few texts that answer so for all that are to differ
                self.exact = self.exact and not self._world.texts.is_partitioned(name)
            return atoms.value(number, kind)
        if isinstance(term, Share):
            over, under = self._fraction(term.over), self._fraction(term.under)
            return int(over) // int(under) if over % under == 0 else int(over) / int(under)
        assert isinstance(term, Amount)
        fraction = self._fraction(term.value)
        if fraction.denominator == 1:
            return int(fraction)
        near = float(fraction)
        self.exact = self.exact and decimal(near) == fraction
        return near

    def _fraction(self, number: Any) -> Fraction:
        if isinstance(number, int | Fraction):
            return Fraction(number)
        found = self._model.eval(number, model_completion=True)
        if z3.is_algebraic_value(found):
            self.exact = False
            found = found.approx(20)
        return Fraction(found.as_string())
