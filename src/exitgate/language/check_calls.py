"""Calls of functions that read the current iteration only."""

from __future__ import annotations

from exitgate.language.calls import ELSEWHERE
from exitgate.language.check_context import short, with_type
from exitgate.language.check_tests import agree
from exitgate.language.functions import FUNCTIONS, NUMERIC, SAME
from exitgate.language.types import BROKEN, phrase
from exitgate.model.spelling import nearest
from exitgate.model.type import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.check_context import Checking
    from exitgate.language.functions import Function
    from exitgate.language.tree import Node


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
