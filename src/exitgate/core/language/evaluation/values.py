"""Closures of values: literals, facts, parameters, logic, arithmetic, functions."""

from __future__ import annotations

from exitgate.core.language.evaluation import kleene
from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.core.language.evaluation.closures import Closure, Compilation, Record, Records
    from exitgate.core.language.tree import Node


LITERALS = frozenset(("number", "percent", "duration", "money", "text", "enum", "bool"))


def literal(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of a literal or a parameter; a number is exactly the decimal it is written as."""
    value = compilation.constant(node)[1]
    if value.__class__ is float:
        from exitgate.core.model.exact import exact

        value = exact(value)
    return lambda _records: value


def listed(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of a list; unknown where an item is."""
    items = tuple(compilation.recorded(child) for child in node.children())

    def tuple_of(records: Records) -> object:
        values = tuple(item(records) for item in items)
        for value in values:
            if value.__class__ is Unknown:
                return value
        return values

    return tuple_of


def reader(node: Node) -> Callable[[Record], object]:
    """Return a function that reads a fact from a record; a value of a wrong class is unknown."""
    name = str(node.args[0])
    missing = kleene.not_recorded(name)
    type_ = node.type
    assert type_ is not None, "the tree is not checked"
    allowed = frozenset((*kleene.CLASSES[type_.kind], Unknown))
    is_list = type_.kind == "list"
    members = kleene.holds_members(type_)

    def read(record: Record) -> object:
        try:
            value = record[name]
        except KeyError:
            return missing
        if value.__class__ not in allowed:
            return kleene.mistyped(name, value, type_)
        if members:
            return kleene.fold(value)
        return tuple(value) if is_list and value.__class__ is list else value

    return read


def fact(node: Node, _compilation: Compilation) -> Closure:
    """Return a closure that reads a fact from the current record."""
    read = reader(node)
    return lambda records: read(records[-1])


def condition(node: Node, compilation: Compilation) -> Closure:
    """Return the closure of the named condition."""
    return compilation.condition(str(node.args[0]))


def negated(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `not`."""
    (child,) = node.children()
    inner = compilation.closure(child)

    def negation(records: Records) -> object:
        value = inner(records)
        return False if value is True else True if value is False else value

    return negation


def conjoined(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `and` that stops at the first false part."""
    parts = tuple(compilation.closure(child) for child in node.children())

    def conjunction(records: Records) -> object:
        result: object = True
        for part in parts:
            value = part(records)
            if value is False:
                return False
            if value is not True and result is True:
                result = value
        return result

    return conjunction


def disjoined(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `or` that stops at the first true part."""
    parts = tuple(compilation.closure(child) for child in node.children())

    def disjunction(records: Records) -> object:
        result: object = False
        for part in parts:
            value = part(records)
            if value is True:
                return True
            if value is not False and result is False:
                result = value
        return result

    return disjunction


def calculated(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of add, sub, mul or div."""
    from exitgate.core.model.exact import calculate, unsure

    left, right = (compilation.closure(child) for child in node.children())
    operation = node.op

    def calculation(records: Records) -> object:
        a, b = left(records), right(records)
        if a.__class__ is Unknown or b.__class__ is Unknown:
            return unsure(operation, a, b)
        return calculate(operation, a, b)

    return calculation


def minus(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of the sign."""
    (child,) = node.children()
    inner = compilation.closure(child)

    def negative(records: Records) -> object:
        value = inner(records)
        if value.__class__ is not Unknown:
            return -value  # type: ignore[operator]
        from exitgate.core.model.exact import unsure

        return unsure("neg", value)

    return negative


def or_else(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `a or else b`: b only where a is unknown."""
    first, second = (compilation.closure(child) for child in node.children())

    def known_or(records: Records) -> object:
        value = first(records)
        return second(records) if value.__class__ is Unknown else value

    return known_or


def call(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of a function call: unknown where an argument is."""
    origin = str(node.args[0])
    function, rule = FUNCTIONS[origin].value, FUNCTIONS[origin].bounds
    assert function is not None, origin
    arguments = tuple(compilation.closure(child) for child in node.children())

    def called(records: Records) -> object:
        values = [argument(records) for argument in arguments]
        for value in values:
            if value.__class__ is Unknown:
                from exitgate.core.model.exact import unsure

                return unsure(rule, *values)
        try:
            return function(*values)
        except (OverflowError, ValueError) as error:
            return Unknown(f"no result: {error}", origin)

    return called


FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {
    **dict.fromkeys(LITERALS, literal),
    **dict.fromkeys(("add", "sub", "mul", "div"), calculated),
    "parameter": literal,
    "list": listed,
    "fact": fact,
    "condition": condition,
    "not": negated,
    "and": conjoined,
    "or": disjoined,
    "neg": minus,
    "or_else": or_else,
    "call": call,
}
