"""A rule with another verdict or another class."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.mutant import ChangedEffect, Draft
from exitgate.analysis.mutation.sites import ENFORCE
from exitgate.core.policy.compiled import CompiledPolicy

KIND = "effect"
DOC = "a rule that exits continues, or exits with another class; a rule that continues exits"

#: What a wrong class is: success where there was none, a person's look where there was success.
SUCCESS, OTHERWISE = "complete", "review"


def of_policy(policy: CompiledPolicy) -> Iterator[Draft]:
    """Yield each deciding rule with another verdict, and each exit with another class."""
    for rule in policy.rules:
        if rule.effect == "warn" or rule.mode != ENFORCE:
            continue
        if rule.effect == "continue":
            yield _draft(rule.id, "continue", "exit", OTHERWISE, policy)
            continue
        before = f"exit: {rule.exit_class}"
        yield _draft(rule.id, before, "continue", None, policy)
        wrong = OTHERWISE if rule.exit_class == SUCCESS else SUCCESS
        yield _draft(rule.id, before, "exit", wrong, policy)


def _draft(id: str, before: str, effect: str, exit_class: str | None, policy: CompiledPolicy) -> Draft:
    rule = next(rule for rule in policy.rules if rule.id == id)
    after = f"{effect}: {exit_class}" if exit_class else effect
    return Draft(id, before, after, ChangedEffect(id, effect, exit_class), rule.place)
