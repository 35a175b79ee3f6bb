"""The policy's own promises, and the one that every policy makes: silence never ends a run."""

from __future__ import annotations

from exitgate.analysis.prove.proof import BROKEN, INVARIANT, KEPT, NOTED, SILENCE, Proof
from exitgate.analysis.prove.reachability import elsewhere_only
from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED
from exitgate.analysis.simulation import with_stand_ins
from exitgate.analysis.walk.chain import deciding
from exitgate.core.engine.program import Program
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import CONTINUE, EXIT, STAGES
from exitgate.core.model.value import BOOL
from exitgate.core.policy.compiled import Invariant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.analysis.prove.backend import Backend
    from exitgate.analysis.results.answer import Answer
    from exitgate.core.policy.compiled import CompiledPolicy

    Run = tuple[Mapping[str, object], ...]


NOTHING = "nothing is known"


def prove_invariants(policy: CompiledPolicy, backend: Backend) -> Iterator[Proof]:
    """Yield a proof for each promise of the policy, then one on silence for each stage with rules."""
    on_silence: dict[str, Answer] = {}
    for invariant in policy.invariants:
        answer = backend.ask("breaks", policy, invariant, small=True)
        if _is_on_silence(invariant):
            on_silence[invariant.stage] = answer
        yield _proved(policy, invariant, backend, answer)
    for stage in STAGES:
        if deciding(policy, stage):
            yield _silence(policy, stage, backend, on_silence.get(stage))


def _is_on_silence(invariant: Invariant) -> bool:
    """Return whether an invariant promises what every policy does: it is asked about once."""
    return (invariant.given.op, invariant.claim, invariant.verdict) == ("silence", "never", EXIT)


def _proved(policy: CompiledPolicy, invariant: Invariant, backend: Backend, answer: Answer) -> Proof:
    promise = f"{invariant.claim} {invariant.verdict.lower()}"

    def told(status: str, says: str, of: Answer = answer) -> Proof:
        return Proof(
            INVARIANT, invariant.id, status, says, of,
            place=invariant.place, stage=invariant.stage, given=(invariant.text, promise),
        )  # fmt: skip

    if answer.status == REFUTED:
        decided = decision_of(policy, answer.run or (), invariant.stage)
        return told(BROKEN, f"{decided}, but `{invariant.text}` promises {promise}")
    if answer.status == UNDECIDED:
        return told(UNDECIDED, answer.why)
    # whether a run gets there is another matter: a promise can be about what the policy prevents
    meets = backend.ask("all_be", policy, [(invariant.given, True)])
    if meets.status == PROVED:
        return told(BROKEN, f"`{invariant.text}` is never true, so it promises nothing", meets)
    if elsewhere := elsewhere_only(policy, invariant.given, invariant.stage, backend):
        return told(NOTED, f"kept, but of `{invariant.text}`: {elsewhere}")
    return told(KEPT, "")


def _silence(policy: CompiledPolicy, stage: str, backend: Backend, answer: Answer | None) -> Proof:
    silent = Invariant(
        f"silence_{stage}", Node("silence", (), 0, 0, BOOL), NOTHING, "never", EXIT, None, stage
    )
    if answer is None:
        answer = backend.ask("breaks", policy, silent, small=True)
    given = (NOTHING, "never exit")
    if answer.run is None:
        status = KEPT if answer.status == PROVED else UNDECIDED
        return Proof(SILENCE, stage, status, answer.why, answer, stage=stage, given=given)
    run = answer.run
    number = Program(policy).winner(completed(policy, run), stage)
    rule = deciding(policy, stage)[number]
    status, says = BROKEN, f"`{rule.id}` ends the run even though nothing is known"
    if rule.on_silence:
        status, says = NOTED, f"`{rule.id}` ends it, as `on_silence: exit` allows"
    return Proof(SILENCE, stage, status, says, answer, place=rule.place, stage=stage, given=given)


def decision_of(policy: CompiledPolicy, run: Run, stage: str) -> str:
    """Return what the engine decides at the end of a run: ``CONTINUE``, ``EXIT stuck by `stagnation` ``."""
    rules = deciding(policy, stage)
    number = Program(policy).winner(completed(policy, run), stage)
    if number < 0:
        return CONTINUE
    rule = rules[number]
    verdict = f"{EXIT} {rule.exit_class}" if rule.effect == "exit" else CONTINUE
    return f"{verdict} by `{rule.id}`"


def completed(policy: CompiledPolicy, run: Run) -> Run:
    """Return the run with stand-ins and computed facts in every iteration."""
    return Program(policy).complete_all(with_stand_ins(policy, run))
