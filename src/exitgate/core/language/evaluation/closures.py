"""
The compiled evaluator: a checked tree becomes nested functions.

No text of the user becomes code or a Python name. Each closure takes the records (oldest first, the
current iteration last, at least one) and returns a value or `Unknown`; it never raises.
"""

from __future__ import annotations

from exitgate.core.language.evaluation import kleene, values
from exitgate.core.language.evaluation.values import reader
from exitgate.core.language.functions import (
    CALCULATED,
    HISTORY,
    HISTORY_FORMS,
    HISTORY_OPS,
    NUMERIC,
    ON_ITEMS,
)
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from exitgate.core.language.tree import Node

    Record = Mapping[str, object]
    Records = Sequence[Record]
    Closure = Callable[[Records], object]
    #: The least and the most that a value can be; None on a side that has no bound.
    Bounds = Callable[[Records], tuple[Any, Any]]
    Series = Callable[[Records, int], list[object]]
    from collections.abc import Callable


# Closures of tests of one record: comparison, membership, text, known and unknown.


def compare(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of a comparison."""
    sign = str(node.args[0])
    left, right = node.children()
    return _comparison(sign, left, right, compilation)


def equal(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `is` or `is not`."""
    left, right = node.children()
    return _comparison("==" if node.op == "is" else "!=", left, right, compilation)


def _comparison(sign: str, left: Node, right: Node, compilation: Compilation) -> Closure:
    test, open_ = kleene.COMPARISONS[sign], kleene.compared
    constant, value = compilation.constant(right)
    if constant and left.op == "fact":
        read = reader(left)

        def fact_against(records: Records) -> object:
            a = read(records[-1])
            return open_(sign, a, value) if a.__class__ is Unknown else test(a, value)

        return fact_against
    first, second = compilation.closure(left), compilation.closure(right)
    if constant:
        value = second(())

        def against(records: Records) -> object:
            a = first(records)
            return open_(sign, a, value) if a.__class__ is Unknown else test(a, value)

        return against

    def comparison(records: Records) -> object:
        a, b = first(records), second(records)
        if a.__class__ is Unknown or b.__class__ is Unknown:
            return open_(sign, a, b)
        return test(a, b)

    return comparison


def between(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `x between low and high`, both ends included."""
    value, low, high = node.children()
    over = _comparison(">=", value, low, compilation)
    under = _comparison("<=", value, high, compilation)

    def inside(records: Records) -> object:
        first = over(records)
        if first is False:
            return False
        second = under(records)
        return second if first is True or second is False else first

    return inside


def member(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `in` or `not in`: as a row of `==` joined by `or`."""
    left, right = node.children()
    value = compilation.closure(left)
    if right.op == "list":
        parts = tuple(compilation.closure(child) for child in right.children())
        items: Closure = lambda records: tuple(part(records) for part in parts)  # noqa: E731
    else:
        items = compilation.closure(right)
    wanted = node.op == "in"

    def test(records: Records) -> object:
        a = value(records)
        if a.__class__ is Unknown and a.least is None:
            return a
        choices = items(records)
        if choices.__class__ is Unknown:
            return choices
        found = kleene.disjunction(kleene.compare("==", a, choice) for choice in choices)  # type: ignore[attr-defined]
        return found if wanted else kleene.negation(found)

    return test


def contains(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `contains`: a part of a text, case and all, or an item of a list."""
    left, right = node.children()
    whole, part = compilation.closure(left), compilation.closure(right)

    def test(records: Records) -> object:
        a = whole(records)
        if a.__class__ is Unknown:
            return a
        b = part(records)
        if b.__class__ is Unknown:
            return b
        return b in a  # type: ignore[operator]

    return test


def matches(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `matches`: the RE2 pattern is found anywhere in the text."""
    inner, search = compilation.closure(node.child(0)), kleene.searcher(str(node.args[1]))

    def test(records: Records) -> object:
        value = inner(records)
        return value if value.__class__ is Unknown else search(value)  # type: ignore[arg-type]

    return test


def known(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `is known` or `is unknown`."""
    (child,) = node.children()
    inner = compilation.closure(child)
    if node.op == "known":
        return lambda records: inner(records).__class__ is not Unknown
    return lambda records: inner(records).__class__ is Unknown


def silence(_node: Node, compilation: Compilation) -> Closure:
    """
    Return a closure of `nothing is known`.

    True when the current record holds no known value, but for the groups in
    `kleene.UNREAD_GROUPS`, the facts the caller named as unread, and those a record lists in an
    attribute `stand_ins`: values that a policy gives instead of unknown ones.
    """
    unread = compilation.unread

    def nothing(records: Records) -> object:
        record = records[-1]
        passed = unread | getattr(record, "stand_ins", frozenset())
        return not any(
            value.__class__ is not Unknown
            and name not in passed
            and not name.startswith(kleene.UNREAD_GROUPS)
            for name, value in record.items()
        )

    return nothing


TEST_FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {
    "compare": compare,
    "is": equal,
    "is_not": equal,
    "known": known,
    "unknown": known,
    "in": member,
    "not_in": member,
    "between": between,
    "contains": contains,
    "matches": matches,
    "silence": silence,
}

#: Operation -> its compiler; those of history and of items of lists come in when a condition first uses one.
FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {**values.FORMS, **TEST_FORMS}
_MODULES = {
    **dict.fromkeys(HISTORY_FORMS, "history"),
    **{op: function.family for op, function in HISTORY_OPS.items()},
    **dict.fromkeys(("item", *ON_ITEMS), "items"),
}
#: Operations whose value, where it is a number, may be a `Ratio`.
_EXACT = frozenset(
    (*NUMERIC[1:], "parameter", "add", "sub", "mul", "div", "neg", "or_else", "call", *CALCULATED)
)


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
    return node.op in _EXACT and node.type is not None and node.type.kind in NUMERIC


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
            module = __import__(f"exitgate.core.language.evaluation.{_MODULES[node.op]}", fromlist=["FORMS"])
            FORMS.update(module.FORMS)
            form = FORMS[node.op]
        return form(node, self)

    def recorded(self, node: Node) -> Closure:
        """Return the evaluator of a tree; its values are as they are recorded."""
        inner = self.closure(node)
        if not may_be_ratio(node):
            return inner
        from exitgate.core.model.exact import recorded

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
        if node.op in values.LITERALS:
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
            from exitgate.core.language.problem import LanguageError, Problem

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
        from exitgate.core.model.exact import comparable

        return lambda records, n: comparable(exact(records, n))

    def exact_series(self, node: Node) -> Series:
        """Return `series` for forms that calculate with the values: those may be a `Ratio`."""
        if node.op == "fact":
            read = values.reader(node)
            return lambda records, n: [read(record) for record in records[-n:]]
        value = self.closure(node)
        return self.remembered(node, value) if self.remembers(node) else self.alone(value)

    def remembered(self, node: Node, value: Closure) -> Series:  # noqa: ARG002  # others keep values by it
        """Return the values, at the last records, of a tree that reads earlier records, too."""

        def values(records: Records, n: int) -> list[object]:
            size = len(records)
            return [value(records[: i + 1]) for i in range(max(0, size - n), size)]

        return values

    def alone(self, value: Closure) -> Series:
        """Return the values, at the last records, of a tree that reads each record by itself."""
        return lambda records, n: [value((record,)) for record in records[-n:]]
