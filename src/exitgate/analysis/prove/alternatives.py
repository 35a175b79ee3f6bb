"""The same policy with another value of one parameter, within its bounds."""

from __future__ import annotations

from exitgate.language.measure import facts_of, parameters_of
from exitgate.policy.compiled import CompiledPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.policy.compiled import Parameter, Rule

#: A whole number above this one is not tried: it may be the length of a window.
LONGEST = 100
_PERCENT = 100


def settings_tried(policy: CompiledPolicy, rule: Rule) -> Iterator[tuple[Parameter, CompiledPolicy]]:
    """
    Yield the policy with one other value of a parameter that can matter to a rule, and that parameter.

    Those of its own condition come first, then those of the rules of its stage before it. Each is set
    to its ends, beside them, and between them.
    """
    own = _parameters(policy, (rule,))
    before = []
    for one in policy.rules:
        if one.id == rule.id:
            break
        if one.stage == rule.stage:
            before.append(one)
    names = [*own, *(name for name in _parameters(policy, tuple(before)) if name not in own)]
    for name in names:
        parameter = policy.parameters[name]
        for value in _values(parameter):
            if value != parameter.value or type(value) is not type(parameter.value):
                parameters = {**policy.parameters, name: parameter.but(value=value)}
                yield parameter, policy.but(parameters=parameters)


def _parameters(policy: CompiledPolicy, rules: tuple[Rule, ...]) -> list[str]:
    derived = {fact.name: fact for fact in policy.derived}
    found: dict[str, None] = {}
    todo = [rule.when for rule in rules]
    seen: set[str] = set()
    while todo:
        tree = todo.pop(0)
        found |= dict.fromkeys(sorted(parameters_of(tree, policy.conditions)))
        for name in sorted((facts_of(tree, policy.conditions) & derived.keys()) - seen):
            seen.add(name)
            fact = derived[name]
            todo += [row.when for row in fact.rows]
            if fact.formula is not None:
                todo.append(fact.formula)
    return list(found)


def _values(parameter: Parameter) -> Iterator[object]:
    kind, value = parameter.type.kind, parameter.value
    if kind == "bool":
        yield from (False, True)
    elif kind == "enum":
        yield from parameter.type.members
    elif isinstance(value, int | float):
        low = 0 if parameter.low is None else parameter.low
        high = _PERCENT if kind == "percent" and parameter.high is None else parameter.high
        tried: list[float] = [low, low + 1, low + 2, value - 1, value + 1]
        if high is not None and (kind == "percent" or high <= LONGEST):
            tried += [high, high - 1, (low + high) / 2]
        for one in dict.fromkeys(tried):
            whole = int(one) if kind == "count" or float(one).is_integer() else one
            if low <= whole and (high is None or whole <= high):
                yield whole
