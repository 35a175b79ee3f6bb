"""
Where the time goes: a policy's program that measures itself.

Nothing here is loaded unless it is asked for. A rule is measured each time it is asked, by the closure that a
single check runs, also where many decisions would be made by one generated function.
"""

from __future__ import annotations

from time import perf_counter

from exitgate.engine.ladder import Ladder
from exitgate.engine.program import Program
from exitgate.model.verdict import STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.policy.compiled import CompiledPolicy

    Records = Sequence[Mapping[str, object]]

STAGE, EXTRACTOR, RULE = "stage", "extractor", "rule"
#: In the order in which they are shown.
KINDS = (STAGE, EXTRACTOR, RULE)


class Timings:
    """Seconds that were spent, by kind and name, and how often."""

    def __init__(self) -> None:
        self._spent: dict[tuple[str, str], tuple[int, float]] = {}

    def add(self, kind: str, name: str, seconds: float) -> None:
        """Count `seconds`, at least 0, spent once more on a stage, an extractor or a rule."""
        count, before = self._spent.get((kind, name), (0, 0.0))
        self._spent[kind, name] = count + 1, before + seconds

    def seconds(self, kind: str, name: str = "") -> float:
        """Return what was spent on one name, or on all of a kind."""
        return sum(
            spent for key, (_, spent) in self._spent.items() if key[0] == kind and name in ("", key[1])
        )

    def rows(self, kind: str) -> list[tuple[str, int, float]]:
        """Return name, times and seconds: stages as they came, others the costliest first."""
        found = [(name, *spent) for (of, name), spent in self._spent.items() if of == kind]
        return found if kind == STAGE else sorted(found, key=lambda row: (-row[2], row[0]))


class TimedLadder(Ladder):
    """Rules of one stage, each measured."""

    def __init__(self, policy: CompiledPolicy, stage: str, timings: Timings) -> None:
        super().__init__(policy, stage)
        self._measured = tuple(
            _measured(test, clause.rule.id, timings)
            for test, clause in zip(self._tests, self.clauses, strict=True)
        )

    def truths(self, records: Records) -> tuple[object, ...]:
        """Return the truth of every rule, each asked by itself."""
        return tuple(test(records) for test in self._measured)

    def _until_true(self, records: Records) -> tuple[object, ...]:
        found: list[object] = []
        for test in self._measured:
            found.append(test(records))
            if found[-1] is True:
                break
        return tuple(found)


def _measured(test: Callable[[Records], object], rule: str, timings: Timings) -> Callable[[Records], object]:
    def measured(records: Records) -> object:
        begun = perf_counter()
        truth = test(records)
        timings.add(RULE, rule, perf_counter() - begun)
        return truth

    return measured


class TimedProgram(Program):
    """A program whose rules are measured; it decides as `Program` does."""

    def __init__(self, policy: CompiledPolicy, timings: Timings) -> None:
        super().__init__(policy)
        self.timings = timings

    def _ladder(self, stage: str) -> Ladder:
        if stage not in self._ladders and stage in STAGES:
            self._ladders[stage] = TimedLadder(self.policy, stage, self.timings)
        return super()._ladder(stage)
