"""Does every run end? After how many iterations at the latest, or by what input never."""

from __future__ import annotations

from exitgate.analysis.prove.budgets import AFTER, FAILURE, ITERATIONS, Budget, budgets
from exitgate.analysis.prove.cycle import endless
from exitgate.analysis.prove.proof import BOUND, KEPT, NOTED, Proof
from exitgate.engine.shown import shown
from exitgate.model.answer import REFUTED, UNDECIDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.prove.asker import Asker
    from exitgate.language.tree import Node
    from exitgate.model.answer import Answer
    from exitgate.policy.compiled import CompiledPolicy

SUBJECT = "every run ends"
#: What is bound by `after_iteration` alone.
UNFAILED = "runs without failures end"


def prove_bound(policy: CompiledPolicy, asker: Asker, assumed: Sequence[Node] = ()) -> Iterator[Proof]:
    """
    Yield the bounds on a run, or a round of inputs that continues for ever.

    With `assumed`, conditions that hold in every iteration, the longest run without an exit is looked for.
    """
    found = list(budgets(policy, asker))
    bounds = [one for one in found if isinstance(one, Budget)]
    for bound in bounds:
        yield _of_budget(policy, bound)
    if assumed:
        from exitgate.analysis.prove.longest import prove_longest

        yield from prove_longest(policy, asker, assumed)
    elif not any(bound.fact == ITERATIONS and not bound.passed_by_failures for bound in bounds):
        undecided = [one for one in found if not isinstance(one, Budget)]
        yield _round(policy, asker, bounds, undecided)


def _of_budget(policy: CompiledPolicy, bound: Budget) -> Proof:
    value = shown(bound.most, policy.facts[bound.fact].type)
    by = " and ".join(
        f"{' or '.join(f'`{name}`' for name in names)} ({stage})" for stage, names in bound.rules
    )
    if bound.fact == ITERATIONS:
        iterations = "iteration" if bound.most == 1 else "iterations"
        says = f"after at most {value} {iterations}, by {by}"
    else:
        says = f"at the latest when `{bound.fact}` is {value}, if it is known, by {by}"
    return Proof(BOUND, UNFAILED if bound.passed_by_failures else SUBJECT, KEPT, says, bound.answer)


def _round(
    policy: CompiledPolicy, asker: Asker, bounds: Sequence[Budget], undecided: Sequence[Answer]
) -> Proof:
    answers = []
    for after in (AFTER, FAILURE):
        answer, period = endless(policy, (), asker.limits, after=after)
        answers.append(answer)
        if answer.status == REFUTED:
            ending = any(after == AFTER or not bound.passed_by_failures for bound in bounds)
            but = " unless a budget above ends it" if ending else ""
            failing = ", in which the agent fails," if after == FAILURE else ","
            says = f"a run that never ends{but}: {_iterations(period)}{failing} repeated"
            return Proof(BOUND, SUBJECT, NOTED, says, answer, series=period, stage=after)
    why = next(one.why for one in (*undecided, *answers))
    return Proof(BOUND, SUBJECT, UNDECIDED, why, answers[0])


def _iterations(count: int) -> str:
    return "one iteration" if count == 1 else f"{count} iterations"
