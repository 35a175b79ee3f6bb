"""From the tree of a condition to the typed tree, or every problem in its names and types."""

from __future__ import annotations

from exitgate.language import check_arithmetic as arithmetic
from exitgate.language import check_history as history
from exitgate.language import check_items as items
from exitgate.language import check_names as names
from exitgate.language import check_tests as tests
from exitgate.language.check_calls import call
from exitgate.language.check_context import Checking, as_percent, with_type
from exitgate.language.check_limits import limits
from exitgate.language.functions import HISTORY_OPS, ON_ITEMS
from exitgate.language.measure import parameters_of
from exitgate.language.named import reachable
from exitgate.language.problem import LanguageError
from exitgate.language.tree import ELAPSED, Node
from exitgate.language.unparse import unparse
from exitgate.model.type import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.language.check_context import Rule
    from exitgate.language.scope import Scope
    from exitgate.model.type import Type


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
    left, right = (arg for arg in test.args if isinstance(arg, Node))
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
    **dict.fromkeys(ON_ITEMS, items.of_items),
    "item": items.item,
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
