"""Does every result that a policy names remain reachable?"""

from __future__ import annotations

from exitgate.analysis.prove.proof import BROKEN, CLASS, NOTED, SHOWN, Proof
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.questions import AFTER_ITERATION, OTHERWISE
from exitgate.model.answer import REFUTED, UNDECIDED, together
from exitgate.model.verdict import CONTINUE, STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.prove.asker import Asker
    from exitgate.model.answer import Answer
    from exitgate.policy.compiled import CompiledPolicy


def prove_classes(policy: CompiledPolicy, asker: Asker) -> Iterator[Proof]:
    """Yield a proof for CONTINUE, for `otherwise`, and for each class that some rule names."""
    named: dict[str, list[str]] = {CONTINUE: [AFTER_ITERATION], OTHERWISE: [AFTER_ITERATION]}
    for stage in STAGES:
        for rule in deciding(policy, stage):
            if rule.exit_class is not None and stage not in named.setdefault(rule.exit_class, []):
                named[rule.exit_class].append(stage)
    for result, stages in named.items():
        yield _proved(policy, result, stages, asker)


def _proved(policy: CompiledPolicy, result: str, stages: list[str], asker: Asker) -> Proof:
    answers: list[Answer] = []
    for stage in stages:
        answers.append(asker.ask("reaches", policy, result, stage=stage))
        if answers[-1].status == REFUTED:
            where = "" if stage == AFTER_ITERATION else f" ({stage})"
            return Proof(CLASS, result, SHOWN, f"can be reached{where}", answers[-1], stage=stage)
    answer = together(answers)
    if answer.status == UNDECIDED:
        return Proof(CLASS, result, UNDECIDED, answer.why, answer)
    return Proof(CLASS, result, NOTED if result == OTHERWISE else BROKEN, "is never reached", answer)
