"""Random runs of a policy's facts, biased to where conditions change their answer."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from random import Random

from exitgate.analysis.space.dependencies import fields_of_blocks, said_without_block, shapes
from exitgate.analysis.space.domains import UNKNOWN, domains, trees
from exitgate.analysis.space.reads import without_windows
from exitgate.core.language.measure import facts_of, lookback, reachable
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.analysis.space.dependencies import Shapes
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy

    Values = Mapping[str, object]
    Run = tuple[Values, ...]


#: Combinations of the facts that an invariant's `given` names, tried one by one; more are drawn at random.
COMBINATIONS = 1024
#: One in so many runs ends silent where that matters.
QUIET = 4
#: Runs of up to so many iterations are drawn in every length.
SHORT = 6
#: Iterations before the last that progress may look for what it last saw of a signal.
MEMORY = 2
#: Iterations of a window in time or per key.
FEW = 8
#: Iterations by which a run that fills a window is also drawn shorter and longer.
SPARE = 1


class Sampler:
    """
    Draws runs: for each iteration, oldest first, the values of the facts that conditions name.

    Facts that determine each other (`exitgate.analysis.space.dependencies`) are drawn together. Equal seeds
    draw equal runs.
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
        self._blocks = fields_of_blocks(policy)
        self._lengths = lengths(policy)
        self._weights = [length**-0.5 for length in self._lengths]

    def runs(self, given: Node, count: int) -> Iterator[Run]:
        """Yield the whole runs of `drafts`."""
        return (draft.whole() for draft in self.drafts(given, count))

    def drafts(self, given: Node, count: int) -> Iterator[Draft]:
        """
        Yield `count` runs of which only the facts that `given` names are drawn, the first of them silent.

        Their last iterations walk through the combinations of what the facts that `given` names can
        be; where it reads history, every second run stays as it was drawn, unbroken at its end. Where
        it asks whether anything is known, the last iteration of every `QUIET`th run is silent.
        """
        silent = dict.fromkeys(self.domains, UNKNOWN)
        yield Draft((silent,), lambda run: run)
        conditions = self._policy.conditions
        named = facts_of(given, conditions)
        units = [unit for unit in self._units if named.intersection(unit[0])]
        asks = _asks_whether_anything_is_known(given, conditions)
        others = [unit for unit in self._units if not named.intersection(unit[0])] if not asks else []
        combinations = self._combinations(units)
        history = lookback(given, self._policy.values(), conditions) > 0
        for number in range(count - 1):
            length = self._random.choices(self._lengths, self._weights)[0]
            silence = self._random.choice((0.0, 0.3, 0.9))
            empty: Run = tuple({} for _ in range(length))
            run = self._filled(empty, self._units if asks else units, silence)
            if asks and number % QUIET == 0:
                run = (*run[:-1], silent)
            elif not history or number % 2 == 0:
                last: dict[str, object] = {}
                for (names, _choices), choice in zip(units, next(combinations), strict=True):
                    last |= dict(zip(names, choice, strict=True))
                run = (*run[:-1], {**run[-1], **last})
            yield Draft(run, partial(self._whole, units=others, silence=silence))

    def _combinations(self, units: list[Shapes]) -> Iterator[tuple[tuple[object, ...], ...]]:
        """Yield combinations for ever: one after the other where they are few, else at random."""
        few = prod(len(choices) for _, choices in units) <= COMBINATIONS
        while True:
            if few:
                yield from product(*(choices for _, choices in units))
            else:
                yield tuple(self._random.choice(choices) for _, choices in units)

    def _whole(self, run: Run, units: Sequence[Shapes], silence: float) -> Run:
        """Return the run with the facts of `units`, and nothing said by blocks that are missing."""
        filled = self._filled(run, units, silence)
        if not self._blocks:
            return filled
        return tuple(
            {**values, **dict.fromkeys(said_without_block(values, self._blocks), UNKNOWN)}
            for values in filled
        )

    def _filled(self, run: Run, units: Sequence[Shapes], silence: float) -> Run:
        """Return the run with the facts of `units`, each unknown throughout with the chance `silence`."""
        filled = [dict(values) for values in run]
        for names, choices in units:
            silent = self._random.random() < silence
            track = self._track(((UNKNOWN,) * len(names),) if silent else choices, len(run))
            for values, choice in zip(filled, track, strict=True):
                values.update(zip(names, choice, strict=True))
        return tuple(filled)

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


def known(run: Run) -> Run:
    """Return a run without the facts that are unknown in it."""
    return tuple({n: v for n, v in values.items() if not isinstance(v, Unknown)} for values in run)


class Draft:
    """
    A run as far as it is drawn: most need not be drawn further.

    Args:
        named: The facts of each iteration that decide whether the run is of interest.
        fill: Adds the others; to be called once at most, before the next draft is drawn.
    """

    __slots__ = ("_fill", "named")

    def __init__(self, named: Run, fill: Callable[[Run], Run]) -> None:
        self.named = named
        self._fill = fill

    def whole(self) -> Run:
        """Return the run with all its facts."""
        return self._fill(self.named)


def _asks_whether_anything_is_known(given: Node, conditions: Mapping[str, Node]) -> bool:
    trees = [given, *(conditions[name] for name in reachable(given, conditions))]
    return any(part.op == "silence" for tree in trees for part in tree.walk())


def lengths(policy: CompiledPolicy) -> tuple[int, ...]:
    """
    Return the lengths of runs worth drawing: all short ones, and those around each window of a condition.

    Long runs are expensive, and what lies between two windows tells no more than their ends do. A window in
    time has as many iterations as clocks say: few do.
    """
    short, values = without_windows(policy), policy.values()
    windows = {lookback(part, values, short.conditions) for tree in trees(short) for part in tree.walk()}
    windows |= {FEW for tree in trees(policy) if "window" in tree.uses()}
    windows |= {MEMORY for fact in policy.derived if fact.signals}
    around = {window + 1 + step for window in windows for step in (-SPARE, 0, SPARE)}
    longest = max(windows, default=0) + 1 + SPARE
    return tuple(sorted(length for length in around | set(range(1, SHORT + 1)) if 1 <= length <= longest))
