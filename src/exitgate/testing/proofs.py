"""Proofs as reports tell them: facts of each iteration, the rules that were asked, a case to paste."""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.analysis.prove.cycles import repeated
from exitgate.analysis.prove.invariants import completed
from exitgate.analysis.prove.proof import BOUND, BROKEN, INVARIANT, SILENCE, Proof
from exitgate.analysis.walk.chain import deciding
from exitgate.core.engine.program import Program
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.policy.proofs import ProofResult
from exitgate.testing.cases import values
from exitgate.testing.counterexample import case_of, run_lines, series_lines

Run = tuple[Mapping[str, object], ...]


#: Rounds that a case of a run without end goes through.
ROUNDS = 4


def proof_report(proof: Proof, policy: CompiledPolicy) -> ProofResult:
    """Return a proof as reports tell it, with its run and a case where it breaks something or never ends."""
    run = proof.answer.run or proof.example or None
    points = proof.answer.points
    lines: list[str] = list(proof.more)
    case = ""
    if run is not None and proof.status == BROKEN and proof.kind in (INVARIANT, SILENCE):
        lines += [*run_lines(run, policy), *_ladder(policy, run, proof.stage)]
        case = case_of(run, f"counterexample to {proof.subject}", _expected(proof), proof.stage)
    elif run is not None and proof.kind == BOUND and proof.series:
        lines += run_lines(run, policy)
        length = max(ROUNDS, policy.lookback + 1) * proof.series
        case = case_of(repeated(run, length), "a run that never ends", {"verdict": EXIT}, proof.stage)
    elif run is not None and proof.kind == BOUND:
        lines += ["for example:", *series_lines(run)]
    plain = None if run is None else tuple({n: values.write(v) for n, v in sorted(f.items())} for f in run)
    return ProofResult(
        proof.kind,
        proof.subject,
        proof.status,
        proof.says,
        tuple(lines),
        case,
        proof.place,
        proof.stage,
        points,
        plain,
        proof.answer.status,
    )


def _expected(proof: Proof) -> dict[str, object]:
    """Return what the promise wants of the run, as `expect:` says it."""
    claim, _, promised = proof.given[1].partition(" ")
    if claim == "never":
        return {"verdict": EXIT if promised.upper() == CONTINUE else CONTINUE}
    return {"verdict": promised.upper()} if promised.upper() in (EXIT, CONTINUE) else {"class": promised}


def _ladder(policy: CompiledPolicy, run: Run, stage: str) -> list[str]:
    """Return the rules that were asked, in order, with what each of them is; the last one decided."""
    deciders = {rule.id for rule in deciding(policy, stage)}
    lines: list[str] = []
    for step in Program(policy).trace(completed(policy, run), stage):
        if step.rule not in deciders:
            continue
        truth = step.truth if isinstance(step.truth, bool) else "unknown"
        lines.append(f"  `{step.rule}` is {str(truth).lower()}")
        if step.truth is True:
            return ["rules asked:", *lines[:-1], f"  `{step.rule}` is true and decides"]
    return ["rules asked:", *lines, "  none of them decides"]
