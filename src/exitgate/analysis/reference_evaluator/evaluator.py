"""
The second opinion: conditions evaluated by simpleeval.

The tree is lowered to a Python expression (`exitgate.analysis.reference_evaluator.lowering`) that simpleeval
walks, locked
to the nodes, operators, functions and names of that expression. Slow, made for `explain`, `test` and
property tests; it shares no logic with the closures, so that a mistake in one shows against the other.
"""

from __future__ import annotations

import ast

from simpleeval import SimpleEval

from exitgate.analysis.reference_evaluator import history, logic, windows
from exitgate.analysis.reference_evaluator.lowering import Lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from exitgate.core.language.tree import Node

    Records = Sequence[Mapping[str, object]]


#: All that a lowered expression consists of: no literals, attributes, subscripts, comprehensions.
NODES = (ast.Name, ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare)

OPERATORS: dict[type[ast.AST], Callable[..., object]] = {
    ast.Add: logic.add,
    ast.Sub: logic.subtract,
    ast.Mult: logic.multiply,
    ast.Div: logic.divide,
    ast.USub: logic.minus,
    ast.Not: logic.opposite,
    ast.Gt: logic.greater,
    ast.GtE: logic.at_least,
    ast.Lt: logic.less,
    ast.LtE: logic.at_most,
    ast.Eq: logic.same,
    ast.NotEq: logic.different,
}


def evaluate(
    node: Node,
    records: Records,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    unread: Collection[str] = (),
) -> object:
    """
    Return the value of a checked tree at the last of `records`, or `Unknown`.

    Arguments as for `exitgate.core.language.evaluation.closures.compile_node`. It agrees with them on every
    value and on which are unknown; the reason of an unknown may be another.
    """
    return evaluator(records, parameters, conditions, unread)(node)


def evaluator(
    records: Records,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    unread: Collection[str] = (),
) -> Callable[[Node], object]:
    """Return `evaluate` for several trees at the same records: what they share is computed once."""
    evaluation, last = _Evaluation(records, parameters, conditions, unread), len(records) - 1
    return lambda node: logic.plain(evaluation.at(node, last))


def locked(
    names: Mapping[str, object],
    functions: Mapping[str, Callable[..., object]],
    again: SimpleEval | None = None,
) -> SimpleEval:
    """
    Return an evaluator that knows nothing but `NODES`, `OPERATORS`, `functions` and `names`.

    Args:
        names: What an expression may name.
        functions: What it may call.
        again: An evaluator that this function made, to be used again: making one takes longer.

    Raises:
        TypeError: A name holds anything but a bool, int, float or str.
    """
    for name, value in names.items():
        if value.__class__ not in (bool, int, float, str):
            raise TypeError(f"`{name}` is {value.__class__.__name__}, not a plain scalar")
    evaluator = again
    if evaluator is None:
        evaluator = SimpleEval(operators=OPERATORS, functions={}, names={})
        evaluator.nodes = {kind: evaluator.nodes[kind] for kind in NODES}
    evaluator.names, evaluator.functions = dict(names), dict(functions)
    return evaluator


class _Evaluation:
    """Values of trees at positions of the records, each computed once; the trees must outlive it."""

    def __init__(
        self,
        records: Records,
        parameters: Mapping[str, object],
        conditions: Mapping[str, Node],
        unread: Collection[str],
    ) -> None:
        self.records = records
        self.parameters = parameters
        self.conditions = conditions
        self.unread = frozenset(unread)
        self._values: dict[tuple[int, int], object] = {}
        #: Not in use; an expression within another one needs its own.
        self._free: list[SimpleEval] = []

    def at(self, node: Node, position: int) -> object:
        """Return the value of a tree at a 0-based position, seeing the records up to it."""
        key = (id(node), position)
        if key not in self._values:
            self._values[key] = self.beside(node, position, None)
        return self._values[key]

    def beside(self, node: Node, position: int, item: object) -> object:
        """Return the value of a tree at a position where `item` is one of a list."""
        lowering = Lowering(self.records[position], position, self, item)
        expression = lowering.lower(node)
        functions = {
            **logic.FUNCTIONS,
            **history.functions(lowering.series),
            **windows.functions(lowering.series),
            "unknown": lambda index: lowering.unknowns[index],
        }
        using = locked(lowering.names, functions, self._free.pop() if self._free else None)
        value = using.eval("", previously_parsed=expression)
        self._free.append(using)
        return value

    def series(self, node: Node, position: int, size: int) -> tuple[object, ...]:
        """Return the values of a tree at up to `size` positions that end with `position`, oldest first."""
        return tuple(self.at(node, p) for p in range(max(0, position - size + 1), position + 1))
