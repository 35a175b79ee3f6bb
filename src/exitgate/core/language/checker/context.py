"""What the rules of the checker share: the scope, the problems found so far, the way down."""

from __future__ import annotations

from exitgate.core.language.functions import NUMERIC, VALUED
from exitgate.core.language.problem import Problem
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import BOOL, NUMBER, PERCENT, Type, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.core.model.value import Type

    Rule = Callable[[Node, "Checking", Type | None], Node]

    from exitgate.core.language.tree import Node
    from exitgate.core.model.fact import FactSpec
    from exitgate.core.model.value import Type


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


def short(node: Node) -> str:
    """Return the text of a node in backticks, cut where it is long."""
    text = unparse(node)
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def as_percent(node: Node) -> Node:
    """Return a literal number as the percent it stands for next to a percent; others as they are."""
    if node.op == "number":
        return Node("percent", node.args, node.start, node.end, PERCENT)
    return node


# The names a condition may use.


class Scope(Value):
    """
    Everything a condition can name.

    Args:
        facts: Full dotted name -> what is promised about the fact.
        parameters: Name without ``$`` -> type.
        conditions: Name without ``@`` -> tree; checked or not, it counts as a condition (bool).
    """

    __slots__ = ("conditions", "facts", "parameters")

    def __init__(
        self,
        facts: Mapping[str, FactSpec],
        parameters: Mapping[str, Type],
        conditions: Mapping[str, Node],
    ) -> None:
        self.facts = facts
        self.parameters = parameters
        self.conditions = conditions


# Which types go together.

#: Type of what already has a problem; it goes with everything, so that nothing is reported twice.
#: Never part of a tree that `check` returns.
BROKEN = Type("broken")

#: Kinds of plain numbers, without a unit.
PLAIN = ("count", "number")

#: Operations whose value is calculated from their children, and so may carry a share.
_CALCULATED = frozenset(("mul", "add", "sub", "neg", "call", "or_else", *VALUED))


def joined(left: Type, right: Type) -> Type | None:
    """
    Return the type that covers both, or None where they cannot be compared or combined.

    Equal types go together, count widens to number; nothing else converts here.
    """
    if BROKEN in (left, right):
        return BROKEN
    if left.kind in PLAIN and right.kind in PLAIN:
        return left if left.kind == right.kind else NUMBER
    if left.kind != right.kind:
        return None
    if left.kind == "list":
        if left.item is None or right.item is None:
            return left if right.item is None else right
        item = joined(left.item, right.item)
        return Type("list", item=item) if item is not None else None
    if left.kind == "enum" and set(left.members) != set(right.members):
        return None
    if left.kind == "money" and left.currency != right.currency:
        return None
    return left


def agreed(left: Node, right: Node) -> Type | None:
    """
    Return the type that covers both typed nodes, or None.

    Beyond `joined`, a bare number fits a percent: a literal, or a quotient and what is made of one
    (``100 * done / total``), but no count and no number that has a name.
    """
    assert left.type is not None
    assert right.type is not None
    if left.type.kind == "percent" and right.type.kind in PLAIN and bare(right):
        return PERCENT
    if right.type.kind == "percent" and left.type.kind in PLAIN and bare(left):
        return PERCENT
    return joined(left.type, right.type)


def bare(node: Node) -> bool:
    """Return whether a typed node is a number without a name or unit that may stand for a percent."""
    if node.op == "number":
        return True
    if node.op == "neg" and next(node.children()).op == "number":
        return True
    if node.op == "div":
        return node.type is not None and node.type.kind == "number"
    if node.op in _CALCULATED:
        return any(child.op != "number" and bare(child) for child in node.children())
    return False


def ratio(node: Node) -> bool:
    """Return whether a typed node divides amounts of one unit: a share of 1, no percentage."""
    if node.op != "div":
        return False
    over, under = node.children()
    assert over.type is not None
    assert under.type is not None
    literal = any(part.op == "number" for part in node.walk())
    return not literal and over.type.kind == under.type.kind in ("count", "duration", "money")


def numeric(type_: Type) -> bool:
    """Return whether values of the type can be ordered and calculated with."""
    return type_.kind in NUMERIC or type_ == BROKEN


def phrase(type_: Type) -> str:
    """Return the type with its article: ``a percent``, ``an enum of OPEN, CLOSED``, ``text``."""
    if type_.kind in ("text", "money"):
        return str(type_)
    return f"{'an' if type_.kind == 'enum' else 'a'} {type_}"
