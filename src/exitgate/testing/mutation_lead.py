"""Runs that may show what a mutant does: as the analysis found it, or with what goes before it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.analysis.walk.search import Limits
    from exitgate.model.answer import Answer
    from exitgate.policy.compiled import CompiledPolicy

    Run = tuple[Mapping[str, object], ...]


def leads(policy: CompiledPolicy, judged: Answer, limits: Limits) -> tuple[Run, ...]:
    """
    Return the run on which a mutant decides otherwise; for the breaker also with a beginning.

    A condition that closes the breaker says nothing while it is CLOSED: the beginnings are runs that open
    it, or bring it to HALF_OPEN.

    Args:
        policy: The original.
        judged: What the analysis said of the mutant, REFUTED.
        limits: Of the question for each beginning.
    """
    from exitgate.analysis.ask import REFUTED, can_be
    from exitgate.analysis.mutation.equivalence import IN_BREAKER

    assert judged.run is not None
    run = tuple({name: _plain(value) for name, value in values.items()} for values in judged.run)
    found: list[Run] = [run]
    breaker = policy.breaker
    if judged.kind == IN_BREAKER and breaker is not None:
        trees = [opening.when for opening in breaker.openings]
        for tree in ([breaker.watch] if breaker.watch is not None else []) + trees:
            answer = can_be(policy, tree, True, limits)
            if answer.status == REFUTED and answer.run is not None:
                found.append((*answer.run, *run))
    return tuple(found)


def _plain(value: object) -> object:
    """Return a number as people write it: 80, not 80.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
