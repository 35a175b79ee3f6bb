"""Both evaluators asked about every rule: they must always agree."""

from __future__ import annotations

from exitgate.engine.record import unread_facts
from exitgate.language.closures import compile_node
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.value import Unknown
from exitgate.model.verdict import INTERNAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.engine.program import Program
    from exitgate.language.tree import Node

#: Codes of this room, one line each; `docs` reads them.
CODES = {"EP700": "the two evaluators disagree: a bug in exitgate"}


def ask_second_opinion(program: Program, records: Sequence[Mapping[str, object]], stage: str) -> None:
    """
    Evaluate every rule of a stage with the reference evaluator too.

    Args:
        program: The policy with its compiled evaluators.
        records: As for `Program.decide`, computed facts included.
        stage: One of `exitgate.model.verdict.STAGES`.

    Raises:
        ExitgateError: The evaluators disagree (EP700 for each such rule, exit code 70).
    """
    from exitgate.language import reference

    policy = program.policy
    parameters, unread = policy.values(), unread_facts(policy)
    rules = {rule.id: rule for rule in policy.rules}
    second_of = reference.evaluator(records, parameters, policy.conditions, unread)
    wrong = []
    for step in program.trace(records, stage):
        rule = rules[step.rule]
        asked: list[tuple[str, object, Node]] = [("", step.truth, rule.when)]
        if rule.retry_after is not None:
            first = compile_node(rule.retry_after, parameters, policy.conditions, unread)(records)
            asked.append(("`retry_after` of ", first, rule.retry_after))
        for what, first, node in asked:
            second = second_of(node)
            if word(first) != word(second):
                message = (
                    f"the compiled evaluator finds {what}rule `{step.rule}` {word(first)}, "
                    f"the reference evaluator {word(second)}"
                )
                help = "this is a bug in exitgate: report it with the policy and the facts"
                wrong.append(Diagnostic("EP700", message, rule.place, help))
    if wrong:
        raise ExitgateError(wrong, INTERNAL)


def word(truth: object) -> str:
    """Return a truth or a value as both evaluators must give it; unknowns are all alike."""
    return "unknown" if isinstance(truth, Unknown) else str(truth).lower()
