"""What only grows in a run, and the value from which it ends the run no matter what else holds."""

from __future__ import annotations

from msgspec import Struct

from exitgate.analysis.results.answer import PROVED, UNDECIDED, Answer, together
from exitgate.analysis.space.domains import domains
from exitgate.analysis.walk.chain import deciding
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import CONTINUE
from exitgate.core.model.value import BOOL, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.prove.backend import Backend
    from exitgate.core.model.value import Type
    from exitgate.core.policy.compiled import CompiledPolicy, Rule


#: Facts that never fall within a run; the first is known in every iteration.
ITERATIONS = "run.iterations"
GROWING = (ITERATIONS, "run.elapsed", "clock.elapsed", "run.cost", "run.tokens")
BEFORE, AFTER, FAILURE = "before_iteration", "after_iteration", "after_failure"
#: Of each group of stages every iteration that continues has passed one, all of them together in any run.
PASSED = ((BEFORE,), (AFTER, FAILURE))
_CONSTANTS = {"count": "number", "duration": "duration", "money": "money"}


class Budget(Struct, frozen=True):
    """
    A bound on a run.

    Args:
        fact: What grows.
        most: From this value on the run ends.
        rules: For each stage that ends it those that may decide there, in order.
        answer: The proof that no run continues beyond it.
    """

    fact: str
    most: float
    rules: tuple[tuple[str, tuple[str, ...]], ...]
    answer: Answer

    @property
    def passed_by_failures(self) -> bool:
        """Whether iterations that fail pass it: `after_failure` is asked in place of its stage."""
        return [stage for stage, _ in self.rules] == [AFTER]


def budgets(policy: CompiledPolicy, backend: Backend) -> Iterator[Budget | Answer]:
    """
    Yield for each growing fact the smallest value that is proved to end the run.

    A question that is not decided is yielded as its answer. An iteration that failed is decided by
    `after_failure` in place of `after_iteration`; `before_iteration` is asked after either. Where the
    stage for failures continues, the bound of the other one is yielded for iterations that do not fail.
    """
    found = domains(policy)
    for fact in GROWING:
        values = sorted(v for v in found.get(fact, ()) if not isinstance(v, Unknown))  # type: ignore[type-var]
        for stages in PASSED:
            ends: list[Budget] = []
            for number, stage in enumerate(stages if values else ()):
                if len(ends) < number:
                    break  # what ends failures alone bounds no run
                for one in _smallest(policy, fact, stage, values, backend):  # type: ignore[arg-type]
                    if isinstance(one, Budget):
                        ends.append(one)
                    else:
                        yield one
            if [one.rules[0][0] for one in ends] in ([BEFORE], [AFTER]):
                yield ends[0]
            elif len(ends) == len(stages):
                yield _both(*ends)
                if ends[0].most < ends[1].most:
                    yield ends[0]


def _both(after: Budget, failure: Budget) -> Budget:
    """Return the bound on any iteration, failed or not."""
    answer = together((after.answer, failure.answer))
    return Budget(after.fact, max(after.most, failure.most), (*after.rules, *failure.rules), answer)


def _smallest(
    policy: CompiledPolicy, fact: str, stage: str, values: list[float], backend: Backend
) -> Iterator[Budget | Answer]:
    """Yield the smallest of `values` from which the stage never continues: more never lets it go on again."""
    best: Budget | None = None
    for value in reversed(values) if deciding(policy, stage) else ():
        given = at_least(fact, value, policy.facts[fact].type)
        answer = backend.ask("decides", policy, CONTINUE, given, stage=stage)
        if answer.status == UNDECIDED and best is None:
            yield answer
        if answer.status != PROVED:
            break
        best = Budget(fact, value, ((stage, _ending(policy, fact, stage)),), answer)
    if best is not None:
        yield best


def _ending(policy: CompiledPolicy, fact: str, stage: str) -> tuple[str, ...]:
    """Return the exit rules of the stage that read the fact."""
    from exitgate.core.language.measure import facts_of

    def reads(rule: Rule) -> bool:
        return rule.effect == "exit" and fact in facts_of(rule.when, policy.conditions)

    return tuple(rule.id for rule in deciding(policy, stage) if reads(rule))


def at_least(fact: str, value: float, type_: Type) -> Node:
    """Return the condition that a fact is at least `value`."""
    op = _CONSTANTS[type_.kind]
    args = (
        (value, type_.currency) if op == "money" else (value, f"{value}s") if op == "duration" else (value,)
    )
    left, right = Node("fact", (fact,), 0, 0, type_), Node(op, args, 0, 0, type_)
    return Node("compare", (">=", left, right), 0, 0, BOOL)
