"""Random runs of a policy's facts, biased to where conditions change their answer."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random
from typing import TYPE_CHECKING

from exitgate.language.measure import facts_of, lookback
from exitgate.testing.domains import UNKNOWN, domains
from exitgate.testing.ties import shapes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.testing.ties import Shapes

    Values = Mapping[str, object]
    Run = tuple[Values, ...]

#: Combinations of the facts that an invariant's `given` names, tried one by one; more are drawn at random.
COMBINATIONS = 1024
#: Iterations beyond those that conditions can read.
SPARE = 1


class Sampler:
    """
    Draws runs: for each iteration, oldest first, the values of the facts that conditions name.

    Facts that determine each other (`exitgate.testing.ties`) are drawn together. Equal seeds draw
    equal runs.
    """

    def __init__(self, policy: CompiledPolicy, seed: int) -> None:
        self._policy = policy
        # a seeded generator is what is wanted: samples must be the same on every machine
        self._random = Random(seed)  # noqa: S311
        self.domains = domains(policy)
        together = shapes(policy, self.domains)
        bound = {name for names, _ in together for name in names}
        alone = (((n,), tuple((v,) for v in values)) for n, values in self.domains.items() if n not in bound)
        self._units: tuple[Shapes, ...] = (*together, *alone)

    def runs(self, given: Node, count: int) -> Iterator[Run]:
        """
        Yield `count` runs, the first of them silent.

        Their last iterations walk through the combinations of what the facts that `given` names can
        be; where it reads history, every second run stays as it was drawn, unbroken at its end.
        """
        yield (dict.fromkeys(self.domains, UNKNOWN),)
        named = facts_of(given, self._policy.conditions)
        units = [unit for unit in self._units if named.intersection(unit[0])]
        combinations = self._combinations(units)
        history = lookback(given, self._policy.values(), self._policy.conditions) > 0
        for number in range(count - 1):
            run, last = self._run(), dict[str, object]()
            if history and number % 2:
                yield run
                continue
            for (names, _choices), choice in zip(units, next(combinations), strict=True):
                last |= dict(zip(names, choice, strict=True))
            yield (*run[:-1], {**run[-1], **last})

    def _combinations(self, units: list[Shapes]) -> Iterator[tuple[tuple[object, ...], ...]]:
        """Yield combinations for ever: one after the other where they are few, else at random."""
        few = prod(len(choices) for _, choices in units) <= COMBINATIONS
        while True:
            if few:
                yield from product(*(choices for _, choices in units))
            else:
                yield tuple(self._random.choice(choices) for _, choices in units)

    def _run(self) -> Run:
        length = self._random.randint(1, self._policy.lookback + 1 + SPARE)
        silence = self._random.choice((0.0, 0.3, 0.9))
        run: list[dict[str, object]] = [{} for _ in range(length)]
        for names, choices in self._units:
            silent = self._random.random() < silence
            track = self._track(((UNKNOWN,) * len(names),) if silent else choices, length)
            for values, choice in zip(run, track, strict=True):
                values.update(zip(names, choice, strict=True))
        return tuple(run)

    def _track(self, choices: tuple[tuple[object, ...], ...], length: int) -> list[tuple[object, ...]]:
        """Return values that stay, change once, or change at will: history forms want all three."""
        draw = self._random.choice
        way = self._random.randrange(3)
        if way == 0:
            return [draw(choices)] * length
        if way == 1:
            turn = self._random.randint(0, length)
            return [draw(choices)] * turn + [draw(choices)] * (length - turn)
        return [draw(choices) for _ in range(length)]
