"""What the lints that ask the boundary walk share: how long they may take, and other values of parameters."""

from __future__ import annotations

from itertools import islice, takewhile

from exitgate.analysis.counterfactuals.search import with_parameter
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.queries import NOT_TRUE, PROVED, UNDECIDED, Limits, all_be, can_decide
from exitgate.core.language.checker.check import check
from exitgate.core.language.measure import facts_of, parameters_of
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.value import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.analysis.results.answer import Answer
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy, Parameter, Rule


#: For one question. A lint that is not sure says nothing, so a question left open costs a finding, no more.
LIMITS = Limits(seconds=1.0, points=20_000, small=False)
#: The same where only a proof counts, and for who decides: what is proved of that is proved at once.
PROOFS = Limits(seconds=1.0, points=20_000, small=False, samples=False)
DECIDES = Limits(seconds=0.4, points=20_000, small=False, samples=False)
#: For a question about two conditions alone, and so many earlier rules are asked about.
SMALL, NEAR = Limits(seconds=0.2, points=5_000, small=False), 200
#: Settings of parameters that are tried before something is called impossible.
SETTINGS = 16


def proved_none(answer: Answer) -> bool:
    """Return whether it is proved that there is no such input."""
    return answer.status == PROVED


def never(policy: CompiledPolicy, node: Node, truth: bool | str) -> bool:
    """
    Return whether it is proved that a condition never has a truth, however the policy is set.

    Tried are the members, bounds and other telling values of one parameter of the condition after the other:
    a rule that a setting turns on is not a mistake.
    """
    return all(proved_none(all_be(one, [(node, truth)], PROOFS)) for one in settings(policy, node))


def never_decides(policy: CompiledPolicy, rule: Rule) -> bool:
    """Return whether it is proved that a rule never decides, however the policy is set; see `never`."""
    return all(_never_decides(one, rule) for one in settings(policy, rule.when))


def _never_decides(policy: CompiledPolicy, rule: Rule) -> bool:
    """
    Return whether it is proved of one setting.

    Where all rules together are too many to settle it, each earlier one that reads a fact of the rule is
    asked about alone: such a question is small in a policy of any size.
    """
    answer = can_decide(policy, rule.id, DECIDES)
    if answer.status != UNDECIDED:
        return proved_none(answer)
    names = facts_of(rule.when, policy.conditions)
    earlier = takewhile(lambda one: one.id != rule.id, deciding(policy, rule.stage))
    near = (one for one in earlier if not names.isdisjoint(facts_of(one.when, policy.conditions)))
    return any(
        proved_none(all_be(policy, [(rule.when, True), (one.when, NOT_TRUE)], SMALL))
        for one in islice(near, NEAR)
    )


def settings(policy: CompiledPolicy, node: Node) -> Iterator[CompiledPolicy]:
    """Yield the policy as it is, and with another value of a parameter of the condition."""
    yield policy
    names = sorted(parameters_of(node, policy.conditions))
    off = [name for name in names if policy.parameters[name].value == 0]
    for name in off:
        policy = with_parameter(policy, name, 1)
    if off:
        yield policy  # 0 turns many a limit off: once with all of them on
    tried = 0
    for name in names:
        parameter = policy.parameters[name]
        for value in _distinct_values(parameter):
            if value == parameter.value or tried == SETTINGS:
                continue
            tried += 1
            yield with_parameter(policy, name, value)


def _distinct_values(parameter: Parameter) -> Iterator[object]:
    kind, value = parameter.type.kind, parameter.value
    if kind == "bool":
        yield not value
    elif kind == "enum":
        yield from parameter.type.members
    elif isinstance(value, int | float):
        near = (0, parameter.low, parameter.high, value - 1, value + 1, 2, 100)
        least = parameter.low if parameter.low is not None else 0
        yield from dict.fromkeys(
            one for one in near
            if one is not None and one >= least and (parameter.high is None or one <= parameter.high)
        )  # fmt: skip


def condition(subject: Subject, text: str) -> Node:
    """Return the checked tree of a condition that a lint asks about."""
    return check(parse(text), subject.scope, BOOL)
