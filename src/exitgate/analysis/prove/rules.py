"""Can each rule ever decide?"""

from __future__ import annotations

from exitgate.analysis.prove.proof import BROKEN, NOTED, OPEN, RULE, SHOWN, Proof
from exitgate.analysis.prove.shadows import shadow_of
from exitgate.analysis.walk.answer import FOUND, NONE
from exitgate.analysis.walk.chain import deciding
from exitgate.model.verdict import STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.prove.asker import Asker
    from exitgate.policy.compiled import CompiledPolicy, Rule


def prove_rules(policy: CompiledPolicy, asker: Asker, only: str | None = None) -> Iterator[Proof]:
    """
    Yield a proof for each enforced rule that decides; `only` names one.

    One that no input and no other value of a parameter lets decide is BROKEN; where another value
    does, it is NOTED.
    """
    for stage in STAGES:
        for rule in deciding(policy, stage):
            if only is None or rule.id == only:
                yield _proved(policy, rule, asker)


def _proved(policy: CompiledPolicy, rule: Rule, asker: Asker) -> Proof:
    answer = asker.ask("can_decide", policy, rule.id, small=True)
    told = Proof(RULE, rule.id, OPEN, answer.why, answer, place=rule.place, stage=rule.stage)
    if answer.status == FOUND:
        return told.but(status=SHOWN, says="can decide")
    if answer.status != NONE:
        return told
    shadow = shadow_of(policy, rule, asker)
    sure = "" if answer.exact else " (at every point walked)"
    says = f"never decides{sure}: {shadow.told()}"
    return told.but(status=NOTED if shadow.otherwise else BROKEN, says=says)
