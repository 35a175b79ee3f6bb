"""Why a check never asks the stage of a rule or promise where its condition is true."""

from __future__ import annotations

from collections.abc import Callable

from exitgate.analysis.space.counters import AFTER, FAILURE
from exitgate.analysis.space.endings import INTERRUPTED
from exitgate.analysis.walk.queries import NOT_TRUE
from exitgate.core.engine.record import FAILED
from exitgate.core.language.tree import Node
from exitgate.core.model.value import BOOL
from exitgate.core.policy.compiled import CompiledPolicy

Wanted = list[tuple[Node, bool | str]]


def only_elsewhere(
    policy: CompiledPolicy, when: Node, stage: str, proved_none: Callable[[Wanted], bool]
) -> str:
    """
    Return why no check without `--stage` asks `stage` where `when` is true; the empty text if one may.

    Args:
        policy: The policy of both.
        when: A condition that can be true.
        stage: The stage that is asked for it.
        proved_none: Whether it is proved that conditions never have these truths at once.
    """
    known = [Node("fact", (name,), type=BOOL) for name in (FAILED, INTERRUPTED) if name in policy.facts]
    if not known:
        return ""
    if stage == AFTER and proved_none([(when, True), *((fact, NOT_TRUE) for fact in known)]):
        return f"it is true only where the agent failed, and a check without `--stage` asks `{FAILURE}` then"
    if stage == FAILURE and FAILED in policy.facts and proved_none([(when, True), (known[0], True)]):
        return (
            f"it is never true where the agent failed; only then a check without `--stage` asks `{FAILURE}`"
        )
    return ""
