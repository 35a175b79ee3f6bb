"""Which case notices a mutant."""

from __future__ import annotations

from exitgate.analysis.mutation.changes import (
    ChangedEffect,
    ChangedFact,
    ChangedParameter,
    ChangedRules,
    DroppedOpening,
)
from exitgate.analysis.mutation.places import OPENING, ROW, RULE, Where
from exitgate.analysis.mutation.reach import rules_touched, sites
from exitgate.testing.mutation_cases import ReadyCase, Variant
from exitgate.testing.mutation_decide import Deciding, Stages
from exitgate.testing.mutation_follow import Following

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.analysis.mutation.mutant import Mutant
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.testing.case import Case
    from exitgate.testing.suite import Suite


class Watchdogs:
    """
    The cases of a suite, those first that noticed a mutant last.

    A case is only decided again where the mutant can make a difference to it: where the changed
    condition comes to something else on the records of the case, or the changed rule is not false.
    """

    def __init__(self, suite: Suite, cases: Iterable[Case] | None = None) -> None:
        self._originals: dict[int, Variant] = {}
        self._policy = suite.policy
        self._stages = Stages(suite.policy)
        ready = [self._ready(case, suite) for case in (suite.cases if cases is None else cases)]
        # Each setting of parameters is a mutant of its own to compile; most mutants need none.
        self._cases = sorted(ready, key=lambda one: bool(one.case.settings))

    def _ready(self, case: Case, suite: Suite) -> ReadyCase:
        program = suite.program(case)
        original = self._originals.get(id(program))
        if original is None:
            original = self._originals[id(program)] = Variant(program.policy)
        return ReadyCase(case, original)

    def first_to_notice(self, mutant: Mutant) -> Case | None:
        """Return a case that fails under the mutant, or None where all pass."""
        hunt = _Hunt(mutant, self._policy, self._stages)
        for index, ready in enumerate(self._cases):
            if hunt.is_noticed_by(ready):
                self._cases.insert(0, self._cases.pop(index))
                return ready.case
        return None


class _Hunt:
    """One mutant, compiled for each setting of cases once."""

    def __init__(self, mutant: Mutant, policy: CompiledPolicy, stages: Stages) -> None:
        self._mutant = mutant
        self._change = change = mutant.change
        self._policy = policy
        touched = sites(change, policy)
        self._computing = tuple(where for where in touched if where.section != RULE)
        self._rules = tuple(Where(RULE, id) for id in sorted(rules_touched(change, touched)))
        self._following = Following(change, touched, policy)
        self._deciding = Deciding(mutant, frozenset(w.name for w in self._rules), self._following, stages)
        self._stages = stages
        self._variants: dict[int, Variant] = {}

    def is_noticed_by(self, ready: ReadyCase) -> bool:
        """Return whether the case fails."""
        if self._is_set_elsewhere(ready):
            return False
        mutant = self._variant(ready.original)
        observed = None
        if self._may_compute_otherwise(ready, mutant):
            observed = self._following.observed(ready, mutant)
        if observed is None and not self._may_decide_otherwise(ready, mutant):
            return False
        return self._deciding.fails(ready, mutant, observed)

    def _is_set_elsewhere(self, ready: ReadyCase) -> bool:
        """Return whether the case gives the changed parameter a value of its own."""
        change = self._change
        if not isinstance(change, ChangedParameter):
            return False
        if change.name in ready.case.settings:
            return True
        own = ready.original.policy.parameters[change.name].value
        return own != self._policy.parameters[change.name].value

    def _variant(self, original: Variant) -> Variant:
        found = self._variants.get(id(original))
        if found is None:
            found = self._variants[id(original)] = Variant(self._mutant.of(original.policy))
        return found

    def _may_compute_otherwise(self, ready: ReadyCase, mutant: Variant) -> bool:
        """Return whether a computed fact or the breaker may come to something else at some iteration."""
        change = self._change
        if isinstance(change, DroppedOpening):
            return _is_ever_true(ready, Where(OPENING, change.id))
        if isinstance(change, ChangedFact):
            return change.row is None or _is_ever_true(ready, Where(ROW, change.fact.name, change.row))
        return any(ready.differs(where, mutant, ready.iterations) for where in self._computing)

    def _may_decide_otherwise(self, ready: ReadyCase, mutant: Variant) -> bool:
        """Return whether the decision on the same records may be another one."""
        stages = {stage for number in ready.wants for stage in ready.stages(number)}
        rules = [where for where in self._rules if self._stages.of(where.name) in stages]
        if not rules:
            return False
        if any(where.name in _counts_asked(ready.case) for where in rules):
            return True
        if isinstance(self._change, ChangedRules | ChangedEffect):
            return any(ready.value(where, number) is not False for where in rules for number in ready.wants)
        return any(ready.differs(where, mutant, ready.wants) for where in rules)


def _is_ever_true(ready: ReadyCase, where: Where) -> bool:
    return any(ready.value(where, number) is True for number in ready.iterations)


def _counts_asked(case: Case) -> frozenset[str]:
    return frozenset(want.subject for want in case.wants if want.key == "pending")
