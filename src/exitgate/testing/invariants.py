"""
Invariants checked: by the boundary walk, and by sampling where the walk comes to no end.

Sampling compares a policy's promise with random runs, drawn from a seed and crowded around the constants
of its conditions. A broken one gives the smallest counterexample found; one that no sample breaks is not
decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as replaced

from msgspec.structs import replace

from exitgate.analysis.results.answer import PROVED, REFUTED, Answer, refuted, undecided
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.samples import Sampler, known
from exitgate.analysis.space.shrink import shrink
from exitgate.analysis.space.silence import strict
from exitgate.analysis.walk.queries import all_be, breaks
from exitgate.analysis.walk.questions import Decided, breaking
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.program import Program
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.measure import facts_of
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.model.display import counted
from exitgate.core.policy.compiled import Invariant

Run = tuple[Mapping[str, object], ...]


#: For each question of the walk.
WALK = Limits(seconds=3.0)
SAMPLES = 3000
SEED = 1
#: A promise that applies to fewer runs is tried on up to `PATIENCE` times as many, where that is cheap.
LEAST, PATIENCE = 300, 8
#: So many counterexamples are made small; the smallest is reported.
SHRUNK = 4


@dataclass(frozen=True, slots=True)
class Sampled:
    """
    What was found of one invariant.

    Args:
        invariant: The promise.
        answer: To the claim that nothing breaks it; its run is shrunk.
        applies: To the claim that its `given` is never true. Where that is proved, it promises nothing.
        tried: Runs that were drawn; 0 where the walk decided.
        met: Those drawn in which its `given` was definitely true.
        verdict: What the policy decides where it is broken; with the class where the promise is about one.
    """

    invariant: Invariant
    answer: Answer
    applies: Answer
    tried: int = 0
    met: int = 0
    verdict: str = ""

    @property
    def counterexample(self) -> Run | None:
        """A run that breaks it: facts of each iteration, oldest first, unknown ones left out; or None."""
        return self.answer.run

    @property
    def is_wrong(self) -> bool:
        """Whether it is broken or promises nothing, and that is known."""
        return self.answer.status == REFUTED or self.applies.status == PROVED


def check_invariants(program: Program) -> tuple[Sampled, ...]:
    """Return for each invariant of the policy what `check_invariant` does."""
    return tuple(check_invariant(invariant, program) for invariant in program.policy.invariants)


def check_invariant(invariant: Invariant, program: Program) -> Sampled:
    """Return what the walk found of one invariant of the program's policy, or else what samples did."""
    policy = program.policy
    answer = breaks(policy, invariant, WALK)
    if answer.run is not None:
        verdict = Promise(invariant, program).verdict(answer.run)
        return Sampled(invariant, answer, undecided("not asked"), verdict=verdict)
    applies = all_be(policy, [(invariant.given, True)], replace(WALK, small=False))
    if PROVED in (answer.status, applies.status):
        return Sampled(invariant, answer, applies)
    found = sample_invariant(invariant, program)
    if found.answer.run is None:
        why = f"{answer.why}; it held in {counted(found.met, 'sampled run')}"
        return replaced(found, answer=undecided(why, answer.points), applies=applies)
    return found


def sample_invariants(program: Program, samples: int = SAMPLES, seed: int = SEED) -> tuple[Sampled, ...]:
    """Return for each invariant of the policy what `samples` runs found, each from `seed`."""
    return tuple(sample_invariant(i, program, samples, seed) for i in program.policy.invariants)


def sample_invariant(
    invariant: Invariant, program: Program, samples: int = SAMPLES, seed: int = SEED
) -> Sampled:
    """
    Return what `samples` runs drawn from `seed` found of one invariant of the program's policy.

    More are drawn where the promise applies to hardly any, fewer where it is broken.
    """
    promise = Promise(invariant, program)
    sampler = Sampler(program.policy, seed)
    tried = met = 0
    broken: list[Run] = []
    for draft in sampler.drafts(invariant.given, samples * promise.patience):
        if tried >= samples and met >= LEAST:
            break
        tried += 1
        if not promise.may_apply(draft.named):
            continue
        run = draft.whole()
        whole = promise.complete(run)
        if not promise.applies(whole):
            continue
        met += 1
        if promise.fails(whole):
            shown = promise.shown(run)
            if shown is None:
                continue
            broken.append(shrink(shown, lambda one: promise.shown(one) == one, sampler.domains))
            if len(broken) == SHRUNK:
                break
    if not broken:
        held = undecided(f"it held in {counted(met, 'sampled run')}", met)
        return Sampled(invariant, held, undecided("not asked"), tried, met)
    smallest = min(broken, key=_size)
    return Sampled(
        invariant, refuted(smallest), undecided("not asked"), tried, met, promise.verdict(smallest)
    )


def _size(run: Run) -> tuple[int, int]:
    """Return what makes a counterexample long to read: iterations, then facts."""
    return len(run), sum(len(values) for values in run)


class Promise:
    """One invariant, ready to be asked of runs. The guard against blind runs does not count here."""

    def __init__(self, invariant: Invariant, program: Program) -> None:
        policy = program.policy
        self._program = program
        self._derived = {fact.name for fact in policy.derived}
        given = strict(invariant.given, domains(policy), policy)
        wanted = breaking(policy, invariant.claim, invariant.verdict, invariant.stage)
        self._question = Decided(policy, wanted, invariant.stage, given)
        self._rests_on_derived = not self._derived.isdisjoint(facts_of(given, policy.conditions))
        self.patience = 1 if self._rests_on_derived else PATIENCE
        self._given = compile_node(given, policy.values(), policy.conditions)
        self._stage = invariant.stage
        self._always = invariant.claim == "always"
        self._promised = invariant.verdict.upper()
        self._of_class = self._promised not in (EXIT, CONTINUE)
        self._deciding = [
            rule
            for rule in policy.rules
            if rule.stage == self._stage and rule.effect != "warn" and rule.mode == "enforce"
        ]

    def may_apply(self, named: Run) -> bool:
        """Return False where the facts that `given` names tell that it is not true; computed ones cannot."""
        return self._rests_on_derived or self._given(named) is True

    def applies(self, whole: Run) -> bool:
        """Return whether its `given` is definitely true of the last iteration of a completed run."""
        return self._given(whole) is True

    def fails(self, whole: Run) -> bool:
        """Return whether a completed run to which it applies is a counterexample."""
        return (self._decided(whole) == self._promised) != self._always

    def shown(self, run: Run) -> Run | None:
        """Return the run as the engine plays it from its first iteration on, if it is a counterexample."""
        return self._question.shown(known(run))

    def verdict(self, run: Run) -> str:
        """Return what the policy's rules decide on the last iteration: a verdict, maybe with its class."""
        decided = self._decided(self.complete(run))
        return decided if decided == CONTINUE or not self._of_class else f"{EXIT} {decided.lower()}"

    def _decided(self, whole: Run) -> str:
        """Return the verdict, or the class of an exit in capitals where the promise is about a class."""
        winner = self._program.winner(whole, self._stage)
        if winner < 0 or self._deciding[winner].effect != "exit":
            return CONTINUE
        return str(self._deciding[winner].exit_class).upper() if self._of_class else EXIT

    def complete(self, run: Run) -> Run:
        """Return the run with computed facts in every iteration."""
        return run if not self._derived else self._program.complete_all(run)
