"""What all conditions of a question share: the iterations, the facts of each, and what is known of them."""

from __future__ import annotations

from time import monotonic

import z3

from exitgate.analysis.solver.atoms import Atoms
from exitgate.analysis.solver.flags import both, either, negated
from exitgate.analysis.solver.texts import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from exitgate.analysis.solver.flags import Flag
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy


class TooLateError(Exception):
    """The time for a question is over while it is written out."""


class World:
    """
    The iterations of a run and what holds of them.

    Iterations are counted back from the last one, which is 0. Where the length of the run is part of the
    question, `there(n)` says whether iteration n belongs to it.

    Args:
        policies: Those asked about.
        trees: Every tree that is written out; they name what texts can be.
        length: Iterations of the longest run.
        until: When to give up, on the clock of `time.monotonic`.
        fixed: Whether every run has that length.
        looks: Whether the last iteration may be a look before the next one, in which none ended.

    What is not exact is told apart: `loose` names the operations for which a formula may allow more than
    the engine does, and while `strict` is assumed it allows less instead, as far as that can be said.
    """

    def __init__(
        self,
        policies: Sequence[CompiledPolicy],
        trees: Sequence[Node],
        length: int,
        until: float,
        fixed: bool = False,
        looks: bool = False,
    ) -> None:
        self.length = length
        #: Whether the last iteration is a look before the next one.
        self.look: Flag = z3.Bool("look") if looks else False
        self._left_over: Flag = None
        self.atoms = Atoms(policies, trees)
        self.strict = z3.Bool("strict")
        self.constraints: list[Any] = []
        self.loose: dict[str, None] = {}
        self.fixed = fixed
        self._until = until
        self._names = 0
        self.texts = Texts(policies, trees, self)
        self._there: list[Flag] = [True] * length
        if not fixed:
            self._there[1:] = [z3.Bool(f"there@{n}") for n in range(1, length)]
            for newer, older in zip(self._there[1:], self._there[2:], strict=False):
                self.constraints.append(z3.Implies(older, newer))

    def there(self, at: int) -> Flag:
        """Return whether the run has an iteration `at` before the last one."""
        return self._there[at] if at < self.length else False

    def ended(self, at: int) -> Flag:
        """
        Return whether iteration `at` ended since the decision before it: else progress is unknown.

        A look before the next iteration did not. The first one of a run did not where all that it reads was
        left behind by an earlier run: an example has none of that.
        """
        if self._left_over is None:
            self._left_over = z3.Bool("left over")
            self.add_strictly(z3.Not(self._left_over))
            self.note("what an earlier run left behind")
        first = both(self.there(at), negated(self.there(at + 1)))
        return negated(either(both(self.look, at == 0), both(first, self._left_over)))

    def back(self, at: int, count: int) -> range:
        """Return the `count` iterations up to `at` that a run can have, newest first."""
        return range(at, min(at + count, self.length))

    def fresh(self, stem: str, sort: str) -> Any:
        """Return a new variable; `sort` is Bool, Int or Real."""
        self._names += 1
        return getattr(z3, sort)(f"{stem}#{self._names}")

    def add(self, formula: Flag) -> None:
        """Demand a formula of every run."""
        if formula is not True:
            self.constraints.append(formula if formula is not False else z3.BoolVal(False))

    def add_strictly(self, formula: Flag) -> None:
        """Demand a formula where only what the engine is sure to do is wanted."""
        if formula is not True:
            self.constraints.append(
                z3.Or(negated(self.strict), z3.BoolVal(False) if formula is False else formula)
            )

    def note(self, reason: str) -> None:
        """Tell that an operation is not written out exactly."""
        self.loose[reason] = None

    def in_time(self) -> None:
        """Raise `TooLateError` when the time is over."""
        if monotonic() > self._until:
            raise TooLateError
