"""How far history forms have come: `2 of 3`."""

from __future__ import annotations

from math import ceil

from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.evaluation.history import occurrences
from exitgate.core.language.evaluation.history_windows import seen
from exitgate.core.language.evaluation.values import reader
from exitgate.core.language.functions import COUNTING, HISTORY, HISTORY_FORMS, TIMED_LIMIT
from exitgate.core.language.measure import is_timed
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.decision import Pending
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.core.language.evaluation.closures import Series

    Records = Sequence[Mapping[str, object]]
    Progress = tuple[int, int]
    Count = Callable[[Records], Progress]
    Following = Callable[[list[object]], int]


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
    Of a form that lasts for a time it is the time, in whole seconds, that it has lasted.
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
                found[text] = Pending(text, have, need, _is_of_time(form))
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


def _is_of_time(form: Node) -> bool:
    """Return whether a form has come so many seconds, not iterations or times."""
    own = HISTORY_FORMS.get(form.op)
    if own is None or not (own.lasts or form.op == "quantified"):
        return False
    return is_timed(form.args[own.window]) and form.args[0] != "at_least"


def _trailing_equal(values: list[object]) -> int:
    """Return how many values at the end are known and equal to the last one."""
    number = 0
    for value in reversed(values):
        if value.__class__ is Unknown or value != values[-1]:
            break
        number += 1
    return number


def _trailing_true(values: list[object]) -> int:
    return _trailing_equal(values) if values[-1] is True else 0


def _lasting(window: Node, compilation: Compilation, series: Series, following: Following) -> Count:
    """Return for how many seconds something has lasted, of how many."""
    length, read = compilation.amount(window.child(0)), reader(window.child(1))

    def count(records: Records) -> Progress:
        lasted = following(series(records, TIMED_LIMIT))
        now, begin = (read(records[-1]), read(records[-lasted])) if lasted else (0, 0)
        if now.__class__ is Unknown or begin.__class__ is Unknown:
            return 0, 0
        return int(now - begin), ceil(length)  # type: ignore[operator]

    return count


def _consecutive(form: Node, compilation: Compilation) -> Count:
    condition, n_node = form.children()
    series = compilation.series(condition)
    if n_node.op == "window":
        return _lasting(n_node, compilation, series, _trailing_true)
    n = compilation.steps(n_node)
    return lambda records: (_trailing_true(series(records, n)), n)


def _after(form: Node, compilation: Compilation) -> Count:
    n = compilation.steps(next(form.children()))
    return lambda records: (len(records), n)


def _unchanged(form: Node, compilation: Compilation) -> Count:
    value, n_node = form.children()
    series = compilation.series(value)
    if n_node.op == "window":
        return _lasting(n_node, compilation, series, _trailing_equal)
    n = compilation.steps(n_node)
    return lambda records: (_trailing_equal(series(records, n + 1)) - 1, n)


def _repeats(form: Node, compilation: Compilation) -> Count:
    n, window = compilation.steps(form.child(1)), form.optional(2)
    series = compilation.series(form.child(0))
    if window is None:
        return lambda records: (_trailing_equal(series(records, n)), n)
    take = seen(window, 0, compilation, series)
    return lambda records: (take(records).bounds(occurrences)[0], n)


def _quantified(form: Node, compilation: Compilation) -> Count:
    quantifier, window = form.args[0], form.child(2)
    series = compilation.series(form.child(3))
    if quantifier == "at_most":
        return _age(window, compilation)
    if quantifier != "at_least":
        return lambda _: (0, 0)
    take, need = seen(window, 0, compilation, series), int(compilation.amount(form.child(1)))
    return lambda records: (sum(value is True for value in take(records).certain()), need)


def _age(window: Node, compilation: Compilation, before: int = 0) -> Count:
    """Return how old the run is, of a window; `before` iterations are not counted."""
    size = window.child(0) if window.op == "window" else window
    if not is_timed(window):
        n = compilation.steps(size)
        return lambda records: (len(records) - before, n)
    read, length = reader(window.child(1)), compilation.amount(size)

    def age(records: Records) -> Progress:
        now = read(records[-1])
        return (0, 0) if now.__class__ is Unknown else (int(now), ceil(length))  # type: ignore[call-overload]

    return age


def _moved(form: Node, compilation: Compilation) -> Count:
    window = form.optional(2)
    if window is None:
        return lambda records: (len(records) - 1, 1)
    if is_timed(window):
        return _lasting(window, compilation, lambda records, n: [True] * min(n, len(records)), len)
    return _age(window, compilation, before=1)


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
    from exitgate.core.language.evaluation.history_counts import BOUNDS

    bounds, least = BOUNDS[count.op](count, compilation), 2 if count.op == "cycles" else 1

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
