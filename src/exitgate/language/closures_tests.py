"""Closures of tests of one record: comparison, membership, text, known and unknown."""

from __future__ import annotations

from exitgate.language import kleene
from exitgate.language.closures_values import reader
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.language.closures import Closure, Compilation, Records
    from exitgate.language.tree import Node

#: Counts of iterations.
COUNTING = frozenset(("streak", "count", "repeated", "distinct", "occurrences", "cycles"))
#: What is read off the values of a window by their size.
RANKED = frozenset(("largest", "smallest", "median", "percentile", "deviation"))


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
    left, right = node.args
    inner = compilation.closure(left)  # type: ignore[arg-type]
    from exitgate.language.patterns import searcher

    search = searcher(str(right))

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


FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {
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
