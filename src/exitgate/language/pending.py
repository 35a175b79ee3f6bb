"""How far history forms have come: `2 of 3`."""

from __future__ import annotations

from exitgate.language.closures import HISTORY, Compilation
from exitgate.language.closures_tests import COUNTING
from exitgate.language.history import occurrences
from exitgate.language.unparse import unparse
from exitgate.model.decision import Pending
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.language.tree import Node

    Records = Sequence[Mapping[str, object]]
    Progress = tuple[int, int]
    Count = Callable[[Records], Progress]


def pending(
    node: Node,
    records: Records,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
) -> tuple[Pending, ...]:
    """
    Return the progress of each history form that is under way: `have` of `need` with 0 < have < need.

    Counted are iterations in which the form's condition is true, steps without a change, equal
    values; for `after`, `at most`, `declined` and `rose` the iterations there are, while those are too few.
    Only what is certain counts: an unknown iteration adds nothing. Forms inside a history form are
    not listed by themselves. `form` is the canonical text.
    """
    return compile_pending(node, Compilation(parameters, conditions))(records)


def compile_pending(node: Node, compilation: Compilation) -> Callable[[Records], tuple[Pending, ...]]:
    """Return `pending` of a condition as a function of the records, for callers that ask many times."""
    forms = [(form, _PROGRESS[form.op](form, compilation)) for form in _forms(node, compilation.conditions)]
    texts: dict[int, str] = {}

    def counts(records: Records) -> tuple[Pending, ...]:
        found: dict[str, Pending] = {}
        for index, (form, progress) in enumerate(forms):
            have, need = progress(records)
            if 0 < have < need:
                text = texts.get(index) or texts.setdefault(index, unparse(form))
                found[text] = Pending(text, have, need)
        return tuple(found.values()) if found else ()

    return counts


def _forms(node: Node, conditions: Mapping[str, Node]) -> Iterator[Node]:
    if node.op in _PROGRESS:
        yield node
    if node.op in HISTORY:
        return
    for child in node.children():
        yield from _forms(child, conditions)
    if node.op == "condition":
        yield from _forms(conditions[str(node.args[0])], conditions)


def _trailing_equal(values: list[object]) -> int:
    """Return how many values at the end are known and equal to the last one."""
    number = 0
    for value in reversed(values):
        if value.__class__ is Unknown or value != values[-1]:
            break
        number += 1
    return number


def _consecutive(form: Node, compilation: Compilation) -> Count:
    condition, n_node = form.children()
    n, series = compilation.steps(n_node), compilation.series(condition)

    def count(records: Records) -> Progress:
        values = series(records, n)
        return (_trailing_equal(values) if values[-1] is True else 0), n

    return count


def _after(form: Node, compilation: Compilation) -> Count:
    n = compilation.steps(next(form.children()))
    return lambda records: (len(records), n)


def _unchanged(form: Node, compilation: Compilation) -> Count:
    value, n_node = form.children()
    n, series = compilation.steps(n_node), compilation.series(value)
    return lambda records: (_trailing_equal(series(records, n + 1)) - 1, n)


def _repeats(form: Node, compilation: Compilation) -> Count:
    value, n_node, window = form.args
    n = compilation.steps(n_node)  # type: ignore[arg-type]
    series = compilation.series(value)  # type: ignore[arg-type]
    if window is None:
        return lambda records: (_trailing_equal(series(records, n)), n)
    width = compilation.steps(window)  # type: ignore[arg-type]
    return lambda records: (occurrences(series(records, width))[0], n)


def _quantified(form: Node, compilation: Compilation) -> Count:
    quantifier, number, window, condition = form.args
    n = compilation.steps(window)  # type: ignore[arg-type]
    if quantifier == "at_most":
        return lambda records: (len(records), n)
    if quantifier != "at_least":
        return lambda _: (0, 0)
    series, need = compilation.series(condition), int(compilation.amount(number))  # type: ignore[arg-type]
    return lambda records: (sum(value is True for value in series(records, n)), need)


def _moved(form: Node, compilation: Compilation) -> Count:
    window = form.args[2]
    need = compilation.steps(window) if window is not None else 1  # type: ignore[arg-type]
    return lambda records: (len(records) - 1, need)


def _compared(form: Node, compilation: Compilation) -> Count:
    """`streak(P) >= 3`, and the same written from the other side."""
    sign = form.args[0]
    count, limit = form.children()
    if sign in ("<", "<="):
        count, limit = limit, count
    if count.op not in COUNTING or sign in ("==", "!="):
        return lambda _: (0, 0)
    most, certain = compilation.recorded(limit), _certain(count, compilation)
    beyond = sign in ("<", ">")

    def progress(records: Records) -> Progress:
        need = most(records)
        if not isinstance(need, int | float):
            return 0, 0
        whole = int(need)
        return certain(records), whole + (1 if whole < need or beyond else 0)

    return progress


def _certain(count: Node, compilation: Compilation) -> Callable[[Records], int]:
    """Return how far a count has come for certain; a sequence that has not come again is not a cycle yet."""
    bounds, least = compilation.bounds(count), 2 if count.op == "cycles" else 1

    def certain(records: Records) -> int:
        number = bounds(records)[0]
        return number if number >= least else 0

    return certain


_PROGRESS: dict[str, Callable[[Node, Compilation], Count]] = {
    "after": _after,
    "consecutive": _consecutive,
    "unchanged": _unchanged,
    "repeats": _repeats,
    "quantified": _quantified,
    "declined": _moved,
    "rose": _moved,
    "compare": _compared,
}
