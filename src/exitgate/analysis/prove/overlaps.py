"""Which rules can be true together: where their order matters, and where it does not."""

from __future__ import annotations

from exitgate.analysis.prove.asker import SOLVER, WALK
from exitgate.analysis.prove.pairs import Pairs
from exitgate.analysis.prove.proof import KEPT, NOTED, OVERLAP, Proof
from exitgate.analysis.walk.chain import deciding
from exitgate.model.answer import PROVED, UNDECIDED, proved, together
from exitgate.model.verdict import STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.prove.asker import Asker
    from exitgate.model.answer import Answer
    from exitgate.policy.compiled import CompiledPolicy, Rule


#: There are many pairs of rules, and what is not decided of one is not a loss.
SHARE = 0.2


def prove_overlaps(policy: CompiledPolicy, asker: Asker, only: str | None = None) -> Iterator[Proof]:
    """
    Yield for each rule what it decides although a later rule is true as well.

    Its order matters towards those of another result; it does not towards those of the same verdict and
    class, and those that are never true when it decides. `only` names one rule.
    """
    pairs = Pairs(policy, asker)
    for stage in STAGES:
        rules = deciding(policy, stage)
        for number, rule in enumerate(rules[:-1]):
            later = rules[number + 1 :]
            if only is None or rule.id == only:
                yield _proved(policy, rule, later, asker, pairs)


def _proved(policy: CompiledPolicy, rule: Rule, later: Sequence[Rule], asker: Asker, pairs: Pairs) -> Proof:
    found = pairs.true_with(rule, later) if asker.asks(WALK) and not asker.asks(SOLVER) else {}
    other: list[str] = []
    same: list[str] = []
    apart: list[str] = []
    open_: list[str] = []
    nones: list[Answer] = []
    example = proved()
    for one in later:
        answer = found.get(one.id) or _asked(policy, rule, one, asker)
        if answer.status == PROVED:
            apart.append(one.id)
            nones.append(answer)
        elif answer.status == UNDECIDED:
            open_.append(one.id)
            nones.append(answer)
        elif _result(one) == _result(rule):
            same.append(one.id)
        else:
            example = answer if not other else example
            other.append(one.id)
    more = tuple(
        f"{words}: {', '.join(names)}"
        for words, names in (
            ("same result", same),
            ("never true when it decides", apart),
            ("not decided", open_),
        )
        if names
    )
    if other:
        status, says, answer = NOTED, f"decides before {', '.join(other)}", example
    elif not open_:
        status, says, answer = KEPT, "its position before later rules has no effect", together(nones)
    else:
        status, answer, more = UNDECIDED, together(nones), more[:-1]
        says = f"towards {', '.join(open_)}: {answer.why}"
    return Proof(OVERLAP, rule.id, status, says, answer, more, rule.place, rule.stage)


def _asked(policy: CompiledPolicy, rule: Rule, later: Rule, asker: Asker) -> Answer:
    """Return whether a rule can decide while a later one is true: not where they are never true together."""
    both = [(rule.when, True), (later.when, True)]
    if (never := asker.ask("all_be", policy, both, share=SHARE)).status == PROVED:
        return never
    return asker.ask("can_decide_after", policy, rule.id, later.when, share=SHARE)


def _result(rule: Rule) -> tuple[str, str | None]:
    return rule.effect, rule.exit_class
