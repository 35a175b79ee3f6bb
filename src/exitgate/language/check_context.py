"""What the rules of the checker share: the scope, the problems found so far, the way down."""

from __future__ import annotations

from exitgate.language.problem import Problem
from exitgate.language.tree import Node
from exitgate.language.types import BROKEN, agreed, phrase
from exitgate.language.unparse import unparse
from exitgate.model.type import BOOL, PERCENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.language.scope import Scope
    from exitgate.model.type import Type

    Rule = Callable[[Node, "Checking", Type | None], Node]


class Checking:
    """One check under way. Only the list of problems grows; trees are made anew."""

    def __init__(self, scope: Scope, rules: Mapping[str, Rule]) -> None:
        self.scope = scope
        self.rules = rules
        self.problems: list[Problem] = []
        #: Type of `item` in the condition on a list that is under way; None outside of one.
        self.item: Type | None = None

    def typed(self, node: Node, hint: Type | None = None) -> Node:
        """Return the node with its type; `hint` is the type of what it is compared with, if known."""
        return self.rules[node.op](node, self, hint)

    def report(self, code: str, message: str, node: Node, help: str = "") -> None:
        """Add a problem at the place of `node`."""
        self.problems.append(Problem(code, message, node.start, node.end, help))

    def broken(self, code: str, message: str, node: Node, help: str = "") -> Node:
        """Add a problem and return the node with the type that goes with everything."""
        self.report(code, message, node, help)
        return with_type(node, BROKEN)

    def condition(self, node: Node) -> Node:
        """Return the node typed, after making sure that it is true or false."""
        typed = self.typed(node)
        return typed if self.fits(typed, BOOL) else with_type(typed, BROKEN)

    def fits(self, node: Node, want: Type) -> bool:
        """Return whether a typed node can be where `want` is wanted; report it when not."""
        assert node.type is not None
        if agreed(node, Node("fact", ("",), type=want)) is not None:
            return True
        if want.kind == "bool":
            message = f"{short(node)} is {phrase(node.type)}; a condition must be true or false"
            self.report("EP409", message, node, as_condition(node))
        else:
            message = f"{short(node)} is {phrase(node.type)}, but {phrase(want)} is expected here"
            self.report("EP409", message, node)
        return False


def as_condition(node: Node) -> str:
    """Return the help for a value that is where a condition is wanted."""
    example = {
        "count": " > 0", "number": " > 0", "percent": " >= 70%", "duration": " > 30m",
        "text": ' contains "..."', "signature": " is known", "list": ' contains "..."',
    }  # fmt: skip
    assert node.type is not None
    if node.op in example or node.op in ("money", "enum"):
        return f"compare a fact with it, for example `... is {unparse(node)}`"
    if node.type.kind == "enum" and node.type.members:
        behind = f" is {node.type.members[0]}"
    elif node.type.kind == "money":
        behind = f" > 5 {node.type.currency}"
    else:
        behind = example.get(node.type.kind, " is known")
    return f"compare it, for example `{unparse(node)}{behind}`"


def with_type(node: Node, type_: Type, args: tuple[object, ...] | None = None) -> Node:
    """Return the node with a type and, where given, other args."""
    return Node(node.op, node.args if args is None else args, node.start, node.end, type_)  # type: ignore[arg-type]


def child(node: Node, index: int) -> Node:
    """Return the child node among the args of `node` at `index`."""
    arg = node.args[index]
    assert isinstance(arg, Node)
    return arg


def short(node: Node) -> str:
    """Return the text of a node in backticks, cut where it is long."""
    text = unparse(node)
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def as_percent(node: Node) -> Node:
    """Return a literal number as the percent it stands for next to a percent; others as they are."""
    if node.op == "number":
        return Node("percent", node.args, node.start, node.end, PERCENT)
    return node
