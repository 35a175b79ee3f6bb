"""Whether the wants of a case are met when a mutant decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exitgate.analysis.mutation.mutant import ChangedEffect, ChangedParameter, Mutant
from exitgate.analysis.mutation.sites import ENFORCE, RULE, ConditionSite
from exitgate.core.engine.program import OTHERWISE, Program
from exitgate.core.engine.record import Record, is_blind
from exitgate.core.language.measure import facts_of
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy, Rule
from exitgate.testing.cases.case import Want
from exitgate.testing.cases.parse import WORDINGS
from exitgate.testing.cases.values import same
from exitgate.testing.compare import View, compare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.extract import Observed
    from exitgate.testing.mutants.kill import Following, ReadyCase, Variant

    #: Rules that were asked, with what they came to.
    Asked = Sequence[tuple[Rule, object]]


#: What is wanted of the decision that follows from which rule decides.
OF_WINNER = ("verdict", "class", "outcome", "rule")
#: What no mutant changes: what extractors found.
UNCHANGED = ("evidence", "rejected", "blind")
FACTS, PENDING = "facts", "pending"


class Stages:
    """The rules of a policy by stage, and the facts they read."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self._of = {rule.id: rule.stage for rule in policy.rules}
        self.reads = {rule.id: facts_of(rule.when, policy.conditions) for rule in policy.rules}
        self.sides = frozenset(rule.id for rule in policy.rules if not decides(rule))

    def of(self, rule: str) -> str:
        """Return the stage of a rule."""
        return self._of[rule]


class Deciding:
    """
    What one mutant decides.

    Who decides is found from the truths of the original, those of touched rules asked again; only where
    a want is about more than that does the engine make the whole decision.
    """

    def __init__(self, mutant: Mutant, touched: frozenset[str], following: Following, stages: Stages) -> None:
        self._touched = touched
        self._following = following
        self._stages = stages
        #: What a parameter's value does to messages is not a mistake in the decision.
        self._passed_over = (*UNCHANGED, *(WORDINGS if isinstance(mutant.change, ChangedParameter) else ()))
        self._only_truths = not isinstance(mutant.change, ChangedEffect)

    def fails(self, ready: ReadyCase, mutant: Variant, computed: Sequence[Observed] | None) -> bool:
        """
        Return whether a want of the case is not met.

        Args:
            ready: The case.
            mutant: What decides, under the settings of the case.
            computed: The iterations as the mutant computes them, or None where they are the original's.
        """
        for iteration, wants in ready.wants.items():
            counting = [want for want in wants if want.key not in self._passed_over]
            if counting and self._one_fails(counting, _MutantIteration(ready, mutant, computed, iteration)):
                return True
        return False

    def _one_fails(self, wants: list[Want], moment: _MutantIteration) -> bool:
        asked = _deciding_rules(moment.mutant.policy, moment.stage, lambda rule: self._truth(rule, moment))
        winner = _winner(asked)
        if len(moment.stages) == 1 and not self._may_end_blind(winner, moment):
            parts = _parts(winner)
            record = moment.records[-1]
            for want in wants:
                if want.key in OF_WINNER and want.value != parts[want.key]:
                    return True
                if want.key == FACTS and not same(record.get(want.subject, _MISSING), want.value):
                    return True
            wants = [want for want in wants if want.key not in (*OF_WINNER, FACTS)]
            if self._says_the_same(wants, asked, moment):
                return False
        return bool(wants) and moment.misses(wants)

    def _truth(self, rule: str, moment: _MutantIteration) -> object:
        where = ConditionSite(RULE, rule)
        if rule in self._touched:
            return moment.mutant.evaluator(where)(moment.records)
        if moment.is_computed and self._following.reaches(self._stages.reads[rule]):
            return moment.ready.original.evaluator(where)(moment.records)
        return moment.ready.value(where, moment.iteration)

    def _may_end_blind(self, winner: Rule | None, moment: _MutantIteration) -> bool:
        policy = moment.mutant.policy
        if policy.exit_after_blind is None or (winner is not None and winner.effect == "exit"):
            return False
        return is_blind(moment.records[-1], moment.mutant.program.read)

    def _says_the_same(self, wants: list[Want], asked: Asked, moment: _MutantIteration) -> bool:
        """Return whether all that is wanted rests on what is as in the original."""
        if moment.is_computed:
            return False
        ready = moment.ready
        before = _deciding_rules(
            ready.original.policy,
            moment.stage,
            lambda rule: ready.value(ConditionSite(RULE, rule), moment.iteration),
        )
        if self._only_truths and _truths(asked) == _truths(before):
            return not any(want.key == PENDING and want.subject in self._touched for want in wants)
        if any(want.key not in WORDINGS for want in wants) or not self._touched.isdisjoint(
            self._stages.sides
        ):
            return False
        one, other = _winner(before), _winner(asked)
        return one is other is None or (one is not None and other is not None and one.id == other.id)


class _MutantIteration:
    """One iteration of a case as a mutant sees it."""

    def __init__(
        self, ready: ReadyCase, mutant: Variant, computed: Sequence[Observed] | None, iteration: int
    ) -> None:
        self.ready = ready
        self.mutant = mutant
        self.iteration = iteration
        self.stages = ready.stages(iteration)
        self.stage = self.stages[0]
        self.is_computed = computed is not None
        self._observed = (ready.observed if computed is None else computed)[:iteration]
        self.records = tuple(one.record for one in self._observed)

    def misses(self, wants: Sequence[Want]) -> bool:
        """Return whether one of the wants is not met by the whole decision."""
        program, last = self.mutant.program, self._observed[-1]
        view = view_of(program, last, self.records, self.stages)
        return any(compare(want, view) is not None for want in wants)


def view_of(program: Program, last: Observed, records: Sequence[Record], stages: tuple[str, ...]) -> View:
    """Return the whole decision of the stages on the last record, with all it was made from."""
    decision = last.decide(stages, program)
    return View(program, stages[0], last, records, decision, stages[1:])


def _deciding_rules(policy: CompiledPolicy, stage: str, truth: Callable[[str], object]) -> Asked:
    """Return the rules that decide a stage, up to the winner, and all others, with their truths."""
    found: list[tuple[Rule, object]] = []
    decided = False
    for rule in policy.rules:
        if rule.stage == stage and not (decided and decides(rule)):
            found.append((rule, truth(rule.id)))
            decided = decided or (decides(rule) and found[-1][1] is True)
    return found


def _winner(asked: Asked) -> Rule | None:
    return next((rule for rule, truth in asked if truth is True and decides(rule)), None)


def _truths(asked: Asked) -> list[tuple[str, object]]:
    """Return ids and truths in order, None for each unknown."""
    return [(rule.id, truth if isinstance(truth, bool) else None) for rule, truth in asked]


def decides(rule: Rule) -> bool:
    """Return whether a rule decides at all: it does not only warn or record."""
    return rule.effect != "warn" and rule.mode == ENFORCE


def _parts(winner: Rule | None) -> dict[str, object]:
    if winner is None:
        return {"verdict": CONTINUE, "class": None, "outcome": OTHERWISE, "rule": None}
    is_exit = winner.effect == "exit"
    return {
        "verdict": EXIT if is_exit else CONTINUE,
        "class": winner.exit_class if is_exit else None,
        "outcome": winner.outcome,
        "rule": winner.id,
    }


_MISSING = Unknown("not recorded")
