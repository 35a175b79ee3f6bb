"""Closures of the history functions that give a value of earlier records, a sum, a mean."""

from __future__ import annotations

from exitgate.language.functions import CAP
from exitgate.language.history_windows import MORE, seen
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.language.closures import Closure, Compilation, Records
    from exitgate.language.tree import Node

#: Not a value that something could still turn out to have: there is none.
NO_EARLIER = Unknown("no earlier iteration", "previous")


def first_known(node: Node, compilation: Compilation) -> Closure:
    """
    Return a closure of `first(x, last n)` or `last(x, last n)`: the earliest or latest known value.

    It is that of the iterations that are in the window for certain; unknown where older ones may be, and the
    earliest is asked for.
    """
    value_node, window = node.args
    take = seen(window, CAP, compilation, compilation.exact_series(value_node))  # type: ignore[arg-type]
    step = 1 if node.op == "first" else -1

    def value(records: Records) -> object:
        found = take(records)
        if found.more and step == 1:
            return MORE
        values = found.certain()[::step]
        known = next((v for v in values if v.__class__ is not Unknown), None)
        return values[0].bare() if known is None else known  # type: ignore[attr-defined]

    return value


def previous(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `previous(x)`: the value one record earlier."""
    series = compilation.exact_series(node.args[0])  # type: ignore[arg-type]

    def value(records: Records) -> object:
        if len(records) < 2:
            return NO_EARLIER
        return series(records, 2)[0]

    return value


def total(node: Node, compilation: Compilation) -> Closure:
    """
    Return a closure of `sum(x, last n)` or `average(x, last n)` over the records there are.

    Unknown where one of the values is: a sum of the known ones would look like less than happened. It is
    between bounds where each of the values is. Unknown, too, where it is not certain which records there are.
    """
    from exitgate.model.bounds import calculated

    summand, window = node.args
    take = seen(window, CAP, compilation, compilation.exact_series(summand))  # type: ignore[arg-type]
    mean = node.op == "average"

    def value(records: Records) -> object:
        found = take(records)
        doubt = found.doubt()
        if doubt is not None:
            return doubt
        (values,) = found.series
        result: object = 0
        for item in values:
            result = calculated("add", result, item)
        return calculated("div", result, len(values)) if mean else result

    return value


FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {
    "first": first_known,
    "last": first_known,
    "previous": previous,
    "sum": total,
    "average": total,
}
