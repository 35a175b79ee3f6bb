"""From a model of z3 to a run of facts."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver.terms import Amount, Item, Share, Truth, decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from exitgate.analysis.solver.encode import Term
    from exitgate.analysis.solver.facts import Facts
    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.solver.world import World

    Run = tuple[dict[str, object], ...]


class Reading:
    """
    A model read as a run.

    `run` is the run, oldest iteration first, unknown facts left out; `exact` is False where a value had
    to be rounded to the nearest float.
    """

    def __init__(self, model: Any, world: World, facts: Facts) -> None:
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
                self.exact = self.exact and not self._world.texts.are_asked(name)
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
