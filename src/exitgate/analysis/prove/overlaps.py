"""Which rules can be true together: where their order matters, and where it does not."""

from __future__ import annotations

from exitgate.analysis.prove.proof import NOTED, OPEN, OVERLAP, Proof
from exitgate.analysis.prove.words import status_of
from exitgate.analysis.walk.answer import FOUND, NONE
from exitgate.analysis.walk.chain import deciding
from exitgate.model.verdict import STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.prove.asker import Asker
    from exitgate.analysis.walk.answer import Answer
    from exitgate.policy.compiled import CompiledPolicy, Rule


#: There are many pairs of rules, and what is not decided of one is not a loss.
SHARE = 0.2


def prove_overlaps(policy: CompiledPolicy, asker: Asker, only: str | None = None) -> Iterator[Proof]:
    """
    Yield for each rule what it decides although a later rule is true as well.

    Its order matters towards those of another result; it does not towards those of the same verdict and
    class, and those that are never true when it decides. `only` names one rule.
    """
    for stage in STAGES:
        rules = deciding(policy, stage)
        for number, rule in enumerate(rules[:-1]):
            later = rules[number + 1 :]
            if only is None or rule.id == only:
                yield _proved(policy, rule, later, asker)


def _proved(policy: CompiledPolicy, rule: Rule, later: Sequence[Rule], asker: Asker) -> Proof:
    other: list[str] = []
    same: list[str] = []
    apart: list[str] = []
    open_: list[str] = []
    example: Answer | None = None
    nones: list[Answer] = []
    for one in later:
        answer = asker.ask("can_decide_after", policy, rule.id, one.when, share=SHARE)
        if answer.status == NONE:
            apart.append(one.id)
            nones.append(answer)
        elif answer.status != FOUND:
            open_.append(one.id)
        elif _result(one) == _result(rule):
            same.append(one.id)
        else:
            other.append(one.id)
            example = example or answer
    more = tuple(
        f"{words}: {', '.join(names)}"
        for words, names in (
            ("same result", same),
            ("never true when it decides", apart),
            ("not decided", open_),
        )
        if names
    )
    says = f"decides before {', '.join(other)}" if other else "its position before later rules has no effect"
    if other or not open_:
        status = NOTED if other else min((status_of(one) for one in nones), default="proved")
        return Proof(OVERLAP, rule.id, status, says, example, more, rule.place, rule.stage)
    says = f"towards {', '.join(open_)}"
    return Proof(OVERLAP, rule.id, OPEN, says, None, more[:-1], rule.place, rule.stage)


def _result(rule: Rule) -> tuple[str, str | None]:
    return rule.effect, rule.exit_class
