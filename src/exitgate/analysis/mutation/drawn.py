"""Inputs that tell a mutant from its policy, found by chance where the walk came to no end."""

from __future__ import annotations

from exitgate.analysis.space.sample import Sampler, known
from exitgate.analysis.space.shrink import shrink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from exitgate.policy.compiled import CompiledPolicy

    Run = tuple[Mapping[str, object], ...]

#: Runs that are drawn for one rule, and the seed they are drawn from.
RUNS, SEED = 400, 1


def drawn(policy: CompiledPolicy, changed: CompiledPolicy, rules: Collection[str]) -> tuple[Run, str] | None:
    """
    Return a run on which the two decide differently, made small, and the stage; None where none was drawn.

    Args:
        policy, changed: The two.
        rules: Ids of the rules in question: most runs are about the facts these read.
    """
    from exitgate.analysis.walk.difference import Differ

    sampler = Sampler(policy, SEED)
    for rule in (one for one in policy.rules if one.id in rules):
        question = Differ(policy, changed, rule.stage, False)

        def differs(run: Run, question: Differ = question) -> bool:
            return question.shown(run) == run

        for run in sampler.runs(rule.when, RUNS):
            shown = question.shown(known(run))
            if shown is not None:
                small = shrink(shown, differs, sampler.domains)
                return tuple(dict(values) for values in small), rule.stage
    return None
