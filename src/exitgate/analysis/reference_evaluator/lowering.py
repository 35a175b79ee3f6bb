"""
From a checked tree at one position of the history to a Python expression for simpleeval.

The expression holds calls, operators and names, nothing else. Names are `n0`, `n1`, ...; constants,
values of facts and numbers are bound to them, so no text of a user is ever in the expression.
History is evaluated beforehand: a form names the series of its condition by number.
"""

from __future__ import annotations

import ast

from exitgate.analysis.reference_evaluator.logic import plain
from exitgate.analysis.reference_evaluator.windows import ages, is_chosen, is_full, members
from exitgate.core.language.functions import (
    CALCULATED,
    COUNTING,
    HISTORY_FORMS,
    HISTORY_OPS,
    ITEM_LIMIT,
    RANKED,
)
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from exitgate.core.language.tree import Node

    class Evaluation(Protocol):
        """What a lowering asks for: settings, and the values of trees at other positions."""

        parameters: Mapping[str, object]
        conditions: Mapping[str, Node]
        unread: frozenset[str]

        def at(self, node: Node, position: int) -> object:
            """Return the value of a tree at a position."""
            ...

        def beside(self, node: Node, position: int, item: object) -> object:
            """Return the value of a tree at a position where `item` is one of a list."""
            ...

        def series(self, node: Node, position: int, size: int) -> tuple[object, ...]:
            """Return values of a tree, oldest first, ending at a position."""
            ...


_SIGNS: dict[str, type[ast.cmpop]] = {
    ">=": ast.GtE, "<=": ast.LtE, ">": ast.Gt, "<": ast.Lt, "==": ast.Eq, "!=": ast.NotEq,
    "is": ast.Eq, "is_not": ast.NotEq,
}  # fmt: skip
_ARITHMETIC: dict[str, type[ast.operator]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div,
}  # fmt: skip
_ACCEPTED: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "count": (int,),
    "text": (str,),
    "enum": (str,),
    "signature": (str,),
    "list": (list, tuple),
}
#: Groups of facts that say nothing about what the agent said or did.
_UNREAD = ("circuit.", "clock.", "day.", "limits.", "run.")
#: Operations whose parts become the arguments of the function `op_`.
_PLAIN = ("and", "or", "known", "unknown", "between", "contains", "or_else", "list")
#: Operations that become the function of that name, over the window that is their last argument.
_FORMS = frozenset(op for op, form in HISTORY_FORMS.items() if form.lasts) | HISTORY_OPS.keys() - {"previous"}
#: Forms that give a pair (least, most).
_PAIRS = COUNTING | RANKED
#: Of these, forms whose value is calculated, and so may be too large.
_CALCULATED = RANKED & CALCULATED
#: Form -> the share of the values that its value is not below.
_SHARES = {"largest": 100, "smallest": 0}


class Lowering:
    """One expression under construction; `names`, `unknowns` and `series` are what it refers to."""

    def __init__(
        self, record: Mapping[str, object], position: int, evaluation: Evaluation, item: object = None
    ) -> None:
        self.item = item
        self.record = record
        self.position = position
        self.evaluation = evaluation
        self.names: dict[str, object] = {}
        self.unknowns: list[Unknown] = []
        self.series: list[tuple[object, ...]] = []

    def lower(self, node: Node) -> ast.expr:
        """Return the expression of a tree."""
        if node.op in _SIGNS or node.op == "compare":
            return self._compare(node)
        if node.op in _ARITHMETIC:
            left, right = (self.lower(child) for child in node.children())
            return ast.BinOp(left=left, op=_ARITHMETIC[node.op](), right=right)
        if node.op in _FORMS:
            value = self._form(node)
            if node.op in _CALCULATED:
                return self._call("in_range", value)
            return self._call("settled", value) if node.op in _PAIRS else value
        special = _SPECIAL.get(node.op)
        if special is not None:
            return special(self, node)
        if node.op in (
            "and",
            "or",
            "known",
            "unknown",
            "in",
            "not_in",
            "between",
            "contains",
            "or_else",
            "list",
        ):
            return self._call(f"{node.op}_", *(self.lower(child) for child in node.children()))
        return self._constant(node.args[0])

    def _constant(self, value: object) -> ast.expr:
        """Return a literal or parameter: a number is exactly the decimal it is written as."""
        name = self._value(value)
        return self._call("exact_", name) if isinstance(value, float) else name

    def _value(self, value: object) -> ast.expr:
        """Return the expression of a plain value: a name, or a call for an unknown or a list."""
        if isinstance(value, Unknown):
            self.unknowns.append(value)
            return self._call("unknown", self._value(len(self.unknowns) - 1))
        if isinstance(value, list | tuple):
            return self._call("list_", *(self._value(item) for item in value))
        name = f"n{len(self.names)}"
        self.names[name] = value
        return ast.Name(id=name, ctx=ast.Load())

    def _call(self, function: str, *arguments: ast.expr) -> ast.expr:
        return ast.Call(func=ast.Name(id=function, ctx=ast.Load()), args=list(arguments), keywords=[])

    def fact(self, node: Node) -> ast.expr:
        """Return the value of a fact in the record of this position."""
        name = str(node.args[0])
        value = self.record.get(name, Unknown("not recorded", name))
        assert node.type is not None
        accepted = _ACCEPTED.get(node.type.kind, (int, float))
        if not isinstance(value, Unknown) and type(value) not in accepted:
            value = Unknown("recorded as another type", name)
        return self._member(node, self._value(value))

    def one_item(self, node: Node) -> ast.expr:
        """Return the item of a list that is looked at."""
        assert node.type is not None
        accepted = _ACCEPTED.get(node.type.kind, (int, float))
        fits = isinstance(self.item, Unknown) or type(self.item) in accepted
        return self._member(node, self._value(self.item if fits else Unknown("of another type", "item")))

    def of_items(self, node: Node) -> ast.expr:
        """Return a condition on a list from its truth for each item; those behind the limit may be either."""
        *quantifier, _, _ = node.args
        listed, condition = node.children()
        name = f"{quantifier[0]}_item" if quantifier else "so_many_items"
        values = self._items(listed)
        if isinstance(values, Unknown):
            return self._call(name, self._value(False), self._value(values))
        truths = [
            self.evaluation.beside(condition, self.position, plain(item)) for item in values[:ITEM_LIMIT]
        ]
        truths += [Unknown("too many items", "reference")] * (len(values) - len(truths))
        return self._call(name, self._value(True), *map(self._value, truths))

    def _items(self, listed: Node) -> tuple[object, ...] | Unknown:
        if listed.op == "list":
            return tuple(self.evaluation.at(part, self.position) for part in listed.children())
        return self.evaluation.at(listed, self.position)  # type: ignore[return-value]

    def counted_items(self, node: Node) -> ast.expr:
        """Return how many items a condition is true for, by itself."""
        return self._call("settled", self.of_items(node))

    def parameter(self, node: Node) -> ast.expr:
        """Return the effective value of a parameter."""
        return self._member(node, self._constant(self.evaluation.parameters[str(node.args[0])]))

    def _member(self, node: Node, expression: ast.expr) -> ast.expr:
        """Return a value, members of enums in upper case."""
        assert node.type is not None
        holder = node.type.item or node.type
        return self._call("upper", expression) if holder.kind == "enum" else expression

    def condition(self, node: Node) -> ast.expr:
        """Return the value of a named condition at this position."""
        condition = self.evaluation.conditions[str(node.args[0])]
        return self._value(self.evaluation.at(condition, self.position))

    def negated(self, node: Node) -> ast.expr:
        """Return `not` or the sign."""
        (child,) = node.children()
        operation: ast.unaryop = ast.Not() if node.op == "not" else ast.USub()
        return ast.UnaryOp(op=operation, operand=self.lower(child))

    def call(self, node: Node) -> ast.expr:
        """Return a call of a function without history."""
        return self._call(f"call_{node.args[0]}", *(self.lower(child) for child in node.children()))

    def member(self, node: Node) -> ast.expr:
        """Return `in` or `not in`: against a list that is written out, item by item."""
        value, many = node.children()
        if many.op == "list":
            found = self._call("any_of_", self.lower(value), *(self.lower(item) for item in many.children()))
        else:
            found = self._call("in_", self.lower(value), self.lower(many))
        return found if node.op == "in" else ast.UnaryOp(op=ast.Not(), operand=found)

    def matches(self, node: Node) -> ast.expr:
        """Return a search for a pattern."""
        child, pattern = node.args
        return self._call("matches_", self.lower(child), self._value(pattern))  # type: ignore[arg-type]

    def silence(self, _node: Node) -> ast.expr:
        """Return whether the record says nothing about what the agent said or did."""
        stand_ins = getattr(self.record, "stand_ins", ())
        said = [
            name
            for name, value in self.record.items()
            if not isinstance(value, Unknown)
            and name.partition(".")[0] + "." * ("." in name) not in _UNREAD
            and name not in self.evaluation.unread
            and name not in stand_ins
        ]
        return self._value(not said)

    def previous(self, node: Node) -> ast.expr:
        """Return the value one position earlier."""
        return self._call("previous", self._series(node.args[0], 2))

    def repeats(self, node: Node) -> ast.expr:
        """Return `repeats n times`, within a window or in a row."""
        value, times, window = node.args
        n = self._size(times)
        if is_chosen(window):
            return self._call("often_among", *self._chosen(window, value), self._value(n))
        if window is None:
            return self._call("all_equal", self._series(value, n), self._value(n))
        return self._call("often", self._series(value, self._size(window)), self._value(n))

    def after(self, node: Node) -> ast.expr:
        """Return whether there are so many positions up to this one."""
        return self._value(self.position + 1 >= self._size(node.args[0]))

    def quantified(self, node: Node) -> ast.expr:
        """Return a quantifier over the last records."""
        quantifier, number, window, condition = node.args
        least = self._value(0 if number is None else self._size(number))
        if is_chosen(window):
            full = self._value(is_full(self.evaluation, window, self.position))
            return self._call(f"{quantifier}_among", *self._chosen(window, condition), least, full)
        n = self._size(window)
        series = self._series(condition, n)
        return self._call(f"{quantifier}_of", series, least, self._value(n))

    def _form(self, node: Node) -> ast.expr:
        window, own = node.args[-1], HISTORY_FORMS.get(node.op)
        if is_chosen(window):
            return (self._among if own is None else self._through)(node, window)
        default = HISTORY_OPS[node.op].cap if own is None else 1
        n = default if window is None else self._size(window)
        beyond = own is not None and own.behind
        arguments = [self._series(node.args[0], n + beyond), self._value(n)]
        if node.op in ("declined", "rose"):
            arguments.append(self._value(self._scalar(node.args[1])))
        if node.op == "streak":
            skipping = node.args[1]
            arguments.append(self._value(False) if skipping is None else self._series(skipping, n))
        if node.op in _SHARES or node.op == "percentile":
            arguments.append(self._share(node))
        if node.op == "repeated":
            arguments.append(self._value(window is not None))
        return self._call(node.op, *arguments)

    def _share(self, node: Node) -> ast.expr:
        """Return the share of the values, in percent, that a value by rank is not below."""
        return self._value(_SHARES[node.op] if node.op in _SHARES else self._scalar(node.args[1]))

    def _among(self, node: Node, window: object) -> ast.expr:
        """Return a form over a window in time, or over the iterations with the same key."""
        arguments = [*self._chosen(window, node.args[0])]
        if node.op in _SHARES or node.op == "percentile":
            arguments.append(self._share(node))
        if node.op == "streak":
            skipping = node.args[1]
            arguments.append(self._value(False) if skipping is None else self._chosen(window, skipping)[0])
        return self._call(f"{node.op}_among", *arguments)

    def _through(self, node: Node, window: object) -> ast.expr:
        """Return a form that needs the whole of a time."""
        old, more = ages(self.evaluation, window, self.position)
        values = self._series(node.args[0], len(old))
        self.series.append(old)
        arguments = [values, self._value(len(self.series) - 1), self._value(more)]
        if node.op in ("declined", "rose"):
            arguments.append(self._value(self._scalar(node.args[1])))
        return self._call(f"{node.op}_through", *arguments)

    def _chosen(self, window: object, argument: object) -> tuple[ast.expr, ast.expr, ast.expr]:
        """Return the numbers of a series and of what of it is in a window, and whether there is more."""
        among, more = members(self.evaluation, window, self.position)
        values = self._series(argument, len(among))
        self.series.append(among)
        return values, self._value(len(self.series) - 1), self._value(more)

    def _series(self, argument: object, size: int) -> ast.expr:
        """Return the number of the series of a condition or value that a form looks at."""
        node: Node = argument  # type: ignore[assignment]
        values = self.evaluation.series(node, self.position, size)
        self.series.append(values)
        return self._value(len(self.series) - 1)

    def _scalar(self, argument: object) -> object:
        node: Node = argument  # type: ignore[assignment]
        value = node.args[0]
        return self.evaluation.parameters[str(value)] if node.op == "parameter" else value

    def _size(self, argument: object) -> int:
        return int(str(self._scalar(argument)).partition(".")[0])

    def _compare(self, node: Node) -> ast.expr:
        left, right = node.children()
        sign = str(node.args[0]) if node.op == "compare" else node.op
        return ast.Compare(left=self.lower(left), ops=[_SIGNS[sign]()], comparators=[self.lower(right)])


_SPECIAL: dict[str, Callable[[Lowering, Node], ast.expr]] = {
    "fact": Lowering.fact,
    "parameter": Lowering.parameter,
    "condition": Lowering.condition,
    "not": Lowering.negated,
    "neg": Lowering.negated,
    "call": Lowering.call,
    "in": Lowering.member,
    "not_in": Lowering.member,
    "matches": Lowering.matches,
    "silence": Lowering.silence,
    "previous": Lowering.previous,
    "item": Lowering.one_item,
    "of_items": Lowering.of_items,
    "count_items": Lowering.counted_items,
    "repeats": Lowering.repeats,
    "after": Lowering.after,
    "quantified": Lowering.quantified,
}
