"""
The compiled evaluator: a checked tree becomes nested functions.

No text of the user becomes code or a Python name. Each closure takes the records (oldest first, the
current iteration last, at least one) and returns a value or `Unknown`; it never raises.
"""

from __future__ import annotations

from exitgate.language import closures_tests, closures_values, kleene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from exitgate.language.tree import Node

    Record = Mapping[str, object]
    Records = Sequence[Record]
    Closure = Callable[[Records], object]
    #: The least and the most that a value can be; None on a side that has no bound.
    Bounds = Callable[[Records], tuple[Any, Any]]
    Series = Callable[[Records, int], list[object]]

#: Operation -> its compiler; those of history and of items of lists come in when a condition first uses one.
FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {**closures_values.FORMS, **closures_tests.FORMS}
_OF_HISTORY = {
    **dict.fromkeys(
        ("after", "consecutive", "unchanged", "repeats", "quantified", "declined", "rose"), "history"
    ),
    **dict.fromkeys(closures_tests.COUNTING, "history_counts"),
    **dict.fromkeys(("first", "last", "previous", "sum", "average"), "history_values"),
    **dict.fromkeys(closures_tests.RANKED, "history_ranks"),
}
HISTORY = frozenset(_OF_HISTORY)
_MODULES = {**_OF_HISTORY, **dict.fromkeys(("item", "of_items", "count_items"), "items")}
#: Operations whose value, where it is a number, may be a `Ratio`.
_EXACT = frozenset(
    ("number", "percent", "duration", "money", "parameter", "add", "sub", "mul", "div", "neg", "or_else")
) | {"call", "first", "last", "previous", "sum", "average", "median", "deviation"}
_NUMBERS = frozenset(("count", "number", "percent", "duration", "money"))


def compile_node(
    node: Node,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    unread: Collection[str] = (),
) -> Closure:
    """
    Return the evaluator of a checked tree; a number that is neither whole nor a float is rounded to one.

    Args:
        node: The tree, of any type.
        parameters: Effective value of every parameter it names.
        conditions: Checked tree of every `@condition` it names.
        unread: Further facts that `nothing is known` passes over, beside the reserved groups.

    Raises:
        LanguageError: A parameter gives a history form a number of iterations below 1.
    """
    return Compilation(parameters, conditions, unread).recorded(node)


def may_be_ratio(node: Node) -> bool:
    """Return whether the closure of a checked tree may give a `Ratio`."""
    return node.op in _EXACT and node.type is not None and node.type.kind in _NUMBERS


class Compilation:
    """What is shared while one or several trees are compiled: parameters, conditions, their closures."""

    __slots__ = ("_histories", "_made", "conditions", "parameters", "unread")

    def __init__(
        self,
        parameters: Mapping[str, object],
        conditions: Mapping[str, Node],
        unread: Collection[str] = (),
    ) -> None:
        self.parameters = parameters
        self.conditions = conditions
        self.unread = frozenset(unread)
        self._made: dict[str, Closure] = {}
        self._histories: dict[str, bool] = {}

    def closure(self, node: Node) -> Closure:
        """Return the evaluator of a tree; what it calculates may be a `Ratio`."""
        form = FORMS.get(node.op)
        if form is None:
            module = __import__(f"exitgate.language.{_MODULES[node.op]}", fromlist=["FORMS"])
            FORMS.update(module.FORMS)
            form = FORMS[node.op]
        return form(node, self)

    def recorded(self, node: Node) -> Closure:
        """Return the evaluator of a tree; its values are as they are recorded."""
        inner = self.closure(node)
        if not may_be_ratio(node):
            return inner
        from exitgate.model.exact import recorded

        return lambda records: recorded(inner(records))

    def condition(self, name: str) -> Closure:
        """Return the evaluator of a named condition, made once."""
        if name not in self._made:
            self._made[name] = self.closure(self.conditions[name])
        return self._made[name]

    def constant(self, node: Node) -> tuple[bool, object]:
        """Return (True, its value as it is recorded) for a literal or a parameter, else (False, None)."""
        if node.op == "parameter":
            value = self.parameters[str(node.args[0])]
            return True, kleene.fold(value) if kleene.holds_members(node.type) else value
        if node.op in closures_values.LITERALS:
            return True, node.args[0]
        return False, None

    def amount(self, node: Node) -> float:
        """Return the value of an `n`, `by` or `window` node."""
        value = self.constant(node)[1]
        assert isinstance(value, int | float), node
        return value

    def steps(self, node: Node) -> int:
        """Return a number of iterations; it must be at least 1."""
        value = int(self.amount(node))
        if value < 1:
            from exitgate.language.problem import LanguageError, Problem

            raise LanguageError(
                [
                    Problem(
                        "EP414",
                        f"a number of iterations is {value}, but it must be at least 1",
                        node.start,
                        node.end,
                        "give the parameter `min: 1` and a value of at least 1",
                    )
                ]
            )
        return value

    def remembers(self, node: Node) -> bool:
        """Return whether a tree reads earlier records."""
        for part in node.walk():
            if part.op in HISTORY:
                return True
            if part.op == "condition":
                name = str(part.args[0])
                if name not in self._histories:
                    self._histories[name] = self.remembers(self.conditions[name])
                if self._histories[name]:
                    return True
        return False

    def series(self, node: Node) -> Series:
        """
        Return a function (records, n) -> values of `node` at the last n records, oldest first.

        There are fewer where there are fewer records. At an earlier record the tree sees the
        history up to that record, as it did then. If one of them is a recorded float, all are as
        they would be recorded, so that two which are equal to a third are equal.
        """
        exact = self.exact_series(node)
        if not may_be_ratio(node):
            return exact
        from exitgate.model.exact import comparable

        return lambda records, n: comparable(exact(records, n))

    def exact_series(self, node: Node) -> Series:
        """Return `series` for forms that calculate with the values: those may be a `Ratio`."""
        if node.op == "fact":
            read = closures_values.reader(node)
            return lambda records, n: [read(record) for record in records[-n:]]
        value = self.closure(node)
        if self.remembers(node):

            def remembering(records: Records, n: int) -> list[object]:
                size = len(records)
                return [value(records[: i + 1]) for i in range(max(0, size - n), size)]

            return remembering
        return lambda records, n: [value((record,)) for record in records[-n:]]
