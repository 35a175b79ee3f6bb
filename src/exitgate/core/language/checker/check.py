"""From the tree of a condition to the typed tree, or every problem in its names and types."""

from __future__ import annotations

from exitgate.core.language.checker import history, names, tests
from exitgate.core.language.checker import tests as arithmetic
from exitgate.core.language.checker.context import BROKEN, Checking, as_percent, phrase, short, with_type
from exitgate.core.language.checker.tests import agree
from exitgate.core.language.functions import (
    ELSEWHERE,
    FUNCTIONS,
    HISTORY,
    HISTORY_OPS,
    NUMERIC,
    ON_ITEMS,
    SAME,
    WINDOW_LIMIT,
)
from exitgate.core.language.measure import (
    COST_LIMIT,
    EXPANDED_DEPTH_LIMIT,
    LOOKBACK_LIMIT,
    measures,
    parameters_of,
    reachable,
    sizes_of,
    spans_of,
)
from exitgate.core.language.problem import LanguageError, Problem
from exitgate.core.language.tree import ELAPSED, Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.spelling import nearest
from exitgate.core.model.value import BOOL, COUNT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.language.checker.context import Checking, Rule, Scope
    from exitgate.core.language.functions import Function
    from exitgate.core.language.tree import Node
    from exitgate.core.model.value import Type


# Limits on what a whole condition may read and cost.


def limits(
    node: Node, parameters: Mapping[str, object], conditions: Mapping[str, Node]
) -> tuple[Problem, ...]:
    """
    Return the problems of a checked condition that depend on the values of parameters.

    Args:
        node: A checked tree.
        parameters: Effective values by name; of every parameter that the condition uses.
        conditions: Named conditions by name.

    Returns:
        EP414 and EP416 for a parameter that gives a number of iterations, or a time, out of bounds, else
        EP416, EP418 and EP419 for a condition that reads too far back, costs or nests too much.
    """
    problems = [problem for size in sizes_of(node) if (problem := _size_problem(size, parameters))]
    problems += [problem for span in spans_of(node) if (problem := _span_problem(span, parameters))]
    if problems:
        return tuple(problems)
    named = "use fewer iterations, or fewer windows within one another"
    back, dear, deep = measures(node, parameters, conditions)
    if back > LOOKBACK_LIMIT:
        message = f"the condition reads {back} iterations back; {LOOKBACK_LIMIT} is the limit"
        problems.append(Problem("EP416", message, node.start, node.end, named))
    if dear > COST_LIMIT:
        message = f"the condition looks at up to {_rounded(dear)} tests and values; {COST_LIMIT} is the limit"
        help_ = "use smaller windows, or give the inner part a name as a fact with a `formula:`"
        problems.append(Problem("EP418", message, node.start, node.end, help_))
    if deep > EXPANDED_DEPTH_LIMIT:
        message = f"with its named conditions it is {deep} levels deep; {EXPANDED_DEPTH_LIMIT} is the limit"
        help_ = "use fewer levels of conditions"
        problems.append(Problem("EP419", message, node.start, node.end, help_))
    return tuple(problems)


def _size_problem(size: Node, parameters: Mapping[str, object]) -> Problem | None:
    if size.op != "parameter":
        return None
    value = parameters[str(size.args[0])]
    assert isinstance(value, (int, float))
    if value < 1 or value != int(value):
        message = f"`${size.args[0]}` is {value}, but it counts iterations or times here"
        return Problem("EP414", message, size.start, size.end, "give the parameter `min: 1`")
    if value > WINDOW_LIMIT:
        message = f"`${size.args[0]}` is {value}; a condition may look back {WINDOW_LIMIT} iterations"
        return Problem("EP416", message, size.start, size.end, f"give the parameter `max: {WINDOW_LIMIT}`")
    return None


def _span_problem(span: Node, parameters: Mapping[str, object]) -> Problem | None:
    if span.op != "parameter" or parameters[str(span.args[0])] > 0:  # type: ignore[operator]
        return None
    message = f"`${span.args[0]}` is no longer than 0s, but a condition looks back that far"
    return Problem("EP414", message, span.start, span.end, "give the parameter `min: 1s`")


def _rounded(number: int) -> str:
    return str(number) if number < 10**12 else "more than 10^12"


# Conditions on the items of a list, and what may be in them.


def of_items(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``any of LIST where (P)`` and ``count of LIST where (P)``; in P `item` has the type of an item."""
    del hint
    *quantifier, _, _ = node.args
    listed, condition = node.children()
    typed = checking.typed(listed)
    assert typed.type is not None
    outside, item = checking.item, typed.type.item or BROKEN
    if typed.type.kind not in ("list", "broken"):
        message = f"{short(listed)} is {phrase(typed.type)}, not a list"
        checking.report("EP409", message, listed, _instead(node, listed))
        item = BROKEN
    checking.item = item
    _alone(node, condition, checking)
    inner = checking.condition(condition)
    checking.item = outside
    return with_type(node, BOOL if quantifier else COUNT, (*quantifier, typed, inner))


def _instead(node: Node, listed: Node) -> str:
    if listed.op not in ("number", "duration", "parameter"):
        return "write a fact that is a list, or `[...]`"
    text = unparse(listed)
    if node.op == "count_items":
        return f"write `count(..., last {text})` to count iterations"
    return f"write `{node.args[0]} of last {text} where (...)` for iterations"


def _alone(node: Node, condition: Node, checking: Checking) -> None:
    """Report history, or another list, within a condition on the items of one; also by way of a name."""
    conditions = checking.scope.conditions
    words = f"`{node.args[0] if node.op == 'of_items' else 'count'} of ... where`"
    for part in condition.walk():
        ops = {part.op}
        for name in reachable(part, conditions) if part.op == "condition" else ():
            ops |= conditions[name].uses().keys()
        if ops & ON_ITEMS:
            message = f"{short(part)} looks at the items of a list within {words}"
            help_ = "test the items of one list at a time, and join the tests with `and` or `or`"
        elif ops & HISTORY:
            message = f"{short(part)} looks at other iterations within {words}"
            help_ = "put the history form around it: `(any of ... where (...)) for 3 consecutive iterations`"
        else:
            continue
        checking.report("EP425", message, part, help_)
        return


def item(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type `item`, an item of the list that the condition around it is about."""
    del hint
    return with_type(node, checking.item or BROKEN)


# Calls of functions that read the current iteration only.


def call(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``min(a, b)``: arguments of the kinds that `functions` says, alike where there are several."""
    name = str(node.args[0])
    function = FUNCTIONS.get(name)
    if function is None:
        near = ELSEWHERE.get(name) or nearest(name, FUNCTIONS)
        help_ = f"did you mean `{near}`?" if near else f"the functions are {', '.join(sorted(FUNCTIONS))}"
        for argument in node.children():
            checking.typed(argument)
        return checking.broken("EP404", f"there is no function `{name}`", node, help_)
    arguments = [checking.typed(argument, hint) for argument in node.children()]
    wanted = "two or more arguments" if function.many else "one argument"
    if len(arguments) < 2 if function.many else len(arguments) != 1:
        message = f"`{name}` takes {wanted}, not {len(arguments)}"
        return checking.broken("EP411", message, node, f"write it like `{function.example}`")
    taken = [_takes(function, argument, checking) for argument in arguments]
    if not all(taken):
        return with_type(node, BROKEN)
    first = arguments[0]
    covering = first.type
    for i, argument in enumerate(arguments[1:], 1):
        first, arguments[i], covering = agree(with_type(first, covering or BROKEN), argument, node, checking)
        arguments[0] = first if i == 1 else arguments[0]
    assert covering is not None
    result = covering if function.result == SAME else Type(function.result)
    return with_type(node, result, (name, *arguments))


def _takes(function: Function, argument: Node, checking: Checking) -> bool:
    assert argument.type is not None
    (kinds,) = function.kinds
    if argument.type == BROKEN:
        return False
    if argument.type.kind in kinds:
        return True
    wanted = "a number" if kinds == NUMERIC else " or ".join("a list" if k == "list" else k for k in kinds)
    message = f"`{function.name}` takes {wanted}, but {short(argument)} is {phrase(argument.type)}"
    checking.report("EP411", message, argument, f"write it like `{function.example}`")
    return False


def check(node: Node, scope: Scope, want: Type | None = BOOL) -> Node:
    """
    Return the tree with the type of every node.

    A lower-case word that is not a fact but a member of the enum beside it becomes that member, a bare
    number beside a percent a percentage, `after 45m` a comparison, and a window that is a parameter of type
    duration a window in time; else the tree stays as it is.

    Args:
        node: As `parse` returned it.
        scope: The names there are.
        want: The type the whole must have; None for any.

    Raises:
        LanguageError: With every problem found (EP401 to EP422), from left to right. Limits that
            depend on the values of parameters are only checked as if each were 1; call
            `check_limits.limits` when the values are known.
    """
    basis = want, *_basis(node, scope)
    if hasattr(node, "typed") and node.typed[0] == basis:
        return node.typed[1]  # a policy is compiled again, under other values of its parameters
    checking = Checking(scope, _RULES)
    typed = checking.typed(node, want) if want is None or want.kind != "bool" else checking.condition(node)
    if want is not None and want.kind != "bool":
        checking.fits(typed, want)
        typed = as_percent(typed) if want.kind == "percent" else typed
    problems = checking.problems
    if not problems:
        least = dict.fromkeys(parameters_of(typed, scope.conditions), 1)
        problems = list(limits(typed, least, scope.conditions))
    if problems:
        raise LanguageError(sorted(dict.fromkeys(problems), key=lambda p: (p.start, p.end, p.code)))
    node.typed = basis, typed
    return typed


def _basis(node: Node, scope: Scope) -> tuple[object, ...]:
    """Return what the names of a tree are in a scope: all that an answer without problems depends on."""
    uses = node.uses()
    return (
        tuple(scope.facts.get(name) for name in uses.get("fact", ())),
        tuple(scope.parameters.get(name) for name in uses.get("parameter", ())),
        tuple((name, scope.conditions[name]) for name in reachable(node, scope.conditions)),
        all(name in scope.conditions for name in uses.get("condition", ())),
        scope.facts.get(ELAPSED),
    )


def _joined(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type `and`, `or` and `not`: conditions in, a condition out."""
    del hint
    return with_type(node, BOOL, tuple(checking.condition(part) for part in node.children()))


def _either(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type `or`; a bare value behind a test of equality was meant as a second value for it."""
    del hint
    typed: list[Node] = []
    before: Node | None = None
    for part in node.children():
        if before is not None and part.op in _BARE:
            message = f"`{unparse(part)}` is alone after `or`"
            typed.append(checking.broken("EP409", message, part, _as_list(before, part)))
            continue
        typed.append(checking.condition(part))
        equals = part.op == "is" or (part.op == "compare" and part.args[0] == "==")
        before = part if equals else None
    return with_type(node, BOOL, tuple(typed))


def _as_list(test: Node, other: Node) -> str:
    left, right = test.children()
    return f"write `{unparse(left)} in [{unparse(right)}, {unparse(other)}]`"


def _silence(node: Node, checking: Checking, hint: Type | None) -> Node:
    del checking, hint
    return with_type(node, BOOL)


#: Values that are not a condition, no matter what is beside them.
_BARE = ("number", "percent", "duration", "money", "text", "enum")

_RULES: Mapping[str, Rule] = {
    "or": _either,
    "and": _joined,
    "not": _joined,
    "silence": _silence,
    **dict.fromkeys(ON_ITEMS, of_items),
    "item": item,
    "compare": tests.compare,
    "is": tests.is_,
    "is_not": tests.is_,
    "known": tests.known,
    "unknown": tests.known,
    "in": tests.in_,
    "not_in": tests.in_,
    "between": tests.between,
    "contains": tests.contains,
    "matches": tests.matches,
    "list": tests.list_,
    "unchanged": history.unchanged,
    "declined": history.moved,
    "rose": history.moved,
    "repeats": history.repeats,
    "consecutive": history.consecutive,
    "after": history.after,
    "aged": history.aged,
    "quantified": history.quantified,
    "add": arithmetic.sum_,
    "sub": arithmetic.sum_,
    "mul": arithmetic.product,
    "div": arithmetic.quotient,
    "neg": arithmetic.neg,
    "or_else": arithmetic.or_else,
    "number": names.number,
    "percent": names.literal,
    "duration": names.literal,
    "text": names.literal,
    "bool": names.literal,
    "money": names.money,
    "enum": names.enum,
    "fact": names.fact,
    "parameter": names.parameter,
    "condition": names.condition,
    "call": call,
    **dict.fromkeys(HISTORY_OPS, history.function),
    "streak": history.streak,
    "percentile": history.percentile,
}
