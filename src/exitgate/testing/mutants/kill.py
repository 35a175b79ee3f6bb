"""Which case notices a mutant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from exitgate.analysis.mutation.mutant import (
    Change,
    ChangedEffect,
    ChangedFact,
    ChangedParameter,
    ChangedRules,
    DroppedOpening,
    Mutant,
    computed_anew,
    moves_breaker,
    rules_touched,
    touched_sites,
)
from exitgate.analysis.mutation.sites import OPENING, ROW, RULE, ConditionSite, condition_sites
from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import DerivedFact, Record, unread_facts
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.testing.cases.case import Case, Suite, Want
from exitgate.testing.extract import Observed, extract, follow
from exitgate.testing.mutants.decide import Deciding, Stages

Records = Sequence[Mapping[str, object]]
Evaluator = Callable[[Records], object]


class Killers:
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
        touched = touched_sites(change, policy)
        self._computing = tuple(where for where in touched if where.section != RULE)
        self._rules = tuple(ConditionSite(RULE, id) for id in sorted(rules_touched(change, touched)))
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
            return _is_ever_true(ready, ConditionSite(OPENING, change.id))
        if isinstance(change, ChangedFact):
            return change.row is None or _is_ever_true(
                ready, ConditionSite(ROW, change.fact.name, change.row)
            )
        return any(ready.differs(where, mutant, ready.iterations) for where in self._computing)

    def _may_decide_otherwise(self, ready: ReadyCase, mutant: Variant) -> bool:
        """Return whether the decision on the same records may be another one."""
        stages = {stage for number in ready.wants for stage in ready.stages(number)}
        rules = [where for where in self._rules if self._stages.of(where.name) in stages]
        if not rules:
            return False
        if any(where.name in _expected_counts(ready.case) for where in rules):
            return True
        if isinstance(self._change, ChangedRules | ChangedEffect):
            return any(ready.value(where, number) is not False for where in rules for number in ready.wants)
        return any(ready.differs(where, mutant, ready.wants) for where in rules)


def _is_ever_true(ready: ReadyCase, where: ConditionSite) -> bool:
    return any(ready.value(where, number) is True for number in ready.iterations)


def _expected_counts(case: Case) -> frozenset[str]:
    return frozenset(want.subject for want in case.wants if want.key == "pending")


# Cases ready to be compared with many mutants: what mutants do not change is found out once.


class Variant:
    """A policy, or a mutant of it, under the settings of some cases; compiled as far as it is asked for."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self.policy = policy
        self._compilation = Compilation(policy.values(), policy.conditions, unread_facts(policy))
        self._trees = {where.key: tree for where, tree in condition_sites(policy)}
        self._made: dict[tuple[str, str, int], Evaluator] = {}
        self._program: Program | None = None

    @property
    def program(self) -> Program:
        """The policy ready to decide."""
        if self._program is None:
            self._program = Program(self.policy)
        return self._program

    def evaluator(self, where: ConditionSite) -> Evaluator:
        """Return what evaluates the condition or formula at a place."""
        found = self._made.get(where.key)
        if found is None:
            found = self._made[where.key] = self._compilation.recorded(self._trees[where.key])
        return found


class ReadyCase:
    """
    One case: its facts extracted, what follows from them, and what is wanted of which iteration.

    Args:
        case: It.
        original: The policy under the settings of the case.
    """

    def __init__(self, case: Case, original: Variant) -> None:
        self.case = case
        self.original = original
        self.said = extract(case, original.policy)
        self.observed = follow(self.said, original.program)
        self.records: tuple[Record, ...] = tuple(one.record for one in self.observed)
        self.iterations = range(1, len(self.records) + 1)
        self.wants: dict[int, list[Want]] = {}
        for want in case.wants:
            self.wants.setdefault(want.iteration, []).append(want)
        self._values: dict[tuple[tuple[str, str, int], int], object] = {}

    def stages(self, iteration: int) -> tuple[str, ...]:
        """Return the stages to decide at an iteration, counted from 1."""
        return self.case.stages(iteration, is_error=self.said[iteration - 1].is_error)

    def value(self, where: ConditionSite, iteration: int) -> object:
        """Return what a condition or formula of the original comes to at an iteration, counted from 1."""
        key = (where.key, iteration)
        if key not in self._values:
            self._values[key] = self.original.evaluator(where)(self.records[:iteration])
        return self._values[key]

    def differs(self, where: ConditionSite, mutant: Variant, iterations: Collection[int]) -> bool:
        """Return whether a condition or formula comes to something else in the mutant on these records."""
        evaluate = mutant.evaluator(where)
        return any(
            not alike(self.value(where, number), evaluate(self.records[:number])) for number in iterations
        )


def alike(one: object, other: object) -> bool:
    """Return whether two values are the same to every condition; unknowns are, where their bounds are."""
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return isinstance(one, Unknown) and one.like(other)
    return one == other and isinstance(one, bool) == isinstance(other, bool)


# What a mutant computes from the facts of a case.


class Following:
    """
    What one change makes of the computed facts and the breaker.

    Args:
        change: It.
        touched: Its `touched_sites`.
        policy: The original.
    """

    def __init__(self, change: Change, touched: tuple[ConditionSite, ...], policy: CompiledPolicy) -> None:
        #: Computed facts that may come to something else.
        self.facts = computed_anew(change, touched, policy)
        signals = {signal for fact in policy.derived for signal in fact.signals}
        self._whole = moves_breaker(change, touched, self.facts, policy) or not self.facts.isdisjoint(signals)
        self._made: dict[int, tuple[tuple[str, DerivedFact], ...]] = {}

    def reaches(self, names: Collection[str]) -> bool:
        """Return whether any of these facts may come to something else."""
        return self._whole or not self.facts.isdisjoint(names)

    def observed(self, ready: ReadyCase, mutant: Variant) -> tuple[Observed, ...] | None:
        """Return the iterations as the mutant computes them; None where every value is as in the original."""
        found = follow(ready.said, mutant.program) if self._whole else self._recomputed(ready, mutant)
        pairs = zip(ready.observed, found, strict=True)
        return None if all(_same(one.record, other.record) for one, other in pairs) else found

    def _recomputed(self, ready: ReadyCase, mutant: Variant) -> tuple[Observed, ...]:
        """Return the iterations with only the facts that may have changed computed again."""
        computed = self._made.get(id(mutant))
        if computed is None:
            computed = tuple(
                (fact.name, DerivedFact(fact, mutant.policy))
                for fact in mutant.policy.derived
                if fact.name in self.facts
            )
            self._made[id(mutant)] = computed
        found: list[Observed] = []
        records: list[Record] = []
        for said, before in zip(ready.said, ready.observed, strict=True):
            record, facts = before.record, dict(before.facts)
            for name, fact in computed:
                if name not in said.own:
                    facts[name] = fact.fact([*records, record])
                    record = record.with_values({name: facts[name].value})
            records.append(record)
            evaluation = Evaluation.of_records(mutant.program, records)
            found.append(Observed(evaluation, facts, record, before.notes, before.moment, before.is_error))
        return tuple(found)


def _same(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return one.keys() == other.keys() and all(alike(value, other[name]) for name, value in one.items())
