"""Can each rule ever decide?"""

from __future__ import annotations

from exitgate.analysis.prove.proof import RULE, SHOWN, Proof
from exitgate.analysis.prove.shadows import shadow_of
from exitgate.analysis.walk.chain import deciding
from exitgate.model.answer import REFUTED, UNDECIDED
from exitgate.model.verdict import STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.prove.asker import Asker
    from exitgate.policy.compiled import CompiledPolicy, Rule


def prove_rules(policy: CompiledPolicy, asker: Asker, only: str | None = None) -> Iterator[Proof]:
    """
    Yield a proof for each enforced rule that decides; `only` names one.

    One that no input lets decide, with the parameters as they are and with each other value that is tried, is
    BROKEN; where another value does, or it is not decided whether it does, it is NOTED.
    """
    for stage in STAGES:
        for rule in deciding(policy, stage):
            if only is None or rule.id == only:
                yield _proved(policy, rule, asker)


def _proved(policy: CompiledPolicy, rule: Rule, asker: Asker) -> Proof:
    answer = asker.ask("can_decide", policy, rule.id, small=True)
    if answer.status == REFUTED:
        status, says = SHOWN, "can decide"
    elif answer.status == UNDECIDED:
        status, says = UNDECIDED, answer.why
    else:
        shadow = shadow_of(policy, rule, asker)
        status, says = shadow.status, f"never decides: {shadow.told()}"
    return Proof(RULE, rule.id, status, says, answer, place=rule.place, stage=rule.stage)
