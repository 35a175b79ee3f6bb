"""
The rules of a long chain, most of which a decision need not ask.

An index of their conditions says which of them the record leaves anything but false; the others are false
without being asked. What is written of a decision is the same: a false rule has a step that all decisions
share.
"""

from __future__ import annotations

from exitgate.core.language.evaluation.index import ConditionIndex, SparseTruths
from exitgate.core.model.decision import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.engine.chain import RuleChain
    from exitgate.core.language.evaluation.closures import Compilation

    Records = Sequence[Mapping[str, object]]


class ManyRules:
    """
    An index of the rules of one stage, and what their steps share.

    Args:
        chain: The rules.
        compilation: Parameters and named conditions.
        sample: A record of the kind they are asked over; the index is made for records like it.
    """

    def __init__(self, chain: RuleChain, compilation: Compilation, sample: Mapping[str, object]) -> None:
        self._chain = chain
        self._clauses = clauses = chain.clauses
        self._index = ConditionIndex([clause.rule.when for clause in clauses], compilation, sample)
        self._quiet = tuple(clause.quiet for clause in clauses)
        self._behind = tuple(
            Step(clause.rule.id, None) if clause.decides else clause.quiet for clause in clauses
        )
        self._history = tuple(index for index, clause in enumerate(clauses) if clause.history)
        self._asking: tuple[int, ...] | None = None
        deciding = [index for index, clause in enumerate(clauses) if clause.decides]
        self._places = {index: place for place, index in enumerate(deciding)}

    @property
    def is_useful(self) -> bool:
        """Whether enough rules can be left out."""
        return self._index.is_useful

    def truths(self, records: Records, until_decided: bool) -> SparseTruths | None:
        """
        Return the truths of the rules; None where the record leaves too many of them open.

        With `until_decided` those behind the first that decides are left out.
        """
        open_ = self._index.open(records[-1])
        if open_ is None:
            return None
        clauses = self._clauses
        others: dict[int, object] = {}
        for index in open_:
            clause = clauses[index]
            truth = clause.test(records)
            if truth is not False:
                others[index] = truth
                if until_decided and truth is True and clause.decides:
                    return SparseTruths(index + 1, others)
        return SparseTruths(len(clauses), others)

    def place(self, truths: SparseTruths) -> int:
        """Return the place of the last rule asked among those that decide, -1 where it did not decide."""
        last = len(truths) - 1
        return self._places.get(last, -1) if truths[last] is True else -1

    def open_to_doubt(self, truths: SparseTruths, limit: int) -> list[int]:
        """Return the indices below `limit` of rules that are not false, or false by what they assume."""
        if self._asking is None:
            self._asking = tuple(index for index in self._places if self._chain.strict(index) is not None)
        return sorted(index for index in {*truths.others, *self._asking} if index < limit)

    def steps(self, records: Records, truths: SparseTruths, cut: int) -> tuple[Step, ...]:
        """Return the recording; deciding rules from `cut` on count as not asked."""
        whole = [*self._quiet[:cut], *self._behind[cut:]]
        for index in {*truths.others, *self._history}:
            clause, truth = self._clauses[index], truths.others.get(index, False)
            if index < cut or not clause.decides:
                whole[index] = clause.settled.get(truth) or self._chain.step(clause, records, truth)
        return tuple(whole)
